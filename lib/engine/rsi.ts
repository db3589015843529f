import { elementOrNaN } from "./column";

/**
 * Relative strength index after Wilder, 0..100.
 *
 * The first averages are the means of the first `period` gains and losses, then ((period-1) average + new) / period. It
 * is 50 if there was no gain and no loss.
 *
 * @param close closing prices, oldest first
 * @returns one value per candle, NaN before index `period`
 * @see Welles Wilder, New Concepts in Technical Trading Systems (1978)
 */
export function wilderRsi(close: Float64Array, period: number): Float64Array {
  if (!Number.isInteger(period) || period < 1)
    throw new RangeError("the period of an RSI is a positive integer");
  const rsi = new Float64Array(close.length).fill(Number.NaN);
  let gain = 0;
  let loss = 0;
  for (let i = 1; i < close.length; i++) {
    const change = elementOrNaN(close, i) - elementOrNaN(close, i - 1);
    const up = Math.max(change, 0);
    const down = Math.max(-change, 0);
    if (i <= period) {
      gain += up / period;
      loss += down / period;
    } else {
      gain = ((period - 1) * gain + up) / period;
      loss = ((period - 1) * loss + down) / period;
    }
    if (i >= period) rsi[i] = gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
  }
  return rsi;
}
