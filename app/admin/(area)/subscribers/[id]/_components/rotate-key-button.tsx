import { ActionDialog } from "@/app/admin/_components/action-controls";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** Rotates a working key, after a confirmation. */
export function RotateKeyButton({
  subscription,
  entry,
}: {
  subscription: { id: number; userName: string; email: string | null };
  entry: SubscriberKey;
}) {
  return (
    <ActionDialog
      needs="key.replace"
      trigger="Rotate key"
      triggerVariant="secondary"
      title={`Rotate the key of ${subscription.userName}?`}
      consequence={
        <>
          The key <span className="font-mono">{entry.hint}</span> stops at the next request: the EA is refused
          until the new one is pasted. The new key is shown to you once
          {subscription.email ? ` and mailed to ${subscription.email}` : ""}.
        </>
      }
      confirmLabel="Rotate key"
      action={adminPaths.subscriberForm(subscription.id, "replace")}
      fields={{ key_id: String(entry.keyId) }}
    />
  );
}
