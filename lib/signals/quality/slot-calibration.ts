import type { z } from "zod";
import type { ForecastColumns } from "@/db/queries/track-record";
import { brierTerms } from "@/lib/engine/scores/brier";
import { measureCalibration, topClass } from "@/lib/engine/scores/calibration-error";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import { simulatePerfectForecasts } from "@/lib/engine/scores/perfect-forecasts";
import { runningFrequencies } from "@/lib/engine/scores/running-frequencies";
import { ALL_MODELS, type SlotCalibration } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";
import { type CalibrationFigures, calibrationRow, MIN_CALIBRATION_FORECASTS } from "./calibration-of";

/** Probability that perfect forecasts exceed, in a single check, the ECE that is shown as noise. */
const SIGNIFICANCE = 0.01;
/**
 * A slot drifts if a score is this many standard deviations above the mean score of perfect forecasts. All slots are
 * checked every day for years: at the 99 % quantile of a single check, one slot in five would drift in a year without
 * any change.
 */
const DRIFTING_FROM = 4;
const RUNS = 199;
/**
 * Number of neighbouring candles that share one draw in the simulation, because their labels overlap for 12 candles.
 * With 8, perfect forecasts on a random walk exceed the noise in 1 to 2 % of windows, with 6 in up to 5 %, with 12 in
 * under 1 %.
 */
const DEPENDENT_CANDLES = 8;
/** Lags, in candles, over which the dependence between errors is estimated. */
const DEPENDENCE_LAGS = 192;
/** Smaller calibration errors need no action, even if significant. */
const SMALL_ECE = 0.02;

/**
 * Calibration of a slot's forecasts over all its models: each retraining is a new version, and a single version rarely
 * has enough forecasts.
 *
 * Drifting: the ECE, or the excess of the Brier score over the baseline's, is larger than chance allows for perfect
 * forecasts of this number and these probabilities, however often it is checked.
 *
 * @param models the forecasts of one slot, by model
 */
export function slotCalibrationOf(
  models: readonly [ForecastColumns, ...ForecastColumns[]],
  nBins: number,
): z.output<typeof SlotCalibration> {
  const forecasts = inOneOrder(models);
  const figures = figuresOf(forecasts, nBins);
  const { ece, brier, brierBaseline } = figures;
  const of = { ...models[0], modelV: ALL_MODELS };
  if (figures.n < MIN_CALIBRATION_FORECASTS || ece === null || brier === null || brierBaseline === null) {
    const row = calibrationRow(of, figures, "insufficient");
    const reason = `${figures.n} of the ${MIN_CALIBRATION_FORECASTS} forecasts with an outcome that are needed`;
    return { ...row, model_v: ALL_MODELS, ece_noise: null, reason };
  }
  const perfect = simulatePerfectForecasts(forecasts.probs, forecasts.baseline, {
    nBins,
    blockCandles: dependentCandles(forecasts),
    runs: RUNS,
    seed: 1,
  });
  const noise = perfect.ece[Math.ceil((1 - SIGNIFICANCE) * (RUNS + 1)) - 1] ?? 0;
  const eceLimit = Math.max(SMALL_ECE, limitOf(perfect.ece));
  const isOff = ece > eceLimit;
  const excess = brier - brierBaseline;
  const excessLimit = Math.max(0, limitOf(perfect.brierExcess));
  const isWorse = excess > excessLimit;
  return {
    ...calibrationRow(of, figures, isOff || isWorse ? "drifting" : "ok"),
    model_v: ALL_MODELS,
    ece_noise: roundFigure(noise),
    reason: isOff
      ? `ECE ${percent(ece)}, by chance up to ${percent(eceLimit)}`
      : isWorse
        ? `Brier ${excess.toFixed(3)} worse than the class frequencies, by chance up to ${excessLimit.toFixed(3)}`
        : ece > noise
          ? `ECE ${percent(ece)}, no action needed up to ${percent(eceLimit)}`
          : `ECE ${percent(ece)}, within chance (up to ${percent(noise)})`,
  };
}

/**
 * Number of neighbouring candles that share one draw: at least 8, or as many as count as one by the serial dependence
 * of the hits of the likeliest class or of the Brier gains over the baseline. In long trends, results are alike even
 * beyond their horizon.
 */
function dependentCandles({ probs, baseline, labels }: JudgedForecasts): number {
  const errors = Float64Array.from(labels, (label, i) => {
    const top = topClass(probs, 3 * i);
    return (label === top ? 1 : 0) - (probs[3 * i + top] ?? 0);
  });
  const reference = brierTerms(baseline, labels);
  const gains = brierTerms(probs, labels).map((term, i) => term - (reference[i] ?? 0));
  return Math.max(DEPENDENT_CANDLES, dependenceOf(errors), dependenceOf(gains));
}

/** The score from which a slot drifts, from the scores of perfect forecasts. */
function limitOf(scores: Float64Array): number {
  return (mean(scores) ?? 0) + DRIFTING_FROM * Math.sqrt(variance(scores));
}

/**
 * How many consecutive values count as one: the variance of the mean, divided by what it would be for independent
 * values.
 */
function dependenceOf(values: Float64Array): number {
  const n = values.length;
  const test = neweyWestMeanTest(values, Math.min(DEPENDENCE_LAGS, Math.floor(n / 10)));
  const own = variance(values);
  return test === null || own === 0 ? 1 : Math.round((n * test.standardError ** 2) / own);
}

function variance(values: Float64Array): number {
  const centre = mean(values) ?? 0;
  return mean(values.map((value) => (value - centre) ** 2)) ?? 0;
}

/** Forecasts with their outcomes, and with the class frequencies that were known at each forecast. */
interface JudgedForecasts {
  /** n x 3 in the order BUY, SELL, NO_TRADE, by time of the candle, like `baseline`. */
  probs: Float64Array;
  baseline: Float64Array;
  labels: Uint8Array;
}

function figuresOf({ probs, baseline, labels }: JudgedForecasts, nBins: number): CalibrationFigures {
  return {
    ...measureCalibration(probs, labels, nBins),
    brier: mean(brierTerms(probs, labels)),
    brierBaseline: mean(brierTerms(baseline, labels)),
  };
}

/**
 * Class frequencies of the training sample of each forecast's model; without them, the slot's frequencies
 * known at that candle. The frequencies of the window itself would include the future.
 */
function baselineOf(frequencies: readonly (readonly number[] | null)[], labels: Uint8Array): Float64Array {
  const running = runningFrequencies(labels);
  return running.map((known, i) => frequencies[Math.floor(i / 3)]?.[i % 3] ?? known);
}

function mean(values: Float64Array): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/**
 * Merges the forecasts of all models of a slot, in order of time. Of several forecasts for one candle, only the one
 * that was stored last is kept.
 */
function inOneOrder(models: readonly [ForecastColumns, ...ForecastColumns[]]): JudgedForecasts {
  const total = models.reduce((n, { labels }) => n + labels.length, 0);
  const probs = new Float64Array(3 * total);
  const frequencies: (readonly number[] | null)[] = [];
  const labels = new Uint8Array(total);
  const closesS = new Float64Array(total);
  const ids = new Float64Array(total);
  let from = 0;
  for (const model of models) {
    probs.set(model.probs, 3 * from);
    for (let i = 0; i < model.labels.length; i++) frequencies.push(model.classFreq);
    labels.set(model.labels, from);
    closesS.set(model.closesS, from);
    ids.set(model.ids, from);
    from += model.labels.length;
  }
  if (models.length === 1) return { probs, baseline: baselineOf(frequencies, labels), labels };

  const value = (column: Float64Array, i: number) => column[i] ?? 0;
  const order = Uint32Array.from({ length: total }, (_, i) => i)
    .sort((a, b) => value(closesS, a) - value(closesS, b) || value(ids, a) - value(ids, b))
    .filter((i, place, all) => value(closesS, i) !== closesS[all[place + 1] ?? -1]);
  const triples = (column: Float64Array) =>
    Float64Array.from({ length: 3 * order.length }, (_, k) =>
      value(column, 3 * (order[Math.floor(k / 3)] ?? 0) + (k % 3)),
    );
  const ordered = Uint8Array.from(order, (i) => labels[i] ?? 0);
  return {
    probs: triples(probs),
    baseline: baselineOf(
      Array.from(order, (i) => frequencies[i] ?? null),
      ordered,
    ),
    labels: ordered,
  };
}
