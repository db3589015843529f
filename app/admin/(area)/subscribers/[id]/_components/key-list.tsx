import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { Timestamp } from "@/app/_components/timestamp";
import { AccessPill } from "@/app/admin/(area)/subscribers/_components/access-pill";
import { TryOutBadge } from "@/app/admin/(area)/subscribers/_components/try-out-badge";
import type { SubscriberKey } from "@/db/queries/subscribers";
import { planTitle } from "@/lib/access/plans";
import { keyAccessState } from "@/lib/admin/key-access-state";

/** Every key of a subscriber by its hint, newest first. */
export function KeyList({ keys, now }: { keys: readonly SubscriberKey[]; now: Date }) {
  return (
    <Card title="Keys" flush>
      <ul className="divide-y text-sm">
        {keys.map((each) => (
          <li
            key={each.keyId}
            className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3 sm:px-6"
          >
            <span className="font-mono">{each.hint}</span>
            <span className="text-faint">key {each.keyId}</span>
            <Badge>{planTitle(each.planTier)}</Badge>
            <TryOutBadge delayCandles={each.delayCandles} />
            <KeyStateLabel entry={each} now={now} />
            <span className="text-muted">
              created <Timestamp at={each.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function KeyStateLabel({ entry, now }: { entry: SubscriberKey; now: Date }) {
  if (entry.rotatedAt)
    return (
      <span className="text-muted">
        rotated <Timestamp at={entry.rotatedAt} />
      </span>
    );
  if (entry.revokedAt)
    return (
      <span className="text-muted">
        revoked <Timestamp at={entry.revokedAt} />
      </span>
    );
  return <AccessPill state={keyAccessState(entry, now)} />;
}
