import type { CandleSeries } from "@/lib/market/candles";
import { elementOrNaN } from "./column";

/**
 * Number of candles before a signal's candle that are read to compute its ATR(14). With this many, the first ATR of the
 * series weighs less than 1e-15 in it.
 */
export const ATR_HISTORY_CANDLES = 500;

/**
 * Average true range after Wilder, in price units.
 *
 * TR[0] = high - low; TR[i] = max(high - low, |high - close[i-1]|, |low - close[i-1]|). ATR[period-1] = mean of the
 * first `period` true ranges; ATR[i] = ((period-1) ATR[i-1] + TR[i]) / period. TA-Lib starts one candle later; the
 * difference shrinks by the factor (period-1)/period with each candle.
 *
 * @returns one value per candle, NaN before index `period - 1`
 * @see Welles Wilder, New Concepts in Technical Trading Systems (1978)
 */
export function wilderAtr(
  candles: Pick<CandleSeries, "high" | "low" | "close">,
  period: number,
): Float64Array {
  if (!Number.isInteger(period) || period < 1)
    throw new RangeError("the period of an ATR is a positive integer");
  const { high, low, close } = candles;
  const n = close.length;
  const atr = new Float64Array(n).fill(Number.NaN);

  let sum = 0;
  for (let i = 0; i < n; i++) {
    const trueRange = trueRangeAt(high, low, close, i);
    if (i < period) {
      sum += trueRange;
      if (i === period - 1) atr[i] = sum / period;
    } else {
      atr[i] = ((period - 1) * elementOrNaN(atr, i - 1) + trueRange) / period;
    }
  }
  return atr;
}

/** True range of every candle, in price units: see {@link wilderAtr}. */
export function trueRanges(candles: Pick<CandleSeries, "high" | "low" | "close">): Float64Array {
  return Float64Array.from(candles.close, (_, i) => trueRangeAt(candles.high, candles.low, candles.close, i));
}

function trueRangeAt(high: Float64Array, low: Float64Array, close: Float64Array, i: number): number {
  const range = elementOrNaN(high, i) - elementOrNaN(low, i);
  if (i === 0) return range;
  const previous = elementOrNaN(close, i - 1);
  return Math.max(
    range,
    Math.abs(elementOrNaN(high, i) - previous),
    Math.abs(elementOrNaN(low, i) - previous),
  );
}
