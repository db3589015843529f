/**
 * The deepest fall of a curve below its highest value so far. `values` in any unit, missing ones null; the curve starts
 * from `start` (0 for cumulative profit). Returns the depth as a positive amount with the index where it was reached,
 * or null without a fall.
 */
export function deepestDrawdown(
  values: readonly (number | null)[],
  start = 0,
): { depth: number; index: number } | null {
  let peak = start;
  let deepest: { depth: number; index: number } | null = null;
  values.forEach((value, index) => {
    if (value === null) return;
    if (value > peak) peak = value;
    if (peak - value > (deepest?.depth ?? 0)) deepest = { depth: peak - value, index };
  });
  return deepest;
}

/** The highest value so far at each place, from `start`. */
export function runningPeak(values: readonly (number | null)[], start = 0): number[] {
  let peak = start;
  return values.map((value) => {
    if (value !== null && value > peak) peak = value;
    return peak;
  });
}
