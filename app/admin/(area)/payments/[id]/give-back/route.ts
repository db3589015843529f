import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { restoreAccess } from "@/lib/payments/restore-access";

/** POST: creates a new key for a buyer who lost access that is paid for. */
export const POST = formRoute({
  name: "payment.give_back",
  guard: adminOnly,
  fields: NoFields,
  page: ({ id }: { id: string }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    const { subscriptionId } = await restoreAccess(db(), id, actor);
    return {
      to: adminPaths.subscriber(subscriptionId),
      flash: { kind: "done", text: "Access is restored: a new key was created and mailed to the buyer." },
    };
  },
});
