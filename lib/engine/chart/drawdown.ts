/**
 * Maximum drawdown of a running sum, which starts at 0.
 *
 * @param values the running sum at each step, in any unit; null where it is missing
 * @returns the depth as a positive amount, and the index where it was reached; null if the sum never falls below a peak
 */
export function deepestDrawdown(values: Iterable<number | null>): { depth: number; index: number } | null {
  let peak = 0;
  let index = 0;
  let deepest: { depth: number; index: number } | null = null;
  for (const value of values) {
    if (value !== null) {
      peak = Math.max(peak, value);
      if (peak - value > (deepest?.depth ?? 0)) deepest = { depth: peak - value, index };
    }
    index++;
  }
  return deepest;
}

/** The highest value so far of a running sum that starts at 0, at each step; null marks a missing value. */
export function runningPeak(values: readonly (number | null)[]): number[] {
  let peak = 0;
  return values.map((value) => {
    if (value !== null && value > peak) peak = value;
    return peak;
  });
}
