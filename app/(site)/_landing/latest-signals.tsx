import { Card } from "@/app/_components/card";
import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { Timestamp } from "@/app/_components/timestamp";
import type { LatestShownSignal } from "@/db/queries/signals";
import { paths } from "@/lib/paths";
import { PUBLIC_DELAY_MINUTES } from "./delayed-signals";

/** The newest public signals, one line for each slot. */
export function LatestSignals({
  signals,
  recordShown,
}: {
  signals: readonly LatestShownSignal[];
  recordShown: boolean;
}) {
  return (
    <Card
      title="Latest signals"
      headingLevel="h3"
      lead={`Public signals are delayed by ${PUBLIC_DELAY_MINUTES} minutes. Subscribers get them as the candle closes. Times are the candle's opening.`}
      flush
    >
      <ul className="divide-y">
        {signals.map(({ symbol, timeframe, ts, signal, confidence }) => (
          <li
            key={`${symbol} ${timeframe}`}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3.5 sm:px-6"
          >
            <span className="min-w-24 font-medium break-words">
              {recordShown ? (
                // A plain link, because the page has no client-side router.
                <a href={paths.recordSlot(symbol, timeframe)} className="link">
                  {symbol} {timeframe}
                </a>
              ) : (
                `${symbol} ${timeframe}`
              )}
            </span>
            <span className="text-xs text-muted">
              <Timestamp at={ts} />
            </span>
            <span className="ml-auto flex items-center gap-3">
              {/* The confidence of NO TRADE is not a confidence in a trade. */}
              {signal !== "NO_TRADE" && <ConfidenceBar value={confidence} />}
              <DirectionMark direction={signal} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
