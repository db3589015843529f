import { z } from "zod";
import { db } from "@/db/client";
import { ASKED_FIELDS, DecimalNumber, WholeNumber } from "@/lib/admin/form-fields";
import { changeDocument } from "@/lib/admin/settings/change-document";
import { backToForm } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "thresholds.baseline";

/** POST: stores how careful the baseline is, after showing how many slots it serves. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    threshold_r: DecimalNumber(0, 10),
    z: DecimalNumber(0, 10),
    min_independent: WholeNumber(2, 100_000),
    shrinkage_candles: WholeNumber(0, 1_000_000),
    expected_rr: DecimalNumber(0.1, 10),
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.thresholds(),
  act: async ({ values, sent, actor }) => {
    const after = {
      thresholdR: values.threshold_r,
      z: values.z,
      minIndependent: values.min_independent,
      shrinkageCandles: values.shrinkage_candles,
      expectedRr: values.expected_rr,
    };
    const changed = await changeDocument(db(), { of: "baseline", after }, values, actor);
    return backToForm(adminPaths.thresholds(), changed, NAME, sent);
  },
});
