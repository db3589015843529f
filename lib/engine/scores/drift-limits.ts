import { elementOrNaN } from "@/lib/engine/column";
import {
  binCounts,
  type DriftLimits,
  type FeatureStatistics,
  populationStabilityIndex,
} from "./population-stability";

/** Window lengths, in values, for which limits are computed. A window of another length uses the next shorter one. */
const LENGTHS: readonly number[] = [100, 200, 500];
/** With fewer windows of a length there are no limits for it, because their spread cannot be estimated. */
const MIN_WINDOWS = 5;
/** Normal quantiles exceeded by 10 % and by 2.5 %. */
const Z = { watch: 1.2816, drifted: 1.96 } as const;

/**
 * Limits of the population stability index above which a window of a feature's values differs more from the training
 * sample than most windows of the training sample itself do.
 *
 * Neighbouring candles are alike: 500 hours are a few weeks of one season and differ from twelve years although the
 * market has not changed. The log index of the sample's consecutive windows is treated as normal. The limits are those
 * that another window would exceed in 10 % (`watch`) and 2.5 % (`drifted`) of cases, with the number of windows taken
 * into account, and at least the observed 90 % and 97.5 % quantiles.
 *
 * @param values the training sample in order of time; NaN marks a missing value
 */
export function driftLimits(values: Float64Array, statistics: FeatureStatistics): DriftLimits[] {
  return LENGTHS.flatMap((length) => {
    const logs: number[] = [];
    for (let from = 0; from + length <= values.length; from += length) {
      const window = Array.from({ length }, (_, i) => elementOrNaN(values, from + i));
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
 * Quantile of Student's t distribution at a normal quantile, accurate to a hundredth from 4 degrees of
 * freedom.
 *
 * @see Abramowitz and Stegun 26.7.5
 */
function studentQuantile(z: number, degrees: number): number {
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / degrees + g2 / degrees ** 2 + g3 / degrees ** 3;
}
