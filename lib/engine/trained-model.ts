import type { CandleSeries } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import type { SignalDraft } from "./baseline";
import { type AnchoredCalibration, applyAnchoredCalibration } from "./calibration/anchored";
import { NO_TRADE, signalOfClass } from "./classes";
import { at } from "./column";
import { type CostRule, tradingCost } from "./costs";
import { type DecisionPolicy, forecastDirection } from "./decision";
import { FEATURE_LOOKBACK_CANDLES, makeFeatures } from "./features";
import type { InnerChoices } from "./models/fit-settings";
import type { SignalModel } from "./models/recipes";
import { predictSignalModel } from "./models/signal-model";
import { OUTCOME_RULE } from "./outcome";
import { roundTriple } from "./probabilities";
import { classifyRegimes, regimeLabel } from "./regime";
import type { FeatureStatistics } from "./scores/population-stability";

/** Everything a forecast needs, as plain data: stored as JSON, and the same bytes for the same candles. */
export interface TrainedModel {
  /** Version of this form; another one is not read. */
  format: 1;
  model: SignalModel;
  calibration: AnchoredCalibration;
  policy: DecisionPolicy;
  choices: InnerChoices;
  timeframeMinutes: number;
  /** Open times (epoch ms) of the first and last candle learnt from. */
  trainedFromMs: number;
  trainedToMs: number;
  /** Class frequencies of the training sample: BUY, SELL, NO_TRADE. */
  classFrequencies: [number, number, number];
  /** How each feature was distributed in training, by name. */
  featureStatistics: Record<string, FeatureStatistics>;
}

/** Candles to hand over for one forecast: the features' lookback and a few to spare. */
export const FORECAST_CANDLES = FEATURE_LOOKBACK_CANDLES + 50;

export interface Forecast {
  drafts: SignalDraft[];
  /** Feature values of each draft's candle by name; null where a value does not exist. */
  features: Record<string, number | null>[];
}

/**
 * Signals of a trained model for the candles [fromIndex, toIndex), each from that candle and those before it.
 *
 * Candles without {@link FEATURE_LOOKBACK_CANDLES} before them, or without ATR, get none.
 *
 * @param candles the whole series or its end; at least {@link FORECAST_CANDLES} for the newest candle
 */
export function forecastSignals(input: {
  trained: TrainedModel;
  candles: CandleSeries;
  fromIndex: number;
  toIndex: number;
  cost: CostRule;
}): Forecast {
  const { trained, candles, cost, toIndex } = input;
  const table = makeFeatures(candles, trained.timeframeMinutes);
  const fromIndex = Math.max(input.fromIndex, table.firstIndex);
  const rows = Int32Array.from({ length: Math.max(0, toIndex - fromIndex) }, (_, i) => fromIndex + i);
  const probs = applyAnchoredCalibration(trained.calibration, predictSignalModel(trained.model, table, rows));
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const regimes = classifyRegimes(candles);

  const forecast: Forecast = { drafts: [], features: [] };
  for (const [i, row] of rows.entries()) {
    const distance = OUTCOME_RULE.atrMultiple * at(atr, row);
    if (!(distance > 0)) continue;
    const costR = tradingCost(cost, at(candles.close, row)) / distance;
    const triple = roundTriple([at(probs, 3 * i), at(probs, 3 * i + 1), at(probs, 3 * i + 2)]);
    const decided = trained.policy.mayFollow
      ? forecastDirection(at(probs, 3 * i), at(probs, 3 * i + 1), costR)
      : NO_TRADE;
    forecast.drafts.push({
      index: row,
      tsMs: at(candles.ts, row),
      signal: signalOfClass(decided),
      confidence: triple[decided],
      probBuy: triple[0],
      probSell: triple[1],
      probNo: triple[2],
      regime: regimeLabel(regimes[row] ?? 0),
      expectedRr: trained.policy.expectedRr,
    });
    forecast.features.push(
      Object.fromEntries(
        table.definitions.map(({ name }, j) => {
          const value = at(table.matrix.values, row * table.matrix.columns + j);
          return [name, Number.isNaN(value) ? null : value];
        }),
      ),
    );
  }
  return forecast;
}
