/**
 * Limits of the population stability index for windows of at least `n` values: above `watch` an administrator should
 * check the feature, above `drifted` it differs from training.
 */
export interface DriftLimits {
  n: number;
  watch: number;
  drifted: number;
}

/** How a feature was distributed in the training sample: `edges` divide the axis into `shares.length` bins. */
export interface FeatureStatistics {
  /** Inner edges, ascending; a value v falls in the bin numbered by how many edges are <= v. */
  edges: number[];
  /** Share of the known values in each bin, summing to 1; all 0 without known values. */
  shares: number[];
  /** Share of all values that were missing. */
  nullShare: number;
  /**
   * Limits of the population stability index for this feature, measured within the training sample, by ascending window
   * length; missing in older models.
   */
  drift?: DriftLimits[];
}

/** Smaller shares count as this, so that an empty bin does not make the index infinite. */
const SMALLEST_SHARE = 0.0001;

/**
 * Population stability index: sum over bins of (actual - expected) x ln(actual / expected).
 *
 * Below 0.10 the samples are alike, from 0.10 to 0.25 they need a check, above 0.25 they differ. Two samples of sizes n
 * and m from one distribution have an expected index of about (bins - 1) (1/n + 1/m): use at least a hundred values.
 *
 * @param expected counts or shares per bin in the training sample
 * @param actual the same bins now
 * @returns null if either side is empty
 */
export function populationStabilityIndex(
  expected: ArrayLike<number>,
  actual: ArrayLike<number>,
): number | null {
  if (expected.length !== actual.length) throw new RangeError("both sides have the same bins");
  const [expectedShares, actualShares] = [toShares(expected), toShares(actual)];
  if (expectedShares === null || actualShares === null) return null;
  return expectedShares.reduce((sum, e, i) => {
    const a = actualShares[i] ?? SMALLEST_SHARE;
    return sum + (a - e) * Math.log(a / e);
  }, 0);
}

function toShares(counts: ArrayLike<number>): number[] | null {
  const total = Array.from(counts).reduce((a, b) => a + b, 0);
  return total > 0 ? Array.from(counts, (count) => Math.max(count / total, SMALLEST_SHARE)) : null;
}

/**
 * Statistics of a training sample with bins of equal count (deciles by default; fewer where values repeat).
 *
 * @param values NaN marks a missing value
 */
export function featureStatistics(values: ArrayLike<number>, nBins = 10): FeatureStatistics {
  const known = Float64Array.from(values)
    .filter((v) => !Number.isNaN(v))
    .sort();
  const edges: number[] = [];
  for (let k = 1; k < nBins; k++) {
    const edge = known[Math.floor((k * known.length) / nBins)];
    if (edge !== undefined && edge > (edges.at(-1) ?? known[0] ?? edge)) edges.push(edge);
  }
  const counts = binCounts(edges, known);
  const nullShare = values.length === 0 ? 0 : (values.length - known.length) / values.length;
  return { edges, shares: counts.map((count) => (known.length === 0 ? 0 : count / known.length)), nullShare };
}

/** Counts of the known values between the edges of a training sample. */
export function binCounts(edges: readonly number[], values: Iterable<number>): number[] {
  const counts = new Array<number>(edges.length + 1).fill(0);
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    let bin = 0;
    while (bin < edges.length && value >= (edges[bin] ?? Number.POSITIVE_INFINITY)) bin++;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
