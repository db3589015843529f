import type { z } from "zod";
import type { ForecastColumns } from "@/db/queries/track-record";
import { brierTerms } from "@/lib/engine/scores/brier";
import { expectedCalibrationError } from "@/lib/engine/scores/calibration-error";
import { chanceOfAtLeast, simulatePerfectForecasts } from "@/lib/engine/scores/perfect-forecasts";
import { ALL_MODELS, type SlotCalibration } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";
import { type CalibrationFigures, calibrationRow, MIN_FORECASTS } from "./calibration-of";

/** Chance that perfect forecasts exceed one of the two bands: together at most 5 %. */
const SIGNIFICANCE = 0.025;
const RUNS = 199;
/**
 * Candles that share one draw. Labels overlap for 12 candles and agree less the further apart they are: 8 flags perfect
 * forecasts on a walk in 1 to 2 % of windows, 6 in up to 5 %, 12 in under 1 %.
 */
const DEPENDENT_CANDLES = 8;
/** A calibration error that is real and no larger than this is nothing to act on. */
const SMALL_ECE = 0.02;

/**
 * How well a slot's forecasts fit the outcomes, whichever model made them: each retraining is a new version, and one
 * version alone seldom has enough. Pure.
 *
 * Drifting: the calibration error, or the excess of the Brier score over the baseline's, is larger than that of perfect
 * forecasts of this number and these probabilities would be by chance.
 *
 * @param models the forecasts of one slot by model, with their order
 */
export function slotCalibrationOf(
  models: readonly [ForecastColumns, ...ForecastColumns[]],
  nBins: number,
): z.output<typeof SlotCalibration> {
  const forecasts = inOneOrder(models);
  const figures = figuresOf(forecasts, nBins);
  const { ece, brier, brierBaseline } = figures;
  const of = { ...models[0], modelV: ALL_MODELS };
  if (figures.n < MIN_FORECASTS || ece === null || brier === null || brierBaseline === null) {
    const row = calibrationRow(of, figures, "insufficient");
    const reason = `${figures.n} of the ${MIN_FORECASTS} forecasts with an outcome that are needed`;
    return { ...row, model_v: ALL_MODELS, ece_noise: null, reason };
  }
  const perfect = simulatePerfectForecasts(forecasts.probs, forecasts.baseline, {
    nBins,
    blockCandles: DEPENDENT_CANDLES,
    runs: RUNS,
    seed: 1,
  });
  const noise = perfect.ece[Math.ceil((1 - SIGNIFICANCE) * (RUNS + 1)) - 1] ?? 0;
  const isOff = ece > SMALL_ECE && chanceOfAtLeast(ece, perfect.ece) <= SIGNIFICANCE;
  const excess = brier - brierBaseline;
  const isWorse = excess > 0 && chanceOfAtLeast(excess, perfect.brierExcess) <= SIGNIFICANCE;
  return {
    ...calibrationRow(of, figures, isOff || isWorse ? "drifting" : "ok"),
    model_v: ALL_MODELS,
    ece_noise: roundFigure(noise),
    reason: isOff
      ? `ECE ${percent(ece)}, by chance up to ${percent(noise)}`
      : isWorse
        ? `Brier ${brier.toFixed(3)}, baseline ${brierBaseline.toFixed(3)}: worse than by chance`
        : ece > noise
          ? `ECE ${percent(ece)}, up to ${percent(SMALL_ECE)} is nothing to act on`
          : `ECE ${percent(ece)}, within chance (up to ${percent(noise)})`,
  };
}

/** Forecasts, what happened, and what the class frequencies would have said each time. */
interface JudgedForecasts {
  /** n x 3 in the order BUY, SELL, NO_TRADE, by time of the candle, like `baseline`. */
  probs: Float64Array;
  baseline: Float64Array;
  labels: Uint8Array;
}

function figuresOf({ probs, baseline, labels }: JudgedForecasts, nBins: number): CalibrationFigures {
  return {
    ...expectedCalibrationError(probs, labels, nBins),
    brier: mean(brierTerms(probs, labels)),
    brierBaseline: mean(brierTerms(baseline, labels)),
  };
}

/**
 * Writes the class frequencies of the model's training sample, or those of `labels`, as the forecast of each of its
 * candles.
 */
function fillBaseline(
  target: Float64Array,
  { labels, classFreq }: Pick<ForecastColumns, "labels" | "classFreq">,
  from: number,
): void {
  const n = labels.length;
  const frequencies = classFreq ?? [0, 1, 2].map((k) => labels.filter((label) => label === k).length / n);
  for (let i = 0; i < 3 * n; i++) target[3 * from + i] = frequencies[i % 3] ?? 0;
}

function mean(values: Float64Array): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** One forecast for each candle, in order of time; of several the one that was recorded last, as a scan shows it. */
function inOneOrder(models: readonly [ForecastColumns, ...ForecastColumns[]]): JudgedForecasts {
  const total = models.reduce((n, { labels }) => n + labels.length, 0);
  const probs = new Float64Array(3 * total);
  const baseline = new Float64Array(3 * total);
  const labels = new Uint8Array(total);
  const closesS = new Float64Array(total);
  const ids = new Float64Array(total);
  let from = 0;
  for (const model of models) {
    probs.set(model.probs, 3 * from);
    fillBaseline(baseline, model, from);
    labels.set(model.labels, from);
    closesS.set(model.closesS, from);
    ids.set(model.ids, from);
    from += model.labels.length;
  }
  if (models.length === 1) return { probs, baseline, labels };

  const value = (column: Float64Array, i: number) => column[i] ?? 0;
  const order = Uint32Array.from({ length: total }, (_, i) => i)
    .sort((a, b) => value(closesS, a) - value(closesS, b) || value(ids, a) - value(ids, b))
    .filter((i, place, all) => value(closesS, i) !== closesS[all[place + 1] ?? -1]);
  const triples = (column: Float64Array) =>
    Float64Array.from({ length: 3 * order.length }, (_, k) =>
      value(column, 3 * (order[Math.floor(k / 3)] ?? 0) + (k % 3)),
    );
  return {
    probs: triples(probs),
    baseline: triples(baseline),
    labels: Uint8Array.from(order, (i) => labels[i] ?? 0),
  };
}
