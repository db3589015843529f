import { ActionDialog } from "@/app/admin/_components/action-controls";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** Suspends a key, after a confirmation. */
export function SuspendKeyButton({
  subscription,
  entry,
}: {
  subscription: { id: number; userName: string; email: string | null };
  entry: SubscriberKey;
}) {
  return (
    <ActionDialog
      needs="key.suspend"
      trigger="Suspend"
      title={`Suspend the key of ${subscription.userName}?`}
      consequence={
        <>
          The key <span className="font-mono">{entry.hint}</span> stops at the next request, until you
          reinstate it. Closings of known positions are accepted for 72 hours.
          {subscription.email !== null && " The subscriber gets a mail."}
        </>
      }
      confirmLabel="Suspend the key"
      action={adminPaths.subscriberForm(subscription.id, "suspend")}
      fields={{ key_id: String(entry.keyId) }}
    />
  );
}
