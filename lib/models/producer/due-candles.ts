import type { ProductionState, Slot } from "@/db/queries/slots";
import { isTimely } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { addMs } from "@/lib/time";

/**
 * Whether a signal that is made at `now` for the candle that closed at `closesAt` counts as live: it is timely, or the
 * market is simulated. Other signals are stored as backfilled and do not count in the record.
 */
export function countsAsLive(slot: Slot, closesAt: Date, now: Date): boolean {
  return isSimulated(slot) || isTimely(slot, closesAt, now);
}

/**
 * The candles that need a signal: those that open later than `after` (null: all) and whose open time satisfies `isDue`.
 * Null if there are none.
 *
 * A slot without a signal starts with its newest candle. Later candles get a signal if it is timely, or if they closed
 * after the present champion was chosen: while the service was down, for example. Such a signal is stored as
 * backfilled. On a simulated market every candle after `after` gets one.
 */
export function dueCandleRange(
  slot: ProductionState,
  now: Date,
): { after: Date | null; isDue: (ts: Date) => boolean } | null {
  if (slot.lastMadeTs !== null && slot.lastMadeTs >= slot.lastSettledTs) return null;
  // Every page shows that the market is simulated, so signals for its past candles are not misleading.
  if (isSimulated(slot)) return { after: slot.lastMadeTs, isDue: () => true };
  const isDue = (ts: Date) => {
    const closesAt = candleCloseAt(ts, slot.timeframe);
    return closesAt > slot.championSince || isTimely(slot, closesAt, now);
  };
  if (!isDue(slot.lastSettledTs)) return null;
  return { after: slot.lastMadeTs ?? addMs(slot.lastSettledTs, -1), isDue };
}
