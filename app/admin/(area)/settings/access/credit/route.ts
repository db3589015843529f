import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, Confirmed, DecimalNumber, WholeNumber } from "@/lib/admin/form-fields";
import { changeDocument } from "@/lib/admin/settings/change-document";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "settings.downtime_credit";

/** POST: stores when lost time is given back, after showing whom that touches. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    enabled: Confirmed,
    threshold_minutes: WholeNumber(0, 44_640),
    share_pct: DecimalNumber(1, 100),
    preview_hours: WholeNumber(0, 720),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.accessSettings(),
  act: async ({ values, sent, actor }) => {
    const after = {
      enabled: values.enabled,
      thresholdMinutes: values.threshold_minutes,
      share: values.share_pct / 100,
      previewHours: values.preview_hours,
    };
    const changed = await changeDocument(db(), { of: "downtime_credit", after }, values, actor);
    return backToForm(adminPaths.accessSettings(), changed, NAME, sent);
  },
});
