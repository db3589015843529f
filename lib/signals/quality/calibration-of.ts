import type { z } from "zod";
import type { ScoredModel } from "@/db/queries/track-record";
import type { CalibrationMeasurement } from "@/lib/engine/scores/calibration-error";
import {
  brierOfTally,
  calibrationOfTally,
  constantBrier,
  type ForecastTally,
  labelShares,
  testBrierExcessOverConstant,
} from "@/lib/engine/scores/forecast-tally";
import type { ModelCalibration } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

/** Fewer forecasts than this say nothing about calibration. */
export const MIN_CALIBRATION_FORECASTS = 50;
const MAX_ECE = 0.1;
const SIGNIFICANCE = 0.05;

/** Calibration of one model's probabilities. */
export function calibrationOf(
  model: ScoredModel,
  forecasts: ForecastTally,
  nBins: number,
): z.output<typeof ModelCalibration> {
  const baseline = model.classFreq ?? labelShares(forecasts);
  const figures = {
    ...calibrationOfTally(forecasts, nBins),
    brier: brierOfTally(forecasts),
    brierBaseline: constantBrier(forecasts, baseline),
  };
  const isEnough = figures.n >= MIN_CALIBRATION_FORECASTS;
  return calibrationRow(
    model,
    figures,
    isEnough ? statusOf(figures.ece ?? 0, forecasts, baseline) : "insufficient",
  );
}

/**
 * `drifting` if the ECE is above 10 %, or the Brier score is significantly worse than that of always forecasting
 * `baseline`.
 */
function statusOf(ece: number, forecasts: ForecastTally, baseline: readonly number[]): "ok" | "drifting" {
  if (ece > MAX_ECE) return "drifting";
  const test = testBrierExcessOverConstant(forecasts, baseline);
  return test !== null && test.mean > 0 && test.pAboveZero < SIGNIFICANCE ? "drifting" : "ok";
}

/** Calibration and Brier scores of some forecasts, even of too few to be shown. */
export interface CalibrationFigures extends CalibrationMeasurement {
  brier: number | null;
  brierBaseline: number | null;
}

/**
 * A row of the report. With status `insufficient`, every figure is null except the number of forecasts and the bins.
 */
export function calibrationRow(
  of: Pick<ScoredModel, "symbol" | "timeframe" | "modelV">,
  figures: CalibrationFigures,
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
