import { elementOrNaN } from "@/lib/engine/column";
import { brierTerms } from "./brier";
import { binsOfCells, CELL_COUNT, cellOf } from "./calibration-cells";
import { type CalibrationMeasurement, topClass } from "./calibration-error";
import {
  type AutocovarianceSums,
  joinLaggedProducts,
  laggedProducts,
  neweyWestOfProducts,
} from "./lagged-products";
import type { MeanTest } from "./newey-west";

/** Newey-West lags: labels of neighbouring candles share their horizon, and 48 lags cover four horizons. */
export const NEWEY_WEST_LAGS = 48;
/** Number of values summed per forecast: its Brier term, 1 if the outcome was BUY, and 1 if it was SELL. */
export const VALUES_PER_FORECAST = 3;

/**
 * Sums from which all scores of a model's forecasts can be computed. Consecutive periods are tallied separately and
 * joined in order; the scores equal those of one pass over all forecasts, up to rounding.
 */
export interface ForecastTally {
  /**
   * Number of forecasts by cell of their highest probability; `confidence` is the sum of that probability, `hits` the
   * number that came true.
   */
  n: Float64Array;
  confidence: Float64Array;
  hits: Float64Array;
  terms: AutocovarianceSums;
}

/**
 * Tallies forecasts.
 *
 * @param probs n x 3 in the order BUY, SELL, NO_TRADE, by time of the candle; @param labels n class numbers 0..2
 */
export function tallyForecasts(probs: Float64Array, labels: ArrayLike<number>): ForecastTally {
  const n = new Float64Array(CELL_COUNT);
  const confidence = new Float64Array(CELL_COUNT);
  const hits = new Float64Array(CELL_COUNT);
  const brier = brierTerms(probs, labels);
  const series = new Float64Array(VALUES_PER_FORECAST * labels.length);
  for (let i = 0; i < labels.length; i++) {
    const top = topClass(probs, 3 * i);
    const value = elementOrNaN(probs, 3 * i + top);
    const cell = cellOf(value);
    n[cell] = elementOrNaN(n, cell) + 1;
    confidence[cell] = elementOrNaN(confidence, cell) + value;
    if (labels[i] === top) hits[cell] = elementOrNaN(hits, cell) + 1;
    series[VALUES_PER_FORECAST * i] = elementOrNaN(brier, i);
    series[VALUES_PER_FORECAST * i + 1] = labels[i] === 0 ? 1 : 0;
    series[VALUES_PER_FORECAST * i + 2] = labels[i] === 1 ? 1 : 0;
  }
  return { n, confidence, hits, terms: laggedProducts(series, VALUES_PER_FORECAST, NEWEY_WEST_LAGS) };
}

/** The tally of all forecasts of `before` and then of `after`. */
export function joinForecastTallies(before: ForecastTally, after: ForecastTally): ForecastTally {
  const sum = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + elementOrNaN(b, i));
  return {
    n: sum(before.n, after.n),
    confidence: sum(before.confidence, after.confidence),
    hits: sum(before.hits, after.hits),
    terms: joinLaggedProducts(before.terms, after.terms),
  };
}

/** `measureCalibration` of the tallied forecasts; `nBins` is 5 to 20. */
export function calibrationOfTally(tally: ForecastTally, nBins: number): CalibrationMeasurement {
  const bins = Array.from({ length: nBins }, () => ({ n: 0, confidence: 0, hits: 0 }));
  binsOfCells(nBins).forEach((bin, cell) => {
    const sums = bins[bin];
    if (!sums) return;
    sums.n += elementOrNaN(tally.n, cell);
    sums.confidence += elementOrNaN(tally.confidence, cell);
    sums.hits += elementOrNaN(tally.hits, cell);
  });
  const { n } = tally.terms;
  const total = (of: (bin: { n: number; confidence: number; hits: number }) => number) =>
    bins.reduce((sum, bin) => sum + of(bin), 0);
  return {
    n,
    ece: n === 0 ? null : total((bin) => Math.abs(bin.hits - bin.confidence)) / n,
    accuracy: n === 0 ? null : total((bin) => bin.hits) / n,
    avgConfidence: n === 0 ? null : total((bin) => bin.confidence) / n,
    bins: bins.map((bin, i) => ({
      lo: i / nBins,
      hi: (i + 1) / nBins,
      n: bin.n,
      avgConfidence: bin.n === 0 ? null : bin.confidence / bin.n,
      hitRate: bin.n === 0 ? null : bin.hits / bin.n,
    })),
  };
}

/** Mean Brier term, 0..2; null without forecasts. */
export function brierOfTally({ terms }: ForecastTally): number | null {
  return terms.n === 0 ? null : elementOrNaN(terms.sums, 0) / terms.n;
}

/** Shares of BUY, SELL and NO_TRADE among the outcomes; NaN without forecasts. */
export function labelShares({ terms }: ForecastTally): [number, number, number] {
  const [buy, sell] = [elementOrNaN(terms.sums, 1), elementOrNaN(terms.sums, 2)];
  return [buy / terms.n, sell / terms.n, (terms.n - buy - sell) / terms.n];
}

/** Brier term of the forecast `shares` for each possible outcome. */
function constantTerms(shares: readonly number[]): [number, number, number] {
  const term = (label: number) =>
    [0, 1, 2].reduce((sum, k) => sum + ((shares[k] ?? 0) - (k === label ? 1 : 0)) ** 2, 0);
  return [term(0), term(1), term(2)];
}

/** Mean Brier term of always forecasting `shares`; null without forecasts. */
export function constantBrier(tally: ForecastTally, shares: readonly number[]): number | null {
  if (tally.terms.n === 0) return null;
  return labelShares(tally).reduce((sum, share, k) => sum + share * (constantTerms(shares)[k] ?? 0), 0);
}

/**
 * Tests whether the mean Brier term is above that of always forecasting `shares`. Null for fewer than two forecasts.
 */
export function testBrierExcessOverConstant(
  tally: ForecastTally,
  shares: readonly number[],
): MeanTest | null {
  const [buy, sell, no] = constantTerms(shares);
  // The constant forecast's term is `no`, plus `buy - no` or `sell - no` if the outcome is BUY or SELL.
  return neweyWestOfProducts(tally.terms, { weights: [1, no - buy, no - sell], offset: -no });
}
