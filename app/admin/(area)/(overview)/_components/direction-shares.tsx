import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber, formatShare } from "@/app/_components/figures";
import type { DirectionCounts } from "@/db/queries/signal-history";
import { DIRECTIONS } from "@/lib/vocabulary";

const STYLES = { BUY: "fill-up", SELL: "fill-down", NO_TRADE: "fill-edge/50" } as const;
const MARK_HEIGHT = 14;

/** Shares of the directions in the last day, each next to its share of the last 30 days (the tick on its bar). */
export function DirectionShares({ day, month }: { day: DirectionCounts; month: DirectionCounts }) {
  const total = (counts: DirectionCounts) => counts.BUY + counts.SELL + counts.NO_TRADE;
  const share = (counts: DirectionCounts, direction: keyof DirectionCounts) =>
    total(counts) === 0 ? null : counts[direction] / total(counts);
  return (
    <ul className="space-y-4">
      {DIRECTIONS.map((direction) => {
        const now = share(day, direction);
        const usual = share(month, direction);
        return (
          <li key={direction}>
            <div className="flex items-baseline justify-between gap-3 text-sm">
              <DirectionMark direction={direction} />
              <span className="tabular-nums">
                <span className="font-medium">{formatNumber(day[direction])}</span>
                <span className="text-muted">
                  {" · "}
                  {now === null ? "no signal in 24 h" : formatShare(now, 1)}
                  {usual !== null && `, 30 d ${formatShare(usual, 1)}`}
                </span>
              </span>
            </div>
            <svg width="100%" height={MARK_HEIGHT} aria-hidden="true" className="mt-1 block overflow-visible">
              <rect y="4" width="100%" height="6" rx="3" className="fill-line/70" />
              <rect
                y="4"
                width={`${((now ?? 0) * 100).toFixed(2)}%`}
                height="6"
                rx="3"
                className={STYLES[direction]}
              />
              {usual !== null && (
                <rect
                  x={`${(usual * 100).toFixed(2)}%`}
                  y="0"
                  width="2"
                  height={MARK_HEIGHT}
                  className="fill-ink"
                />
              )}
            </svg>
          </li>
        );
      })}
    </ul>
  );
}
