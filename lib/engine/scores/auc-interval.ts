import { neweyWestMeanTest } from "./newey-west";

export interface AucEstimate {
  auc: number;
  /** 95 % interval that allows for serial correlation. */
  interval: [number, number];
  n: number;
}

/**
 * AUC with a 95 % interval that allows for overlapping cases.
 *
 * Each positive's share of negatives below it and each negative's share of positives above it (DeLong's components)
 * make one influence value per case; its Newey-West variance in order of time is the variance of the AUC.
 *
 * @param scores in order of time; @param isPositive same length; @param lags of the Newey-West variance
 * @returns null when a group is empty
 * @see DeLong, DeLong, Clarke-Pearson, Biometrics 44 (1988)
 */
export function aucWithInterval(
  scores: ArrayLike<number>,
  isPositive: ArrayLike<boolean>,
  lags: number,
): AucEstimate | null {
  const n = scores.length;
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  let positives = 0;
  for (let i = 0; i < n; i++) if (isPositive[i]) positives++;
  const negatives = n - positives;
  if (positives === 0 || negatives === 0) return null;

  const component = new Float64Array(n);
  let positivesBelow = 0;
  let negativesBelow = 0;
  for (let start = 0; start < n; ) {
    let end = start + 1;
    const value = scores[order[start] ?? 0];
    while (end < n && scores[order[end] ?? 0] === value) end++;
    const tied = order.slice(start, end);
    const tiedPositives = tied.filter((i) => isPositive[i]).length;
    const tiedNegatives = tied.length - tiedPositives;
    for (const i of tied) {
      component[i] = isPositive[i]
        ? (negativesBelow + tiedNegatives / 2) / negatives
        : (positives - positivesBelow - tiedPositives + tiedPositives / 2) / positives;
    }
    positivesBelow += tiedPositives;
    negativesBelow += tiedNegatives;
    start = end;
  }

  let auc = 0;
  for (let i = 0; i < n; i++) if (isPositive[i]) auc += (component[i] ?? 0) / positives;
  const influence = component.map((c, i) => ((c - auc) * n) / (isPositive[i] ? positives : negatives));
  const half = 1.959963984540054 * (neweyWestMeanTest(influence, lags)?.standardError ?? 0);
  return { auc, interval: [Math.max(0, auc - half), Math.min(1, auc + half)], n };
}
