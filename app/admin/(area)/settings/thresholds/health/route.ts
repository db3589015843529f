import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, DecimalNumber, WholeNumber } from "@/lib/admin/form-fields";
import { changeSlotSettings } from "@/lib/admin/settings/change-thresholds";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "thresholds.health";

/** POST: stores when the service counts as late or down, after showing what it would be now. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    down_lag_factor: DecimalNumber(0, 1_000),
    down_lag_minutes: WholeNumber(0, 100_000),
    degraded_lag_minutes: WholeNumber(0, 100_000),
    degraded_stale_pct: DecimalNumber(0, 100),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.thresholds(),
  act: async ({ values, sent, actor }) => {
    const after = {
      downLagFactor: values.down_lag_factor,
      downLagMinutes: values.down_lag_minutes,
      degradedLagMinutes: values.degraded_lag_minutes,
      degradedStaleShare: values.degraded_stale_pct / 100,
    };
    const changed = await changeSlotSettings(db(), { of: "health", after }, values, actor);
    return backToForm(adminPaths.thresholds(), changed, NAME, sent);
  },
});
