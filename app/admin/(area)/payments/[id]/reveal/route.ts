import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { revealDelivery } from "@/lib/payments/inbox";

/** POST: shows the body of a delivery once on the next page; the audit log records it. */
export const POST = formRoute({
  name: "payment.reveal",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    const text = await revealDelivery(db(), id, actor);
    return { to: adminPaths.delivery(id), flash: { kind: "payload", deliveryId: id, text } };
  },
});
