import { z } from "zod";
import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { adminForm } from "@/lib/auth/admin-form";
import { adminPaths } from "@/lib/paths";
import { revealDelivery } from "@/lib/payments/inbox";

const Fields = z.object({});

/** POST: shows the body of a delivery on the next page, once; that it was read is recorded. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "payment.reveal",
  schema: Fields,
  back: ({ id }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    const text = await revealDelivery(db(), id, actor);
    return { to: adminPaths.delivery(id), flash: { kind: "payload", deliveryId: id, text } };
  },
});
