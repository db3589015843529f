import { Card } from "@/app/_components/card";
import { SignalTape, type TapeSignal } from "@/app/_components/chart/signal-tape";
import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { DirectionMark } from "@/app/_components/direction-mark";
import { EmptyState } from "@/app/_components/empty-state";
import { Timestamp } from "@/app/_components/timestamp";

/** One slot as visitors see it: its newest shown direction and the tape before it. */
export function SlotPanel({
  symbol,
  timeframe,
  signals,
  delayMinutes,
  marketOpen,
  simulated,
}: {
  symbol: string;
  timeframe: string;
  /** Oldest first, already delayed. */
  signals: readonly TapeSignal[];
  delayMinutes: number;
  /** Whether the symbol trades now: while it does not, the newest signal stays the newest. */
  marketOpen: boolean;
  simulated: boolean;
}) {
  const newest = signals.at(-1);
  return (
    <Card
      title={`${symbol} ${timeframe}`}
      headingLevel="h3"
      lead={
        newest ? (
          <>
            Candle of <Timestamp at={newest.at} />, shown {delayMinutes} min late
            {!marketOpen && "; the market is closed"}
          </>
        ) : undefined
      }
    >
      {newest ? (
        <>
          <div className="mb-6 flex flex-wrap items-center justify-between gap-4">
            <DirectionMark direction={newest.direction} size="large" />
            <ConfidenceBar value={newest.confidence} />
          </div>
          <SignalTape slot={`${symbol} ${timeframe}`} signals={signals} simulated={simulated} />
        </>
      ) : (
        <EmptyState title="No signal to show yet">
          The first appears {delayMinutes} minutes after its candle has closed.
        </EmptyState>
      )}
    </Card>
  );
}
