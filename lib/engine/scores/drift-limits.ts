import { at } from "@/lib/engine/column";
import {
  binCounts,
  type DriftLimits,
  type FeatureStatistics,
  populationStabilityIndex,
} from "./population-stability";

/** Lengths of windows that limits are made for; a window between two uses those of the shorter one. */
const LENGTHS: readonly number[] = [100, 200, 500];
/** With fewer windows side by side, their spread is no measure. */
const MIN_WINDOWS = 5;
/** Quantiles of a normal law that are passed by 10 % and by 2.5 %. */
const Z = { watch: 1.2816, drifted: 1.96 } as const;

/**
 * From which population stability index on a window of a feature is unlike the training sample's own windows.
 *
 * Hours are alike to their neighbours: a window of 500 is a few weeks of one season and differs from twelve years without any
 * change. The logarithm of the index of the sample's windows, side by side, is taken as normal; the limits are those that
 * a further window would pass in 10 % and 2.5 %, allowing for how few windows there were, and not below the largest but
 * 10 % and 2.5 % of the windows seen.
 *
 * @param values the training sample in order of time; NaN marks a missing value
 */
export function driftLimits(values: Float64Array, statistics: FeatureStatistics): DriftLimits[] {
  return LENGTHS.flatMap((length) => {
    const logs: number[] = [];
    for (let from = 0; from + length <= values.length; from += length) {
      const window = Array.from({ length }, (_, i) => at(values, from + i));
      const psi = populationStabilityIndex(statistics.shares, binCounts(statistics.edges, window));
      if (psi !== null) logs.push(Math.log(Math.max(psi, 1e-6)));
    }
    const n = logs.length;
    if (n < MIN_WINDOWS) return [];
    const mean = logs.reduce((a, b) => a + b, 0) / n;
    const sd = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (n - 1));
    logs.sort((a, b) => a - b);
    const limit = (z: number, share: number) =>
      Math.exp(
        Math.max(
          mean + studentQuantile(z, n - 1) * sd * Math.sqrt(1 + 1 / n),
          logs[Math.min(n - 1, Math.floor((1 - share) * n))] ?? mean,
        ),
      );
    return [{ n: length, watch: limit(Z.watch, 0.1), drifted: limit(Z.drifted, 0.025) }];
  });
}

/**
 * Quantile of Student's law at that of the normal one, to a hundredth from 4 degrees of freedom on.
 *
 * @see Abramowitz and Stegun 26.7.5
 */
function studentQuantile(z: number, degrees: number): number {
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / degrees + g2 / degrees ** 2 + g3 / degrees ** 3;
}
