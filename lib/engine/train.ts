import type { CandleSeries } from "@/lib/market/candles";
import { DAY_MS } from "@/lib/time";
import { type Champion, type ChampionDecision, chooseChampion } from "./champion";
import { elementOrNaN } from "./column";
import type { CostRule } from "./costs";
import { REWARD_RISK_RATIOS } from "./decision";
import { type Evaluation, evaluateRecipe } from "./evaluation";
import { type FeatureTable, makeFeatures } from "./features";
import { fitSignalModels } from "./models/fit-signal-models";
import type { PoolSlot } from "./models/pool";
import type { Recipe } from "./models/recipes";
import { labelCandles, OUTCOME_RULE } from "./outcome";
import { neverPause, type PauseHook } from "./pause-hook";
import { sumBrierGainsByWeek, testPooledBrierGains, type WeeklyBrierGains } from "./pooled-evidence";
import { type SlotResults, slotResults } from "./results";
import { brierTerms } from "./scores/brier";
import { driftLimits } from "./scores/drift-limits";
import { type FeatureStatistics, featureStatistics } from "./scores/population-stability";
import type { TrainedModel } from "./trained-model";
import {
  type OnWalkForwardFold,
  WALK_FORWARD_SETTINGS,
  type WalkForward,
  type WalkForwardSettings,
  walkForward,
} from "./walk-forward";

/** A slot's candles with their features, classes and results: the input of its walk-forward and training. */
export interface SlotSample {
  candles: CandleSeries;
  table: FeatureTable;
  /** Class of each candle; -1 without an ATR above 0 and for the last `horizonCandles` candles. */
  labels: Int8Array;
  results: SlotResults;
  /** Samples of other slots of the timeframe. */
  pool: readonly PoolSlot[];
}

/** Minimum number of candles with which a slot is trained; the operator can require more. */
export const MIN_TRAINING_CANDLES = 4000;

/** Computes the features, classes and results of a slot's candles. `pool`: other slots from which recipes may learn. */
export function makeSlotSample(
  candles: CandleSeries,
  timeframeMinutes: number,
  cost: CostRule,
  pool: readonly PoolSlot[] = [],
): SlotSample {
  return {
    candles,
    table: makeFeatures(candles, timeframeMinutes),
    labels: labelCandles(candles).label,
    results: slotResults(candles, cost, REWARD_RISK_RATIOS),
    pool,
  };
}

export interface SlotTraining {
  walk: WalkForward;
  evaluations: Map<Recipe, Evaluation>;
  decision: ChampionDecision;
  /** Weekly gains of the recipes in this walk-forward, to be pooled by trainings of the timeframe's other slots. */
  evidence: WeeklyBrierGains;
  /** The champion, fitted on all candles whose class is known; null if the champion is the baseline. */
  trained: TrainedModel | null;
}

/**
 * Runs the walk-forward, evaluates it, chooses the champion and fits it on all candles whose class is known.
 *
 * @param current the slot's champion so far
 * @param slots number of slots that are trained
 * @param alike weekly gains from trainings of the timeframe's other slots, and the number of timeframes that are
 *   trained
 */
export function trainAndSelectChampion(input: {
  sample: SlotSample;
  timeframeMinutes: number;
  current: Champion;
  slots: number;
  alike?: { evidence: readonly WeeklyBrierGains[]; timeframes: number };
  settings?: WalkForwardSettings;
  onFold?: OnWalkForwardFold;
  breathe?: PauseHook;
}): SlotTraining {
  const {
    sample,
    timeframeMinutes,
    current,
    slots,
    alike,
    settings = WALK_FORWARD_SETTINGS,
    onFold,
    breathe = neverPause,
  } = input;
  const walk = walkForward({ ...sample, settings, breathe, ...(onFold && { onFold }) });
  const evidence = sumBrierGainsByWeek(walk);
  const decision = chooseChampion({
    current,
    pooled:
      alike === undefined || alike.evidence.length === 0
        ? undefined
        : { byRecipe: testPooledBrierGains([evidence, ...alike.evidence]), timeframes: alike.timeframes },
    baselineTerms: brierTerms(walk.baseline, walk.labels),
    challengers: new Map(
      walk.records.map((record) => [record.recipe, brierTerms(record.calibrated, walk.labels)]),
    ),
    lastStretches: [12 * WEEK_MS, YEAR_MS].map((ms) => candlesOfLast(ms, sample.candles, walk.rows)),
    slots,
  });
  return {
    walk,
    evaluations: new Map(
      walk.records.map((record) => [record.recipe, evaluateRecipe(walk, record, sample.results)]),
    ),
    decision,
    evidence,
    trained:
      decision.champion === "baseline"
        ? null
        : fitFinalModel({
            sample,
            timeframeMinutes,
            recipe: decision.champion,
            walk,
            settings,
            breathe,
          }),
  };
}

/**
 * Fits one recipe on all candles whose class is known, with the calibration and policy from the end of its
 * walk-forward.
 */
export function fitFinalModel(input: {
  sample: SlotSample;
  timeframeMinutes: number;
  recipe: Recipe;
  walk: WalkForward;
  settings?: WalkForwardSettings;
  breathe?: PauseHook;
}): TrainedModel {
  const {
    sample,
    timeframeMinutes,
    recipe,
    walk,
    settings = WALK_FORWARD_SETTINGS,
    breathe = neverPause,
  } = input;
  const { table, labels, candles, pool } = sample;
  const endIndex = labels.length - OUTCOME_RULE.horizonCandles;
  const fitted = fitSignalModels({
    table,
    labels,
    pool,
    firstIndex: table.firstIndex,
    endIndex,
    recipes: [recipe],
    settings: settings.fit,
    breathe,
  });
  const model = fitted.models.get(recipe);
  const record = walk.records.find((r) => r.recipe === recipe);
  if (model === undefined || record === undefined) throw new Error(`no walk-forward of recipe ${recipe}`);
  return {
    format: 2,
    features: table.version,
    model,
    calibration: record.finalCalibration,
    calibratedToMs: elementOrNaN(candles.ts, walk.rows.at(-1) ?? endIndex - 1),
    policy: record.finalPolicy,
    choices: fitted.choices,
    timeframeMinutes,
    trainedFromMs: elementOrNaN(candles.ts, table.firstIndex),
    trainedToMs: elementOrNaN(candles.ts, endIndex - 1),
    classFrequencies: fitted.classFrequencies,
    featureStatistics: statisticsOf(table, table.firstIndex, endIndex),
  };
}

function statisticsOf(table: FeatureTable, from: number, to: number): Record<string, FeatureStatistics> {
  const { columns, values } = table.matrix;
  return Object.fromEntries(
    table.definitions.map(({ name }, j) => {
      const column = Float64Array.from({ length: to - from }, (_, i) =>
        elementOrNaN(values, (from + i) * columns + j),
      );
      const statistics = featureStatistics(column);
      return [name, { ...statistics, drift: driftLimits(column, statistics) }];
    }),
  );
}

const WEEK_MS = 7 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

function candlesOfLast(ms: number, candles: CandleSeries, rows: Int32Array): number {
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const sinceMs = elementOrNaN(candles.ts, last) - ms;
  return rows.filter((row) => elementOrNaN(candles.ts, row) > sinceMs).length;
}
