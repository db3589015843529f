import { elementOrNaN } from "@/lib/engine/column";

/**
 * Replaces `count` scores from `offset` on by exp(score) / sum(exp(score)), without overflow.
 *
 * @param scores changed in place
 */
export function softmaxInPlace(scores: Float64Array, offset: number, count: number): void {
  let highest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < count; k++) highest = Math.max(highest, elementOrNaN(scores, offset + k));
  let sum = 0;
  for (let k = 0; k < count; k++) {
    const e = Math.exp(elementOrNaN(scores, offset + k) - highest);
    scores[offset + k] = e;
    sum += e;
  }
  for (let k = 0; k < count; k++) scores[offset + k] = elementOrNaN(scores, offset + k) / sum;
}
