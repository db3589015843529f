import { Badge } from "@/app/_components/badge";
import { DirectionMark } from "@/app/_components/direction-mark";
import { MoneyText } from "@/app/_components/money-text";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { ExecutionRow } from "@/db/queries/portal-executions";
import { type Clock, clockName } from "@/lib/market/clock";

/** The list of positions on a phone: two lines each instead of nine columns. */
export function PositionCards({
  rows,
  clock,
  now,
}: {
  rows: readonly ExecutionRow[];
  clock: Clock;
  now: Date;
}) {
  return (
    <ul className="divide-y sm:hidden" aria-label={`Positions, times in ${clockName(clock, now)}`}>
      {rows.map((row) => (
        <li key={row.executionId} className="px-4 py-3">
          <div className="grid grid-cols-[minmax(0,1fr)_4.25rem_5.5rem] items-center gap-2 text-sm">
            <span className="font-medium break-words">
              {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>
            </span>
            <DirectionMark direction={row.signal} />
            <span className="text-right font-medium">
              {row.closedAt ? (
                <MoneyText value={row.pnl === null ? null : Number(row.pnl)} />
              ) : (
                <Badge tone="accent">open</Badge>
              )}
            </span>
          </div>
          <div className="mt-1 flex items-baseline justify-between gap-3 text-xs text-faint">
            <span>
              <PortalTime at={row.openedAt} clock={clock} now={now} />
              {row.closedAt && (
                <>
                  {" to "}
                  <PortalTime at={row.closedAt} clock={clock} now={now} />
                </>
              )}
            </span>
            <span className="shrink-0">{row.result ?? ""}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
