import { Card } from "@/app/_components/card";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** Deletes an account on a request made outside of the portal. */
export function DeleteCard({ subscription }: { subscription: { id: number; userName: string } }) {
  return (
    <Card
      title="Delete account"
      lead="For subscribers who ask by letter. Everyone else can delete the account in the portal, under Settings."
    >
      <ActionDialog
        needs="account.delete"
        trigger="Delete account"
        title={`Delete the account of ${subscription.userName}?`}
        consequence="Every subscription of the same address ends at once, and name, address, notes, mails and settings are erased. Positions and invoices stay without a name. It does not cancel anything at the shop, and it cannot be undone."
        confirmLabel="Delete account"
        typedWord="DELETE"
        action={adminPaths.subscriberForm(subscription.id, "delete-account")}
      />
    </Card>
  );
}
