import { z } from "zod";
import { db } from "@/db/client";
import { OptionalWholeNumber, PlanField, RequiredText, WholeNumber } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { changeProduct } from "@/lib/payments/change-product";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";

const NAME = "product.save";

/** POST: stores a product's plan and days, after a preview of the subscribers affected. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    adapter: z.enum(PAYMENT_ADAPTERS, "must be a platform"),
    external_id: RequiredText(100),
    plan_tier: PlanField,
    period_days: WholeNumber(1, 3660),
    grace_days: WholeNumber(0, 366),
    trial_days: OptionalWholeNumber(1, 366),
    mark: z.string().optional(),
  }),
  page: () => adminPaths.products(),
  act: async ({ values, sent, actor }) => {
    const id = { adapter: values.adapter, externalId: values.external_id };
    const after = {
      ...id,
      planTier: values.plan_tier,
      periodDays: values.period_days,
      graceDays: values.grace_days,
      trialDays: values.trial_days,
    };
    const changed = await changeProduct(db(), { id, after, mark: values.mark }, actor);
    return { to: adminPaths.products(), flash: settingChangeFlash(changed, NAME, sent) };
  },
});
