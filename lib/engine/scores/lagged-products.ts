import { elementOrNaN } from "@/lib/engine/column";
import type { MeanTest } from "./newey-west";
import { normalCdf } from "./normal";

/**
 * Sums over a series of vectors, and sums of products of vectors up to `lags` places apart. They determine the mean and
 * the serial correlation of any weighted sum of the components. `joinLaggedProducts` joins those of consecutive
 * periods, with the result of one pass over both, up to rounding.
 */
export interface AutocovarianceSums {
  width: number;
  lags: number;
  n: number;
  /** Sum of each component. */
  sums: Float64Array;
  /** For each lag k = 0..lags, row by row: sum over t of component a at t times component b at t - k. */
  products: Float64Array;
  /** The first vectors of the series; `tail` holds the last ones. At most `lags` of each, in order of time. */
  head: Float64Array;
  tail: Float64Array;
}

/**
 * The sums and products of one period.
 *
 * @param series n x width, row by row, in order of time
 */
export function laggedProducts(series: Float64Array, width: number, lags: number): AutocovarianceSums {
  const n = series.length / width;
  if (!Number.isInteger(n)) throw new RangeError("the series ends within a vector");
  const sums = new Float64Array(width);
  for (let i = 0; i < series.length; i++)
    sums[i % width] = elementOrNaN(sums, i % width) + elementOrNaN(series, i);
  const products = new Float64Array((lags + 1) * width * width);
  addProducts(products, series, series, { width, from: 0 });
  const kept = Math.min(n, lags) * width;
  return {
    width,
    lags,
    n,
    sums,
    products,
    head: series.slice(0, kept),
    tail: series.slice(series.length - kept),
  };
}

/** The sums and products of all vectors of `before` and then of `after`, both of the same width and lags. */
export function joinLaggedProducts(
  before: AutocovarianceSums,
  after: AutocovarianceSums,
): AutocovarianceSums {
  const { width, lags } = before;
  if (after.width !== width || after.lags !== lags)
    throw new RangeError("only series of the same kind can be joined");
  const products = before.products.slice();
  for (let i = 0; i < products.length; i++)
    products[i] = elementOrNaN(products, i) + elementOrNaN(after.products, i);
  // Pairs across the seam: each vector of the head with those before it.
  const seam = concat(before.tail, after.head);
  addProducts(products, seam, before.tail, { width, from: before.tail.length / width });
  return {
    width,
    lags,
    n: before.n + after.n,
    sums: before.sums.map((value, i) => value + elementOrNaN(after.sums, i)),
    products,
    head: concat(before.head, after.head).slice(0, lags * width),
    tail: concat(before.tail, after.tail).slice(-lags * width),
  };
}

/**
 * Adds, for each vector of `series` from index `from` on, its products with itself and with earlier vectors. `earlier`
 * holds these earlier vectors; it begins with the same vector as `series`.
 */
function addProducts(
  products: Float64Array,
  series: Float64Array,
  earlier: Float64Array,
  { width, from }: { width: number; from: number },
): void {
  const n = series.length / width;
  const nEarlier = earlier.length / width;
  const lags = products.length / (width * width) - 1;
  for (let t = from; t < n; t++) {
    for (let k = Math.max(0, t - nEarlier + 1); k <= Math.min(lags, t); k++) {
      const other = t - k;
      for (let a = 0; a < width; a++) {
        const value = elementOrNaN(series, t * width + a);
        if (value === 0) continue;
        for (let b = 0; b < width; b++) {
          const place = (k * width + a) * width + b;
          products[place] = elementOrNaN(products, place) + value * elementOrNaN(earlier, other * width + b);
        }
      }
    }
  }
}

function concat(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Means with a smaller magnitude are rounding errors of the sums. */
const ROUNDING = 1e-12;

/**
 * `neweyWestMeanTest` of the series u(t) = offset + weights . vector(t), from its sums alone.
 *
 * The autocovariance at lag k is (sum u(t) u(t-k) - mean (sum over t >= k + sum over t < n - k) + (n - k) mean^2) / n
 * of the series without its offset, which leaves covariances as they are.
 *
 * @returns null for fewer than two values
 */
export function neweyWestOfProducts(
  series: AutocovarianceSums,
  { weights, offset }: { weights: readonly number[]; offset: number },
): MeanTest | null {
  const { n, width } = series;
  if (n < 2) return null;
  const dot = (vectors: Float64Array, from: number) =>
    weights.reduce((sum, weight, a) => sum + weight * elementOrNaN(vectors, from + a), 0);
  const total = dot(series.sums, 0);
  const level = total / n;
  const maxLag = Math.min(series.lags, n - 1);
  const nTail = series.tail.length / width;
  let variance = 0;
  let [head, tail] = [0, 0];
  for (let k = 0; k <= maxLag; k++) {
    if (k > 0) {
      head += dot(series.head, (k - 1) * width);
      tail += dot(series.tail, (nTail - k) * width);
    }
    let product = 0;
    for (let a = 0; a < width; a++)
      product += (weights[a] ?? 0) * dot(series.products, (k * width + a) * width);
    const covariance = (product - level * (total - head + (total - tail)) + (n - k) * level * level) / n;
    variance += k === 0 ? covariance : 2 * (1 - k / (maxLag + 1)) * covariance;
  }
  const shifted = level + offset;
  const mean = Math.abs(shifted) < ROUNDING ? 0 : shifted;
  const standardError = Math.sqrt(Math.max(variance, 0) / n);
  const t = mean === 0 ? 0 : mean / standardError;
  return { n, mean, standardError, t, pAboveZero: 1 - normalCdf(t) };
}
