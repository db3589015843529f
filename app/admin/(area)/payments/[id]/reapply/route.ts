import { DELIVERY_EFFECT_LABELS, REASON_LABELS } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
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
    const answer = await reapplyDelivery(db(), id, actor);
    const why = answer.action === "ignored" ? `, ${REASON_LABELS[answer.reason] ?? answer.reason}` : "";
    return {
      to: adminPaths.delivery(id),
      flash: {
        kind: "done",
        text: `Applied again. Outcome: ${(DELIVERY_EFFECT_LABELS[answer.action] ?? answer.action).toLowerCase()}${why}.`,
      },
    };
  },
});
