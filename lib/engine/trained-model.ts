import { type CandleSeries, sliceCandles } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import type { SignalDraft } from "./baseline";
import { type AnchoredCalibration, applyAnchoredCalibration } from "./calibration/anchored";
import type { DailyCalibration } from "./calibration/daily";
import { type OnlineCalibration, UNCALIBRATED_STATE } from "./calibration/online";
import { NO_TRADE, signalOfClass } from "./classes";
import { elementOrNaN } from "./column";
import { type CostRule, tradingCost } from "./costs";
import { type DecisionPolicy, forecastDirection } from "./decision";
import { type FeatureVersion, featureLookback, makeFeatures, requiredFeatureHistory } from "./features";
import type { Hyperparameters } from "./models/fit-settings";
import type { SignalModel } from "./models/recipes";
import { predictSignalModel } from "./models/signal-model";
import { OUTCOME_RULE } from "./outcome";
import { classifyRegimes, regimeLabel } from "./regime";
import { roundTriple } from "./round-triple";
import type { FeatureStatistics } from "./scores/population-stability";

/**
 * Everything that a forecast needs besides candles, cost and the continued calibration, as plain data. Stored as JSON;
 * the same candles, pool, cost and settings give the same bytes.
 */
export interface TrainedModel {
  /** Version of this data format; {@link upgradeTrainedModel} converts the former one. */
  format: 2;
  /** Version of the list of features that the model was trained on. */
  features: FeatureVersion;
  model: SignalModel;
  /** Calibration at the end of the walk-forward. In service it is continued with the slot's later forecasts. */
  calibration: OnlineCalibration;
  /** Open time (epoch ms) of the last candle whose forecast the calibration has learnt from. */
  calibratedToMs: number;
  /** Only in a model converted from format 1: its calibration, which later forecasts do not change. */
  anchored?: AnchoredCalibration;
  policy: DecisionPolicy;
  choices: Hyperparameters;
  timeframeMinutes: number;
  /** Open times (epoch ms) of the first and last candle learnt from. */
  trainedFromMs: number;
  trainedToMs: number;
  /** Class frequencies of the training sample: BUY, SELL, NO_TRADE. */
  classFrequencies: [number, number, number];
  /** Distribution of each feature in the training sample, by the feature's name. */
  featureStatistics: Record<string, FeatureStatistics>;
}

/** A model in format 1, which had a fixed calibration and no feature version. */
export interface TrainedModelFormat1
  extends Omit<TrainedModel, "format" | "features" | "calibration" | "calibratedToMs" | "anchored"> {
  format: 1;
  calibration: AnchoredCalibration;
}

/**
 * Converts a stored model to format 2. A model of format 1 keeps its fixed calibration and gets an empty online
 * calibration.
 */
export function upgradeTrainedModel(stored: TrainedModel | TrainedModelFormat1): TrainedModel {
  // Calibrations that were stored before the inputs c1, c2 and d existed get 0 for them.
  if (stored.format === 2)
    return { ...stored, calibration: { ...UNCALIBRATED_STATE, ...stored.calibration } };
  return {
    ...stored,
    format: 2,
    features: 1,
    calibration: { ...UNCALIBRATED_STATE },
    calibratedToMs: stored.trainedToMs,
    anchored: stored.calibration,
  };
}

/** Number of candles that a model needs for one forecast: those that its features need, and a few to spare. */
export function requiredCandles(model: Pick<TrainedModel, "features" | "timeframeMinutes">): number {
  return requiredFeatureHistory(model.features, model.timeframeMinutes) + SPARE_CANDLES;
}

const SPARE_CANDLES = 50;

export interface ForecastBatch {
  drafts: SignalDraft[];
  /** P(NO_TRADE) of each draft before the online calibration. */
  rawNo: number[];
  /** Feature values of each draft's candle by name; null where a value does not exist. */
  features: Record<string, number | null>[];
}

/**
 * Signals of a trained model for the candles [fromIndex, toIndex), each from that candle and those before it. Candles
 * whose ATR is missing or 0, or with fewer than {@link featureLookback} candles before them, get none.
 *
 * @param candles the whole series or its end, with at least {@link requiredCandles} candles up to `fromIndex`
 * @param daily the calibration of the slot's forecasts; these forecasts are added to it
 */
export function forecastSignals(input: {
  trained: TrainedModel;
  candles: CandleSeries;
  fromIndex: number;
  toIndex: number;
  cost: CostRule;
  daily: DailyCalibration;
}): ForecastBatch {
  const { trained, cost, daily } = input;
  // Only volatility needs a longer history: all else is computed from the last candles.
  const before = Math.max(0, input.fromIndex - featureLookback(trained.timeframeMinutes) - SPARE_CANDLES);
  const candles = sliceCandles(input.candles, before);
  const table = makeFeatures(candles, trained.timeframeMinutes, trained.features, input.candles);
  const fromIndex = Math.max(input.fromIndex - before, table.firstIndex);
  const toIndex = input.toIndex - before;
  const rows = Int32Array.from({ length: Math.max(0, toIndex - fromIndex) }, (_, i) => fromIndex + i);
  const predicted = predictSignalModel(trained.model, table, rows);
  const raw =
    trained.anchored === undefined ? predicted : applyAnchoredCalibration(trained.anchored, predicted);
  const probs = new Float64Array(raw.length);
  for (const [i, row] of rows.entries()) {
    probs.set(daily.calibrate(before + row, raw.subarray(3 * i, 3 * i + 3)), 3 * i);
  }
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const regimes = classifyRegimes(candles);

  const forecast: ForecastBatch = { drafts: [], rawNo: [], features: [] };
  for (const [i, row] of rows.entries()) {
    const distance = OUTCOME_RULE.atrMultiple * elementOrNaN(atr, row);
    if (!(distance > 0)) continue;
    const costR = tradingCost(cost, elementOrNaN(candles.close, row)) / distance;
    const triple = roundTriple([
      elementOrNaN(probs, 3 * i),
      elementOrNaN(probs, 3 * i + 1),
      elementOrNaN(probs, 3 * i + 2),
    ]);
    const decided = trained.policy.mayFollow
      ? forecastDirection(elementOrNaN(probs, 3 * i), elementOrNaN(probs, 3 * i + 1), costR)
      : NO_TRADE;
    forecast.drafts.push({
      index: before + row,
      tsMs: elementOrNaN(candles.ts, row),
      signal: signalOfClass(decided),
      confidence: triple[decided],
      probBuy: triple[0],
      probSell: triple[1],
      probNo: triple[2],
      regime: regimeLabel(regimes[row] ?? 0),
      expectedRr: trained.policy.expectedRr,
    });
    forecast.rawNo.push(elementOrNaN(raw, 3 * i + 2));
    forecast.features.push(
      Object.fromEntries(
        table.definitions.map(({ name }, j) => {
          const value = elementOrNaN(table.matrix.values, row * table.matrix.columns + j);
          return [name, Number.isNaN(value) ? null : value];
        }),
      ),
    );
  }
  return forecast;
}
