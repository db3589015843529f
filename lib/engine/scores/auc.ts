/**
 * Area under the ROC curve: the probability that a random positive scores above a random negative, ties half.
 *
 * Mann-Whitney's U from mid-ranks, O(n log n).
 *
 * @param scores one per case; @param isPositive same length
 * @returns 0..1, or null when one of the groups is empty
 * @see Hanley and McNeil, Radiology 143 (1982)
 */
export function aucBinary(scores: ArrayLike<number>, isPositive: ArrayLike<boolean | number>): number | null {
  const n = scores.length;
  if (isPositive.length !== n) throw new RangeError("expected one score per case");
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));

  let positives = 0;
  let rankSum = 0;
  for (let start = 0; start < n; ) {
    let end = start + 1;
    const value = scores[order[start] ?? 0];
    while (end < n && scores[order[end] ?? 0] === value) end++;
    const midRank = (start + 1 + end) / 2;
    for (let k = start; k < end; k++) {
      if (isPositive[order[k] ?? 0]) {
        positives++;
        rankSum += midRank;
      }
    }
    start = end;
  }
  const negatives = n - positives;
  if (positives === 0 || negatives === 0) return null;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
