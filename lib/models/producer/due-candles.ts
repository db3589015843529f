import type { ProductionState, Slot } from "@/db/queries/slots";
import { isDemoSlot } from "@/lib/market/demo/demo-symbols";
import { isTimely } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";
import { env } from "@/lib/runtime/env";
import { addMs } from "@/lib/time";

/** Whether this slot's candles are simulated here, so that its past may be as well: every page says so. */
const isSimulated = (slot: Slot) => env().marketFeed === "demo" && isDemoSlot(slot);

/** Whether a signal made at `now` counts as live. Any other one is a backtest and is kept apart. */
export function countsAsLive(slot: Slot, closesAt: Date, now: Date): boolean {
  return isSimulated(slot) || isTimely(slot, closesAt, now);
}

/**
 * The candles that a slot's producer has to make a signal of: those later than `after` (null: all), as far as
 * `isDue` holds of their open time. null when there is none.
 *
 * A slot without any signal begins with its newest candle. After that every candle gets its signal that is timely, or
 * that closed while the champion was in office and this service was not running: such a one is recorded late and
 * marked. What came before the champion is history, whenever it is delivered.
 */
export function dueCandles(
  slot: ProductionState,
  now: Date,
): { after: Date | null; isDue: (ts: Date) => boolean } | null {
  if (slot.lastMadeTs !== null && slot.lastMadeTs >= slot.lastSettledTs) return null;
  if (isSimulated(slot)) return { after: slot.lastMadeTs, isDue: () => true };
  const isDue = (ts: Date) => {
    const closesAt = candleCloseAt(ts, slot.timeframe);
    return closesAt > slot.championSince || isTimely(slot, closesAt, now);
  };
  if (!isDue(slot.lastSettledTs)) return null;
  return { after: slot.lastMadeTs ?? addMs(slot.lastSettledTs, -1), isDue };
}
