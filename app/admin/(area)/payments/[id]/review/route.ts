import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { markPaymentDeliveryReviewed } from "@/lib/admin/review-payment-delivery";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

/** POST: marks the flags of a delivery as reviewed. */
export const POST = formRoute({
  name: "payment.review",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    await markPaymentDeliveryReviewed(db(), id, actor);
    return { to: adminPaths.delivery(id), flash: { kind: "done", text: "Marked as reviewed." } };
  },
});
