import { Card } from "@/app/_components/card";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** An open chargeback, and the button to mark it as won if its platform sends no event. */
export function ChargebackWonCard({ id, found }: { id: number; found: "open" | "key_works" }) {
  if (found === "key_works")
    return (
      <Card title="Chargeback">
        <p className="text-sm text-muted">
          The buyer has another key by now. If the chargeback is won there is nothing to reinstate.
        </p>
      </Card>
    );
  return (
    <Card
      title="Chargeback"
      lead="When a platform reports that a chargeback was won, the same key works again automatically. Otherwise mark it here."
    >
      <ActionDialog
        needs="payment.won"
        trigger="Mark as won"
        triggerVariant="secondary"
        title="Was this chargeback won?"
        consequence="The key that the chargeback revoked is reinstated with its former end date, and the invoice counts as paid. The buyer gets a mail if the key works now."
        confirmLabel="Reinstate the same key"
        action={adminPaths.deliveryForm(id, "won")}
      />
    </Card>
  );
}
