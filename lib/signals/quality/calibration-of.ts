import type { z } from "zod";
import type { ForecastColumns } from "@/db/queries/track-record";
import { brierTerms } from "@/lib/engine/scores/brier";
import { expectedCalibrationError } from "@/lib/engine/scores/calibration-error";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import type { ModelCalibration } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

/** Fewer forecasts than this say nothing about calibration. */
export const MIN_FORECASTS = 50;
const MAX_ECE = 0.1;
/** Labels of neighbouring candles share their horizon; 48 lags cover four of it. */
const LAGS = 48;
const SIGNIFICANCE = 0.05;

/** How well one model's probabilities fit the outcomes. Pure. */
export function calibrationOf(forecasts: ForecastColumns, nBins: number): z.output<typeof ModelCalibration> {
  const baseline = new Float64Array(forecasts.probs.length);
  fillBaseline(baseline, forecasts, 0);
  const judged = { ...forecasts, baseline };
  const figures = calibrationFigures(judged, nBins);
  const status = figures.n < MIN_FORECASTS ? "insufficient" : statusOf(figures.ece ?? 0, judged);
  return calibrationRow(forecasts, figures, status);
}

/** Forecasts, what happened, and what the class frequencies would have said each time. */
export interface JudgedForecasts {
  /** n x 3 in the order BUY, SELL, NO_TRADE, by time of the candle, like `baseline`. */
  probs: Float64Array;
  baseline: Float64Array;
  labels: Uint8Array;
}

/** The scores of some forecasts, whether or not there are enough of them. Pure. */
export function calibrationFigures({ probs, baseline, labels }: JudgedForecasts, nBins: number) {
  return {
    ...expectedCalibrationError(probs, labels, nBins),
    brier: mean(brierTerms(probs, labels)),
    brierBaseline: mean(brierTerms(baseline, labels)),
  };
}

/** A row of the report. Without enough forecasts it has its bins and no figures. Pure. */
export function calibrationRow(
  of: Pick<ForecastColumns, "symbol" | "timeframe" | "modelV">,
  figures: ReturnType<typeof calibrationFigures>,
  status: z.output<typeof ModelCalibration>["status"],
): z.output<typeof ModelCalibration> {
  const figure = (value: number | null) => (status === "insufficient" ? null : roundFigure(value));
  return {
    symbol: of.symbol,
    tf_code: of.timeframe,
    model_v: of.modelV,
    n: figures.n,
    ece: figure(figures.ece),
    brier: figure(figures.brier),
    brier_baseline: figure(figures.brierBaseline),
    accuracy: figure(figures.accuracy),
    avg_confidence: figure(figures.avgConfidence),
    status,
    bins: figures.bins.map((bin) => ({
      lo: roundFigure(bin.lo),
      hi: roundFigure(bin.hi),
      n: bin.n,
      avg_confidence: roundFigure(bin.avgConfidence),
      hit_rate: roundFigure(bin.hitRate),
    })),
  };
}

/** Drifting: badly calibrated, or significantly worse than saying the same every time. */
function statusOf(ece: number, { probs, baseline, labels }: JudgedForecasts): "ok" | "drifting" {
  if (ece > MAX_ECE) return "drifting";
  const baselineTerms = brierTerms(baseline, labels);
  const differences = brierTerms(probs, labels).map((term, i) => term - (baselineTerms[i] ?? 0));
  const test = neweyWestMeanTest(differences, LAGS);
  return test !== null && test.mean > 0 && test.pAboveZero < SIGNIFICANCE ? "drifting" : "ok";
}

/**
 * Writes the class frequencies of the model's training sample, or those of `labels`, as the forecast of each of its
 * candles.
 */
export function fillBaseline(
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
