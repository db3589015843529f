import { elementOrNaN } from "@/lib/engine/column";

/**
 * Three-class Brier terms: for each forecast the sum of the three squared errors, 0..2.
 *
 * @param probs n x 3, row by row, in the order BUY, SELL, NO_TRADE; @param labels n class numbers 0..2
 * @see Glenn Brier, Monthly Weather Review 78 (1950)
 */
export function brierTerms(probs: Float64Array, labels: ArrayLike<number>): Float64Array {
  const n = labels.length;
  if (probs.length !== 3 * n) throw new RangeError("expected three probabilities per label");
  const terms = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const error = elementOrNaN(probs, 3 * i + k) - (labels[i] === k ? 1 : 0);
      sum += error * error;
    }
    terms[i] = sum;
  }
  return terms;
}
