import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, NameList, WholeNumber } from "@/lib/admin/form-fields";
import { changeDocument } from "@/lib/admin/settings/change-document";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "settings.payment_events";

/** POST: stores what the generic platform calls its events, after showing how many were called so. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    failed: NameList(100),
    chargeback_won: NameList(100),
    failure_grace_days: WholeNumber(0, 90),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.accessSettings(),
  act: async ({ values, sent, actor }) => {
    const after = {
      failed: values.failed,
      chargebackWon: values.chargeback_won,
      failureGraceDays: values.failure_grace_days,
    };
    const changed = await changeDocument(db(), { of: "payment_events", after }, values, actor);
    return backToForm(adminPaths.accessSettings(), changed, NAME, sent);
  },
});
