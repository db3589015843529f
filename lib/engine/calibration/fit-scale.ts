import { elementOrNaN } from "@/lib/engine/column";

const CLASSES = 3;

/**
 * The scale s in [low, high] of lowest mean log-loss of softmax(base + s v). The loss is convex in s; Newton
 * steps are kept inside a shrinking bracket.
 *
 * @param base three scores, the same for every row
 * @param directions v, n x 3, row by row
 * @param labels 0..2
 * @returns s; the end of the interval beyond which the loss still falls, if there is one; `high` for an empty sample
 */
export function fitScale(
  base: readonly number[],
  directions: Float64Array,
  labels: ArrayLike<number>,
  interval: { low: number; high: number },
): number {
  const baseScores = Float64Array.from(base);
  let { low, high } = interval;
  if (slopeAt(baseScores, directions, labels, low).slope >= 0) return labels.length === 0 ? high : low;
  if (slopeAt(baseScores, directions, labels, high).slope <= 0) return high;
  let s = (low + high) / 2;
  for (let step = 0; step < 60 && high - low > 1e-10; step++) {
    const { slope, curvature } = slopeAt(baseScores, directions, labels, s);
    if (slope > 0) high = s;
    else low = s;
    const newton = s - slope / curvature;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - s) < 1e-9) return next;
    s = next;
  }
  return s;
}

/**
 * First and second derivative, in s, of the summed log-loss: mean of v under the forecast less v of the
 * class, and variance of v.
 */
function slopeAt(
  base: Float64Array,
  directions: Float64Array,
  labels: ArrayLike<number>,
  s: number,
): { slope: number; curvature: number } {
  let slope = 0;
  let curvature = 0;
  for (let i = 0; i < labels.length; i++) {
    const offset = CLASSES * i;
    const [v0, v1, v2] = [
      elementOrNaN(directions, offset),
      elementOrNaN(directions, offset + 1),
      elementOrNaN(directions, offset + 2),
    ];
    const [z0, z1, z2] = [
      elementOrNaN(base, 0) + s * v0,
      elementOrNaN(base, 1) + s * v1,
      elementOrNaN(base, 2) + s * v2,
    ];
    const highest = Math.max(z0, z1, z2);
    const [e0, e1, e2] = [Math.exp(z0 - highest), Math.exp(z1 - highest), Math.exp(z2 - highest)];
    const sum = e0 + e1 + e2;
    const mean = (e0 * v0 + e1 * v1 + e2 * v2) / sum;
    const square = (e0 * v0 * v0 + e1 * v1 * v1 + e2 * v2 * v2) / sum;
    slope += mean - elementOrNaN(directions, offset + (labels[i] ?? 0));
    curvature += square - mean * mean;
  }
  return { slope, curvature: Math.max(curvature, 1e-12) };
}
