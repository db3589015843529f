import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { adminPaths } from "@/lib/paths";

/** Takes an announcement back, with the consequence said first. */
export function WithdrawButton({ maintenance }: { maintenance: { id: number; message: string } }) {
  return (
    <ConfirmDialog
      trigger="Withdraw"
      triggerVariant="quiet"
      triggerSize="small"
      title="Withdraw this announcement?"
      consequence={`“${maintenance.message}” leaves the status page at once.`}
      confirmLabel="Withdraw"
      action={adminPaths.withdrawMaintenance(maintenance.id)}
    />
  );
}
