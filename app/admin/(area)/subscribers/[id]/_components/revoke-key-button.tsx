import { ActionDialog } from "@/app/admin/_components/action-controls";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** Revokes a key, after a confirmation. */
export function RevokeKeyButton({
  subscription,
  entry,
}: {
  subscription: { id: number; userName: string };
  entry: SubscriberKey;
}) {
  return (
    <ActionDialog
      needs="key.revoke"
      trigger="Revoke"
      title={`Revoke the key of ${subscription.userName}?`}
      consequence={
        <>
          The key <span className="font-mono">{entry.hint}</span> stops at the next request and never works
          again. Open positions can then no longer be reported. Their history stays. No mail is sent.
        </>
      }
      confirmLabel="Revoke the key"
      action={adminPaths.subscriberForm(subscription.id, "revoke")}
      fields={{ key_id: String(entry.keyId) }}
    />
  );
}
