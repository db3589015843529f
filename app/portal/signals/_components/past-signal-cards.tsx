import { MoneyText } from "@/app/_components/money-text";
import { ProbabilityBar } from "@/app/_components/probability-bar";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { SignalHistoryRow } from "@/db/queries/signal-history";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { PastSignalDirection } from "./past-signal-direction";

/** Past signals on a phone: two lines and the probabilities each. */
export function PastSignalCards({
  rows,
  clock,
  now,
  withSlot,
}: {
  rows: readonly SignalHistoryRow[];
  clock: WallClock;
  now: Date;
  withSlot: boolean;
}) {
  return (
    <ul className="divide-y sm:hidden" aria-label={`Past signals, times in ${clockOffsetLabel(clock, now)}`}>
      {rows.map((row) => (
        <li key={row.predId} className="px-4 py-3">
          <div className="flex items-center justify-between gap-3">
            <span className="text-sm">
              {withSlot && (
                <span className="font-medium">
                  {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>{" "}
                </span>
              )}
              <span className={withSlot ? "text-xs text-faint" : "font-medium"}>
                <PortalTime at={row.ts} clock={clock} now={now} />
              </span>
            </span>
            <PastSignalDirection row={row} />
          </div>
          <div className="mt-2">
            <ProbabilityBar buy={row.probBuy} no={row.probNo} sell={row.probSell} />
          </div>
          {row.resultR !== null && (
            <p className="mt-1 text-xs text-faint">
              Result <MoneyText value={row.resultR} unit="R" />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
