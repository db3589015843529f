import { applyAnchoredCalibration, fitAnchoredCalibration } from "./calibration/anchored";
import { calibrateDaily } from "./calibration/daily";
import type { OnlineCalibration } from "./calibration/online";
import { applyTemperature, fitTemperature } from "./calibration/temperature";
import { elementOrNaN } from "./column";
import type { DecisionPolicy } from "./decision";
import type { FeatureTable } from "./features";
import { FollowingEvidence } from "./following-evidence";
import { FIT_SETTINGS, type FitSettings, type Hyperparameters } from "./models/fit-settings";
import { fitSignalModels } from "./models/fit-signal-models";
import type { PoolSlot } from "./models/pool";
import { COMPETING_RECIPES, fittableRecipes, type Recipe } from "./models/recipes";
import { predictSignalModel } from "./models/signal-model";
import { rowsWithKnownClass } from "./models/training-rows";
import { OUTCOME_RULE } from "./outcome";
import { neverPause, type PauseHook } from "./pause-hook";
import type { SlotResults } from "./results";

export interface WalkForwardSettings {
  fit: FitSettings;
  recipes: readonly Recipe[];
  /** Share of the candles that have all features and a closed horizon before the first test part. */
  firstTrainShare: number;
  /** Number of test parts. Each is forecast by models fitted on everything before it, less the purge. */
  folds: number;
  /**
   * Number of forecasts between two refreshes of the decision policy, and of the calibrations that serve for
   * comparison.
   */
  refreshCandles: number;
  /**
   * Number of newest resolved forecasts that the calibrations for comparison learn from, and whose mean net result must
   * be above zero for directions to be given.
   */
  poolCandles: number;
}

export const WALK_FORWARD_SETTINGS: Readonly<WalkForwardSettings> = {
  fit: FIT_SETTINGS,
  recipes: COMPETING_RECIPES,
  firstTrainShare: 0.25,
  folds: 10,
  refreshCandles: 500,
  poolCandles: 10_000,
};

/** One recipe's out-of-sample record. */
export interface RecipeRecord {
  recipe: Recipe;
  /** n x 3, before calibration. */
  raw: Float64Array;
  /** n x 3, calibrated online by the forecasts resolved before each one's day. */
  calibrated: Float64Array;
  /** The forecasts under anchored calibration and under temperature scaling, n x 3 each. Computed by the call. */
  otherwise(): { anchored: Float64Array; tempered: Float64Array };
  /** The policy in force at each candle: index into `policies`. */
  policyOf: Int32Array;
  policies: DecisionPolicy[];
  /** Calibration and policy after the last candle: the starting point of a model in service. */
  finalCalibration: OnlineCalibration;
  finalPolicy: DecisionPolicy;
}

export interface WalkForward {
  /** Candles forecast out of sample, in order of time. */
  rows: Int32Array;
  /** Class of each of these candles. */
  labels: Int8Array;
  /** When each of these candles closed, epoch ms. */
  closesMs: Float64Array;
  /** n x 3: the class frequencies of each fold's training window, as the forecast to beat. */
  baseline: Float64Array;
  records: RecipeRecord[];
  folds: { testFrom: number; testTo: number; trainRows: number; choices: Hyperparameters }[];
}

/** Called after each fold, to show progress. */
export type OnWalkForwardFold = (done: number, total: number) => void;

/**
 * Walk-forward with an expanding window.
 *
 * The candles after the first `firstTrainShare` are divided into `folds` test parts. Models for a part are fitted on
 * the candles up to `purgeCandles` before it. Each day the calibration learns from the out-of-sample forecasts resolved
 * by then. The first of these are forecasts for the selection part of the first training window. The decision policy is
 * refreshed every `refreshCandles` forecasts from all resolved forecasts of the test parts. So every figure of the
 * record is out of sample, and hyperparameters are chosen without it.
 *
 * @param labels final class per candle, -1 if unknown
 * @see López de Prado, Advances in Financial Machine Learning (2018), ch. 7, for purging and embargo
 */
export function walkForward(input: {
  table: FeatureTable;
  labels: Int8Array;
  results: SlotResults;
  /** Other slots of the timeframe; without any, recipes that learn from them have no record. */
  pool?: readonly PoolSlot[];
  settings?: WalkForwardSettings;
  onFold?: OnWalkForwardFold;
  breathe?: PauseHook;
}): WalkForward {
  const { table, labels, results, pool = [], onFold, breathe = neverPause } = input;
  const { settings = WALK_FORWARD_SETTINGS } = input;
  const { fit, folds } = settings;
  const recipes = fittableRecipes(settings.recipes, pool.length > 0);
  const from = table.firstIndex;
  const to = labels.length - OUTCOME_RULE.horizonCandles;
  const testStart = Math.floor(from + (to - from) * settings.firstTrainShare);
  if (testStart - fit.purgeCandles - from < 500) throw new RangeError("too few candles for a walk-forward");

  const parts: Part[] = [];
  const foldReports: WalkForward["folds"] = [];
  const baselineTriples: number[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const testFrom = Math.floor(testStart + ((to - testStart) * fold) / folds);
    const testTo = Math.floor(testStart + ((to - testStart) * (fold + 1)) / folds);
    const endIndex = testFrom - fit.purgeCandles;
    const fitted = fitSignalModels({
      table,
      labels,
      pool,
      firstIndex: from,
      endIndex,
      recipes,
      settings: fit,
      breathe,
    });
    if (fold === 0) parts.push({ ...fitted.selection(), isTest: false });
    const rows = rowsWithKnownClass(labels, testFrom, testTo);
    const probs = new Map(
      [...fitted.models].map(([recipe, model]) => [recipe, predictSignalModel(model, table, rows)]),
    );
    parts.push({ rows, probs, isTest: true });
    for (let i = 0; i < rows.length; i++) baselineTriples.push(...fitted.classFrequencies);
    foldReports.push({ testFrom, testTo, trainRows: endIndex - from, choices: fitted.choices });
    onFold?.(fold + 1, folds);
  }

  const rows = Int32Array.from(parts.filter((part) => part.isTest).flatMap((part) => [...part.rows]));
  return {
    rows,
    labels: Int8Array.from(rows, (row) => labels[row] ?? -1),
    closesMs: Float64Array.from(rows, (row) => elementOrNaN(table.closesMs, row)),
    baseline: Float64Array.from(baselineTriples),
    records: recipes.map((recipe) =>
      calibrateOnward(recipe, parts, { labels, closesMs: table.closesMs, results }, settings, breathe),
    ),
    folds: foldReports,
  };
}

/**
 * Consecutive candles with forecasts by models that were not fitted on them. The first part only initialises the
 * calibration.
 */
interface Part {
  rows: Int32Array;
  probs: Map<Recipe, Float64Array>;
  isTest: boolean;
}

/** Goes through the forecasts in order of time, and updates calibration and policy from those resolved earlier. */
function calibrateOnward(
  recipe: Recipe,
  parts: readonly Part[],
  { labels, closesMs, results }: { labels: Int8Array; closesMs: Float64Array; results: SlotResults },
  settings: WalkForwardSettings,
  breathe: PauseHook,
): RecipeRecord {
  const rows = Int32Array.from(parts.flatMap((part) => [...part.rows]));
  const raw = new Float64Array(3 * rows.length);
  let offset = 0;
  for (const part of parts) {
    raw.set(part.probs.get(recipe) ?? [], offset);
    offset += 3 * part.rows.length;
  }
  const { calibrated, state: finalCalibration } = calibrateDaily({ rows, raw, labels, closesMs });
  breathe();
  const policyOf = new Int32Array(rows.length);
  const policies: DecisionPolicy[] = [];

  const evidence = new FollowingEvidence(results, settings.poolCandles);
  const firstTest = parts.filter((part) => !part.isTest).reduce((n, part) => n + part.rows.length, 0);
  /**
   * Position up to which forecasts have been added to the evidence. Those of the first part are left out, because
   * hyperparameters were chosen on its candles.
   */
  let weighed = firstTest;
  for (const { start, end } of stretches()) {
    policies.push(refreshedPolicy(start));
    policyOf.fill(policies.length - 1, start, end);
  }
  const finalPolicy = refreshedPolicy(rows.length);
  return {
    recipe,
    raw: raw.slice(3 * firstTest),
    calibrated: calibrated.slice(3 * firstTest),
    otherwise,
    policyOf: policyOf.slice(firstTest),
    policies,
    finalCalibration,
    finalPolicy,
  };

  /** Forecasts between two refreshes. */
  function stretches(): { start: number; end: number }[] {
    const found: { start: number; end: number }[] = [];
    for (let start = firstTest; start < rows.length; start += settings.refreshCandles) {
      found.push({ start, end: Math.min(rows.length, start + settings.refreshCandles) });
    }
    return found;
  }

  /** Number of forecasts that are resolved when the forecast at `position` is made. */
  function resolvedBefore(position: number): number {
    const candle = position < rows.length ? (rows[position] ?? 0) : labels.length;
    let end = position;
    while (end > 0 && (rows[end - 1] ?? 0) + OUTCOME_RULE.horizonCandles > candle) end--;
    return end;
  }

  /** Policy from the forecasts that are resolved when the forecast at `position` is made. */
  function refreshedPolicy(position: number): DecisionPolicy {
    breathe();
    // Each forecast counts with the calibration that was in force when it was made.
    for (const end = resolvedBefore(position); weighed < end; weighed++) {
      evidence.add(
        rows[weighed] ?? 0,
        elementOrNaN(calibrated, 3 * weighed),
        elementOrNaN(calibrated, 3 * weighed + 1),
      );
    }
    return evidence.policy();
  }

  function otherwise() {
    const anchored = new Float64Array(raw.length);
    const tempered = new Float64Array(raw.length);
    for (const { start, end } of stretches()) {
      const to = resolvedBefore(start);
      const from = Math.max(0, to - settings.poolCandles);
      const pool = raw.subarray(3 * from, 3 * to);
      const poolLabels = Int8Array.from(rows.subarray(from, to), (row) => labels[row] ?? -1);
      const stretch = raw.subarray(3 * start, 3 * end);
      anchored.set(applyAnchoredCalibration(fitAnchoredCalibration(pool, poolLabels), stretch), 3 * start);
      const temperature = to > from ? fitTemperature(pool, poolLabels) : 1;
      tempered.set(applyTemperature(temperature, stretch), 3 * start);
    }
    return { anchored: anchored.slice(3 * firstTest), tempered: tempered.slice(3 * firstTest) };
  }
}
