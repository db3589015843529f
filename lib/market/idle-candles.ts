import type { CalendarName, Timeframe } from "@/lib/vocabulary";
import { openMinutesBetween } from "./calendar";
import { type CandleSeries, candleAt, makeCandleSeries } from "./candles";
import { candleCloseMs } from "./timeframes";

/**
 * Whether a candle holds no information: it never moved and the market was closed throughout. Some vendors
 * fill weekends with such candles. A candle that moved in closed hours is an unexpected trade and counts.
 */
export function isIdleCandle(
  calendar: CalendarName,
  timeframe: Timeframe,
  candle: { ts: number; high: number; low: number },
): boolean {
  if (candle.high !== candle.low) return false;
  return openMinutesBetween(calendar, candle.ts, candleCloseMs(candle.ts, timeframe)) === 0;
}

/** A series without its idle candles; the same object if it has none. */
export function withoutIdleCandles(
  calendar: CalendarName,
  timeframe: Timeframe,
  candles: CandleSeries,
): CandleSeries {
  const rows = Array.from(candles.ts, (_, i) => candleAt(candles, i));
  const used = rows.filter((row) => !isIdleCandle(calendar, timeframe, row));
  return used.length === rows.length ? candles : makeCandleSeries(used);
}
