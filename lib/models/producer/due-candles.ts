import type { SignalProductionState, Slot } from "@/db/queries/slots";
import { isTimely } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { addMs } from "@/lib/time";

/**
 * Whether a signal that this service makes at `now` for the candle that closed at `closesAt` counts as live: it is
 * timely, or the market is simulated. Its other signals are stored as backfilled and do not count in the record.
 */
export function countsAsLive(slot: Slot, closesAt: Date, now: Date): boolean {
  return isSimulated(slot) || isTimely(slot, closesAt, now);
}

/**
 * The candles that need a signal: those that open later than `after` (null: all) and whose open time satisfies `isDue`.
 * Null if there are none.
 *
 * A slot without a signal starts with its newest candle. A candle gets a signal if the signal is timely, or if the
 * candle closed after the present champion was chosen, for example while the service was down. A signal that is not
 * timely is stored as backfilled. On a simulated market every candle after `after` gets a signal.
 */
export function dueCandleRange(
  slot: SignalProductionState,
  now: Date,
): { after: Date | null; isDue: (ts: Date) => boolean } | null {
  if (slot.lastMadeTs !== null && slot.lastMadeTs >= slot.lastSettledTs) return null;
  // Pages mark the figures of a simulated market, so signals for its past candles are not misleading.
  if (isSimulated(slot)) return { after: slot.lastMadeTs, isDue: () => true };
  const isDue = (ts: Date) => {
    const closesAt = candleCloseAt(ts, slot.timeframe);
    return closesAt > slot.championSince || isTimely(slot, closesAt, now);
  };
  if (!isDue(slot.lastSettledTs)) return null;
  return { after: slot.lastMadeTs ?? addMs(slot.lastSettledTs, -1), isDue };
}
