import { elementOrNaN } from "@/lib/engine/column";
import { normalCdf } from "./normal";

export interface MeanTest {
  n: number;
  mean: number;
  /** Standard error of the mean, allowing for serial correlation up to `lags`. */
  standardError: number;
  /** mean / standardError; 0 when the mean is 0. */
  t: number;
  /** One-sided p value of the null hypothesis that the true mean is not above zero, by the normal approximation. */
  pAboveZero: number;
}

/**
 * Test of the mean of a serially correlated series, with the Newey-West variance.
 *
 * var(mean) = (g0 + 2 sum_{k=1..L} (1 - k/(L+1)) gk) / n, gk the autocovariance at lag k (divided by n). Labels of
 * neighbouring candles share most of their horizon: the naive variance would reject several times too often.
 *
 * @param values in order of time; @param lags L, cut to n - 1
 * @returns null for fewer than two values
 * @see Newey and West, Econometrica 55 (1987), Bartlett weights
 */
export function neweyWestMeanTest(values: ArrayLike<number>, lags: number): MeanTest | null {
  const n = values.length;
  if (n < 2) return null;
  if (!Number.isInteger(lags) || lags < 0) throw new RangeError("lags is an integer of at least 0");
  const centred = Float64Array.from(values);
  const mean = centred.reduce((a, b) => a + b, 0) / n;
  for (let i = 0; i < n; i++) centred[i] = elementOrNaN(centred, i) - mean;

  const maxLag = Math.min(lags, n - 1);
  let variance = autocovariance(centred, 0);
  for (let k = 1; k <= maxLag; k++) variance += 2 * (1 - k / (maxLag + 1)) * autocovariance(centred, k);

  const standardError = Math.sqrt(Math.max(variance, 0) / n);
  const t = mean === 0 ? 0 : mean / standardError;
  return { n, mean, standardError, t, pAboveZero: 1 - normalCdf(t) };
}

function autocovariance(centred: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < centred.length; i++) sum += elementOrNaN(centred, i) * elementOrNaN(centred, i - lag);
  return sum / centred.length;
}
