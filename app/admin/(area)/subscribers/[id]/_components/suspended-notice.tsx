import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { formatDay } from "@/app/_components/times";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { adminPaths } from "@/lib/paths";

/** A notice about a suspended key, with the button that reinstates it. */
export function SuspendedNotice({ id, entry, since }: { id: number; entry: SubscriberKey; since: Date }) {
  return (
    <Notice
      tone="warn"
      title={`Suspended since ${formatDay(since)}`}
      actions={
        <ActionForm needs="key.reinstate" action={adminPaths.subscriberForm(id, "reinstate")}>
          <input type="hidden" name="key_id" value={entry.keyId} />
          <Button type="submit" size="small">
            Reinstate
          </Button>
        </ActionForm>
      }
    >
      Requests with the key <span className="font-mono">{entry.hint}</span> are refused. After reinstatement
      the same key works again. Payments extend it meanwhile.
    </Notice>
  );
}
