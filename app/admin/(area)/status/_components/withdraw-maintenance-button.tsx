import { ActionDialog } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** Withdraws an announced maintenance, after a confirmation. */
export function WithdrawMaintenanceButton({ maintenance }: { maintenance: { id: number; message: string } }) {
  return (
    <ActionDialog
      needs="maintenance.withdraw"
      trigger="Withdraw"
      triggerVariant="quiet"
      triggerSize="small"
      title="Withdraw this announcement?"
      consequence={`“${maintenance.message}” leaves the status page at once.`}
      confirmLabel="Withdraw"
      action={adminPaths.statusPageForm("withdraw")}
      fields={{ id: String(maintenance.id) }}
    />
  );
}
