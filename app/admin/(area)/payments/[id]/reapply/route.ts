import { deliveryOutcomeLabel } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { findPaymentDelivery } from "@/db/queries/payment-deliveries";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { reapplyDelivery } from "@/lib/payments/inbox";

/** POST: applies a stored delivery again. */
export const POST = formRoute({
  name: "payment.reapply",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    await reapplyDelivery(db(), id, actor);
    const delivery = await findPaymentDelivery(db(), id);
    const outcome = delivery === null ? "" : ` Outcome: ${deliveryOutcomeLabel(delivery).toLowerCase()}.`;
    return {
      to: adminPaths.delivery(id),
      flash: {
        kind: "done",
        text: `Applied again.${outcome}`,
      },
    };
  },
});
