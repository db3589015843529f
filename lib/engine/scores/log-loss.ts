import { at } from "@/lib/engine/column";

/**
 * Mean of -log(probability of what happened), natural logarithm; probabilities below 1e-15 count as that.
 *
 * @param probs n x 3, row by row; @param labels n class numbers 0..2
 */
export function logLoss3(probs: Float64Array, labels: ArrayLike<number>): number | null {
  const n = labels.length;
  if (probs.length !== 3 * n) throw new RangeError("three probabilities for each label");
  let sum = 0;
  for (let i = 0; i < n; i++) sum -= Math.log(Math.max(at(probs, 3 * i + (labels[i] ?? 0)), 1e-15));
  return n === 0 ? null : sum / n;
}
