import { db } from "@/db/client";
import { acknowledgeSharedAddresses } from "@/lib/admin/review-payment-delivery";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: marks the subscribers who share an address as reviewed. */
export const POST = formRoute({
  name: "payment.review_shared",
  guard: adminOnly,
  fields: NoFields,
  page: () => adminPaths.payments(),
  act: async ({ actor }) => {
    await acknowledgeSharedAddresses(db(), actor);
    return { to: adminPaths.payments(), flash: { kind: "done", text: "Marked as reviewed." } };
  },
});
