import type { z } from "zod";
import type { ForecastColumns } from "@/db/queries/track-record";
import { brierTerms } from "@/lib/engine/scores/brier";
import { expectedCalibrationError } from "@/lib/engine/scores/calibration-error";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import type { ModelCalibration } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

/** Fewer forecasts than this say nothing about calibration. */
const MIN_FORECASTS = 50;
const MAX_ECE = 0.1;
/** Labels of neighbouring candles share their horizon; 48 lags cover four of it. */
const LAGS = 48;
const SIGNIFICANCE = 0.05;

/** How well one model's probabilities fit the outcomes. Pure. */
export function calibrationOf(forecasts: ForecastColumns, nBins: number): z.output<typeof ModelCalibration> {
  const { probs, labels } = forecasts;
  const calibration = expectedCalibrationError(probs, labels, nBins);
  const enough = labels.length >= MIN_FORECASTS;
  const brier = brierTerms(probs, labels);
  const baseline = brierTerms(baselineProbs(forecasts), labels);
  const figure = (value: number | null) => (enough ? roundFigure(value) : null);
  return {
    symbol: forecasts.symbol,
    tf_code: forecasts.timeframe,
    model_v: forecasts.modelV,
    n: labels.length,
    ece: figure(calibration.ece),
    brier: figure(mean(brier)),
    brier_baseline: figure(mean(baseline)),
    accuracy: figure(calibration.accuracy),
    avg_confidence: figure(calibration.avgConfidence),
    status: enough ? statusOf(calibration.ece ?? 0, brier, baseline) : "insufficient",
    bins: calibration.bins.map((bin) => ({
      lo: roundFigure(bin.lo),
      hi: roundFigure(bin.hi),
      n: bin.n,
      avg_confidence: roundFigure(bin.avgConfidence),
      hit_rate: roundFigure(bin.hitRate),
    })),
  };
}

/** Drifting: badly calibrated, or significantly worse than saying the same every time. */
function statusOf(ece: number, brier: Float64Array, baseline: Float64Array): "ok" | "drifting" {
  if (ece > MAX_ECE) return "drifting";
  const differences = brier.map((term, i) => term - (baseline[i] ?? 0));
  const test = neweyWestMeanTest(differences, LAGS);
  return test !== null && test.mean > 0 && test.pAboveZero < SIGNIFICANCE ? "drifting" : "ok";
}

/** The class frequencies of the training sample, or of the window itself, as the forecast of every candle. */
function baselineProbs({ labels, classFreq }: ForecastColumns): Float64Array {
  const n = labels.length;
  const frequencies = classFreq ?? [0, 1, 2].map((k) => labels.filter((label) => label === k).length / n);
  const probs = new Float64Array(3 * n);
  for (let i = 0; i < probs.length; i++) probs[i] = frequencies[i % 3] ?? 0;
  return probs;
}

function mean(values: Float64Array): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
