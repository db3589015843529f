import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, WholeNumber } from "@/lib/admin/form-fields";
import { changeDocument } from "@/lib/admin/settings/change-document";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "settings.unmapped_product";

/** POST: stores what a product outside the table buys, after showing how many were bought. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    days: WholeNumber(1, 3660),
    grace_days: WholeNumber(0, 366),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.accessSettings(),
  act: async ({ values, sent, actor }) => {
    const after = {
      days: values.days,
      graceDays: values.grace_days,
    };
    const changed = await changeDocument(db(), { of: "unmapped_product", after }, values, actor);
    return backToForm(adminPaths.accessSettings(), changed, NAME, sent);
  },
});
