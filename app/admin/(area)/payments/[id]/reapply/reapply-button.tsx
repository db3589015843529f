import { ActionDialog } from "@/app/admin/_components/allowed";
import { adminPaths } from "@/lib/paths";

/** Applies a delivery again, with the consequence said first. */
export function ReapplyButton({ id }: { id: number }) {
  return (
    <ActionDialog
      needs="payment.reapply"
      trigger="Apply again"
      triggerVariant="secondary"
      title="Apply this delivery again?"
      consequence="It is judged anew by today's rules and tables. What its invoice did before is not done twice: a refunded access does not come back, and nobody gets a second key."
      confirmLabel="Apply again"
      action={adminPaths.deliveryForm(id, "reapply")}
    />
  );
}
