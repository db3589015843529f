import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** What ends a key: replacing it and revoking it, each with its consequence said first. */
export function KeyActions({
  subscription,
  entry,
  works,
}: {
  subscription: { id: number; userName: string; email: string | null };
  entry: SubscriberKey;
  /** Only a key that works can be replaced. */
  works: boolean;
}) {
  return (
    <>
      {works && (
        <ConfirmDialog
          trigger="Replace the key"
          triggerVariant="secondary"
          title={`Replace the key of ${subscription.userName}?`}
          consequence={
            <>
              The key <span className="font-mono">{entry.hint}</span> stops at the next request: the EA is
              refused until the new one is pasted. The new key is shown to you once
              {subscription.email ? ` and mailed to ${subscription.email}` : ""}.
            </>
          }
          confirmLabel="Replace the key"
          action={adminPaths.subscriberForm(subscription.id, "replace")}
          fields={{ key_id: String(entry.keyId) }}
        />
      )}
      <ConfirmDialog
        trigger="Revoke"
        title={`Revoke the key of ${subscription.userName}?`}
        consequence={
          <>
            The key <span className="font-mono">{entry.hint}</span> stops at the next request and never works
            again. Open positions can then no longer be reported. Their history stays.
          </>
        }
        confirmLabel="Revoke the key"
        action={adminPaths.subscriberForm(subscription.id, "revoke")}
        fields={{ key_id: String(entry.keyId) }}
      />
    </>
  );
}
