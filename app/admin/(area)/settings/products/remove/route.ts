import { z } from "zod";
import { db } from "@/db/client";
import { RequiredText } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { changeProduct } from "@/lib/payments/change-product";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";

const NAME = "product.remove";

/** POST: removes a product from the table, after showing its latest buyers. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    adapter: z.enum(PAYMENT_ADAPTERS, "must be a platform"),
    external_id: RequiredText(100),
    mark: z.string().optional(),
  }),
  page: () => adminPaths.products(),
  act: async ({ values, sent, actor }) => {
    const id = { adapter: values.adapter, externalId: values.external_id };
    const changed = await changeProduct(db(), { id, after: null, mark: values.mark }, actor);
    return { to: adminPaths.products(), flash: settingChangeFlash(changed, NAME, sent) };
  },
});
