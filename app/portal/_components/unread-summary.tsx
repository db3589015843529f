import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { formatInstantOn } from "@/app/_components/times";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import type { UnreadSummary } from "@/lib/subscribers/unread-summary";

const MAX_NAMED = 3;

/** Events since the subscriber last pressed "Mark as seen", or since `unread.since` if that has never happened. */
export function UnreadSummaryCard({
  unread,
  hasEa,
  clock,
  now,
}: {
  unread: UnreadSummary;
  /** Without an EA no positions are reported. */
  hasEa: boolean;
  clock: WallClock;
  now: Date;
}) {
  const { champions, nResolved, nWins, totalR, nClosed, nWithPnl, totalPnl, nIncidents, nOpenIncidents } =
    unread;
  const named = champions.slice(0, MAX_NAMED).map(({ symbol, timeframe }) => `${symbol} ${timeframe}`);
  const more = champions.length - named.length;
  return (
    <Card
      title="Unread events"
      lead={
        unread.isMarked
          ? `Since ${formatInstantOn(clock, unread.since)}.`
          : `Since ${formatInstantOn(clock, unread.since)}, until you mark them as seen.`
      }
      actions={
        <PortalForms>
          <form action={paths.portalForm("seen")} method="post">
            <ShownSubscriptionField />
            <input type="hidden" name="until" value={now.toISOString()} />
            <Button type="submit">Mark as seen</Button>
          </form>
        </PortalForms>
      }
    >
      <dl className="grid gap-x-10 gap-y-4 text-sm sm:grid-cols-2">
        <div>
          <dt className="text-muted">Resolved signals</dt>
          <dd className="mt-0.5 font-medium">
            <a href={paths.portalRecord()} className="link">
              {formatNumber(nResolved)}
            </a>
            {nResolved > 0 && (
              <span className="font-normal text-muted">
                {": "}
                {formatNumber(nWins)} won, {formatSigned(totalR, 1)} R
              </span>
            )}
          </dd>
        </div>
        {hasEa && (
          <div>
            <dt className="text-muted">Your closed positions</dt>
            <dd className="mt-0.5 font-medium">
              <a href={paths.portalExecutionList({ state: "closed" })} className="link">
                {formatNumber(nClosed)}
              </a>
              {nWithPnl > 0 && (
                <span className="font-normal text-muted">
                  {": "}
                  <MoneyText value={Number(totalPnl)} mark={false} />
                </span>
              )}
            </dd>
          </div>
        )}
        <div>
          <dt className="text-muted">Models changed</dt>
          <dd className="mt-0.5 font-medium">
            {named.length === 0 ? "0" : `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`}
          </dd>
        </div>
        <div>
          <dt className="text-muted">Incidents</dt>
          <dd className="mt-0.5 font-medium">
            <a href={paths.status()} className="link">
              {formatNumber(nIncidents)}
            </a>
            {nOpenIncidents > 0 && (
              <span className="font-normal text-muted"> {formatNumber(nOpenIncidents)} open</span>
            )}
          </dd>
        </div>
      </dl>
    </Card>
  );
}
