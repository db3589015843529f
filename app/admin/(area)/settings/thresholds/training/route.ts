import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, Confirmed, WholeNumber } from "@/lib/admin/form-fields";
import { changeSlotSettings } from "@/lib/admin/settings/change-thresholds";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { adminPaths } from "@/lib/paths";

const NAME = "thresholds.training";

/** POST: stores how often slots are trained, after showing how many that makes due. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    enabled: Confirmed,
    every_hours: WholeNumber(1, 8_784),
    after_minutes: WholeNumber(0, 100_000),
    min_candles: WholeNumber(MIN_TRAINING_CANDLES, 1_000_000),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.thresholds(),
  act: async ({ values, sent, actor }) => {
    const after = {
      enabled: values.enabled,
      everyHours: values.every_hours,
      afterMinutes: values.after_minutes,
      minCandles: values.min_candles,
    };
    const changed = await changeSlotSettings(db(), { of: "training", after }, values, actor);
    return backToForm(adminPaths.thresholds(), changed, NAME, sent);
  },
});
