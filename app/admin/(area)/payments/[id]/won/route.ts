import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { markChargebackWon } from "@/lib/payments/win-chargeback";

/** POST: reinstates the keys that a chargeback revoked, because the chargeback was won. */
export const POST = formRoute({
  name: "payment.won",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    await markChargebackWon(db(), id, actor);
    return {
      to: adminPaths.delivery(id),
      flash: { kind: "done", text: "The same key is reinstated. The buyer gets a mail if it works now." },
    };
  },
});
