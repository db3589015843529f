/** Scales and ticks of charts. */

export type Domain = readonly [low: number, high: number];

/** Maps a domain linearly onto a range. A domain of width 0 maps onto the middle. */
export function linearScale([low, high]: Domain, [from, to]: Domain): (value: number) => number {
  if (high === low) return () => (from + to) / 2;
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** The step of 1, 2 or 5 times a power of ten that divides `extent` into about `count` parts. */
function niceStep(extent: number, count: number): number {
  const raw = extent / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power;
  // The borders are the geometric means between neighbouring steps.
  if (factor < Math.SQRT2) return power;
  if (factor < Math.sqrt(10)) return 2 * power;
  return factor < Math.sqrt(50) ? 5 * power : 10 * power;
}

/** Round values inside a domain, about `count` of them, lowest first. For a domain of width 0 its low end. */
export function niceTicks([low, high]: Domain, count = 4): number[] {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiplying an integer avoids the drift of repeated adding; the rounding removes 0.30000000000000004.
  return Array.from(
    { length: last - first + 1 },
    (_, index) => Number(((first + index) * step).toPrecision(12)) + 0,
  );
}

/**
 * The domain of some values with a margin (`air`, a share of its width) above and below. Without values it is 0..1, and
 * if all values are equal, the margin is 1. With `zero`, 0 is one more value, and there is no margin beyond a limit of
 * 0 unless all values are 0.
 */
export function paddedDomain(values: readonly number[], { zero = false, air = 0.08 } = {}): Domain {
  let low = zero ? 0 : Number.POSITIVE_INFINITY;
  let high = zero ? 0 : Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low)) return [0, 1];
  if (low === high) return [low - 1, high + 1];
  const pad = (high - low) * air;
  return [low === 0 && zero ? 0 : low - pad, high === 0 && zero ? 0 : high + pad];
}

/** Number of decimals needed to tell ticks apart that have equal distances, at most 8. */
export function tickDigits(ticks: readonly number[]): number {
  const [first, second] = ticks;
  if (first === undefined || second === undefined) return 0;
  return Math.min(8, Math.max(0, Math.ceil(-Math.log10(Math.abs(second - first)) - 1e-9)));
}

/**
 * Indices of at most `count` labels out of `length`, at equal steps from the first: for a fixed order, such as hours.
 */
export function steppedIndices(length: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(length / count));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}
