import { ActionDialog } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** Applies a delivery again, after a confirmation. */
export function ReapplyButton({ id }: { id: number }) {
  return (
    <ActionDialog
      needs="payment.reapply"
      trigger="Apply again"
      triggerVariant="secondary"
      title="Apply this delivery again?"
      consequence="The delivery is processed again by the current rules. Nothing happens twice: refunded access stays ended, and no second key is created. If the product was not in the table and is there now, the payment gets its plan and days; no mail is sent about that."
      confirmLabel="Apply again"
      action={adminPaths.deliveryForm(id, "reapply")}
    />
  );
}
