import { Card } from "@/app/_components/card";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { OperatorVisit } from "@/db/queries/portal-views";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";

/** Lists when administrators viewed this portal, so that the subscriber knows of every view. */
export function OperatorVisitList({
  visits,
  clock,
  now,
}: {
  visits: readonly OperatorVisit[];
  clock: WallClock;
  now: Date;
}) {
  return (
    <Card
      title="Support access"
      lead={`To help you, the operator can view your portal for half an hour. They can change nothing and never see your key. Times in ${clockOffsetLabel(clock, now)}.`}
      flush
    >
      {visits.length === 0 ? (
        <p className="px-4 py-4 text-sm text-muted sm:px-6">None so far.</p>
      ) : (
        <ul className="divide-y text-sm">
          {visits.map((visit) => (
            <li key={visit.at.getTime()} className="px-4 py-3 sm:px-6">
              The operator viewed your portal on <PortalTime at={visit.at} clock={clock} />
              {visit.endedAt ? (
                <>
                  {" "}
                  until <PortalTime at={visit.endedAt} clock={clock} />.
                </>
              ) : visit.until > now ? (
                <> and may still be viewing it.</>
              ) : (
                <> for up to half an hour.</>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
