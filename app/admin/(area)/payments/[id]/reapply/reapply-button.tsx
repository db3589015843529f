import { ActionDialog } from "@/app/admin/_components/allowed";
import { adminPaths } from "@/lib/paths";

/** Applies a delivery again, after a confirmation. */
export function ReapplyButton({ id }: { id: number }) {
  return (
    <ActionDialog
      needs="payment.reapply"
      trigger="Apply again"
      triggerVariant="secondary"
      title="Apply this delivery again?"
      consequence="It is judged again by today's rules. Nothing is done twice: refunded access stays ended, and no second key is made."
      confirmLabel="Apply again"
      action={adminPaths.deliveryForm(id, "reapply")}
    />
  );
}
