import { elementOrNaN } from "./column";

// Every window is summed from scratch: a running sum would carry the rounding of all earlier candles, and a
// series that starts later would give other bits.

/** Mean of the last `window` values at each index; NaN before index `window - 1`. */
export function rollingMean(values: Float64Array, window: number): Float64Array {
  const means = new Float64Array(values.length).fill(Number.NaN);
  for (let i = window - 1; i < values.length; i++) {
    let sum = 0;
    for (let j = i - window + 1; j <= i; j++) sum += elementOrNaN(values, j);
    means[i] = sum / window;
  }
  return means;
}

/** Population standard deviation (divisor `window`) of the last `window` values; NaN before index `window - 1`. */
export function rollingDeviation(values: Float64Array, window: number): Float64Array {
  const means = rollingMean(values, window);
  const deviations = new Float64Array(values.length).fill(Number.NaN);
  for (let i = window - 1; i < values.length; i++) {
    let squares = 0;
    for (let j = i - window + 1; j <= i; j++)
      squares += (elementOrNaN(values, j) - elementOrNaN(means, i)) ** 2;
    deviations[i] = Math.sqrt(squares / window);
  }
  return deviations;
}

/** Highest of the last `window` values; NaN before index `window - 1`. */
export function rollingHighest(values: Float64Array, window: number): Float64Array {
  const highest = new Float64Array(values.length).fill(Number.NaN);
  for (let i = window - 1; i < values.length; i++) {
    let top = Number.NEGATIVE_INFINITY;
    for (let j = i - window + 1; j <= i; j++) top = Math.max(top, elementOrNaN(values, j));
    highest[i] = top;
  }
  return highest;
}

/** Lowest of the last `window` values; NaN before index `window - 1`. */
export function rollingLowest(values: Float64Array, window: number): Float64Array {
  return rollingHighest(
    values.map((v) => -v),
    window,
  ).map((v) => -v);
}

/**
 * Slope of the least-squares line through the last `window` values, per step; NaN before index `window - 1`.
 */
export function rollingSlope(values: Float64Array, window: number): Float64Array {
  const slopes = new Float64Array(values.length).fill(Number.NaN);
  const centre = (window - 1) / 2;
  const spread = (window * (window * window - 1)) / 12;
  for (let i = window - 1; i < values.length; i++) {
    let sum = 0;
    for (let k = 0; k < window; k++) sum += (k - centre) * elementOrNaN(values, i - window + 1 + k);
    slopes[i] = sum / spread;
  }
  return slopes;
}

/** The column delayed by `steps`: at each index the value of `steps` candles ago; NaN where there is none. */
export function delayColumn(values: Float64Array, steps: number): Float64Array {
  const moved = new Float64Array(values.length).fill(Number.NaN);
  moved.set(values.subarray(0, Math.max(0, values.length - steps)), Math.min(steps, values.length));
  return moved;
}
