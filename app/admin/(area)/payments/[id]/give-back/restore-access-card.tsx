import { Card } from "@/app/_components/card";
import { formatDay } from "@/app/_components/times";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";
import type { RestorableAccess } from "@/lib/payments/restore-access";

const HINDRANCES = {
  key_works: "The buyer has a key that is not revoked. If it has expired, extend it.",
  nothing_paid: "The buyer has no paid invoice with days left. To give access, issue a key by hand.",
} as const;

/** Access that ended although it is paid for, and the button that restores it with a new key. */
export function RestoreAccessCard({ id, found }: { id: number; found: RestorableAccess }) {
  if ("hinder" in found)
    return (
      <Card title="Restore access">
        <p className="text-sm text-muted">{HINDRANCES[found.hinder]}</p>
      </Card>
    );
  const { userName, expiresAt, invoiceId, email } = found.paid;
  const until = formatDay(expiresAt);
  return (
    <Card title="Restore access" lead={`${userName} has no working key, but has paid time until ${until}.`}>
      <p className="mb-4 text-sm break-words text-muted">
        By invoice <span className="font-mono break-all">{invoiceId}</span>. The former key stays revoked.
      </p>
      <ActionDialog
        needs="payment.give_back"
        trigger="Restore access"
        triggerVariant="secondary"
        title={`Restore the access of ${userName}?`}
        consequence={`A new key is created on the same subscription, with the paid time that is left, until ${until}. ${
          email === null
            ? "There is no address to mail it to: issue it by hand instead."
            : "It is mailed to the buyer."
        }`}
        confirmLabel="Create and mail the key"
        action={adminPaths.deliveryForm(id, "give-back")}
      />
    </Card>
  );
}
