import { elementOrNaN } from "@/lib/engine/column";
import { neverPause, type PauseHook } from "@/lib/engine/pause-hook";
import { FIT_SETTINGS, type FitSettings, type Hyperparameters } from "./fit-settings";
import { RECIPES, type Recipe, type SignalModel } from "./recipes";
import { fitRecipe, predictSignalModel } from "./signal-model";
import { predictSoftmaxRegression } from "./softmax-regression";
import { classFrequencies, rowsWithKnownClass } from "./training-rows";
import { type LearningSample, TrainingWindow } from "./training-window";

export interface FittedModels {
  models: Map<Recipe, SignalModel>;
  choices: Hyperparameters;
  /** Class frequencies of the training window: BUY, SELL, NO_TRADE. */
  classFrequencies: [number, number, number];
  /**
   * The candles on which hyperparameters were chosen, with each recipe's forecasts by models that were not fitted on
   * them. These models are fitted by the call.
   */
  selection(): { rows: Int32Array; probs: Map<Recipe, Float64Array> };
}

/**
 * Fits every recipe on the candles [firstIndex, endIndex) of a table.
 *
 * Hyperparameters are chosen first: models fitted on the early part are scored by log-loss on the last
 * `selectionShare`, after a purged gap. This sets the strengths and the number of boosting rounds. Then every recipe is
 * fitted on the whole window.
 *
 * @param labels class per candle. Those of the window must be final: the caller ends the window one horizon before the
 *   first candle that it may not know.
 */
export function fitSignalModels(
  input: LearningSample & {
    firstIndex: number;
    endIndex: number;
    recipes: readonly Recipe[];
    settings?: FitSettings;
    breathe?: PauseHook;
  },
): FittedModels {
  const {
    table,
    labels,
    pool,
    firstIndex,
    endIndex,
    recipes,
    settings = FIT_SETTINGS,
    breathe = neverPause,
  } = input;
  const cut = Math.floor(firstIndex + (endIndex - firstIndex) * (1 - settings.selectionShare));
  const sample = { table, labels, pool };
  const early = new TrainingWindow(sample, firstIndex, cut - settings.purgeCandles, settings, breathe);
  const selectionRows = rowsWithKnownClass(labels, cut, endIndex);
  const choices = chooseInside(early, selectionRows, recipes, settings);
  const whole = new TrainingWindow(sample, firstIndex, endIndex, settings, breathe, early);
  return {
    models: new Map(recipes.map((recipe) => [recipe, fitRecipe(recipe, whole, choices)])),
    choices,
    classFrequencies: classFrequencies(labels, whole.rows),
    selection: () => ({
      rows: selectionRows,
      probs: new Map(
        recipes.map((recipe) => [
          recipe,
          predictSignalModel(fitRecipe(recipe, early, choices), table, selectionRows),
        ]),
      ),
    }),
  };
}

function chooseInside(
  early: TrainingWindow,
  selectionRows: Int32Array,
  recipes: readonly Recipe[],
  settings: FitSettings,
): Hyperparameters {
  const later = early.later(selectionRows);
  const moveStrength = best(settings.moveStrengths, (strength) =>
    logLoss(predictSoftmaxRegression(early.moveLogistic(strength), later.moveX), later.move),
  );
  const directionStrength = best(settings.directionStrengths, (strength) =>
    logLoss(predictSoftmaxRegression(early.direction(strength), later.directionX), later.direction),
  );
  const usesTrees = recipes.some((recipe) => RECIPES[recipe].usesTrees);
  const treeRounds = usesTrees ? early.stoppedRounds(later) : 0;
  return { moveStrength, directionStrength, treeRounds };
}

/** The candidate of lowest loss; the first one on a tie. */
function best(candidates: readonly number[], lossOf: (candidate: number) => number): number {
  let chosen = candidates[0] ?? 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const loss = lossOf(candidate);
    if (loss < lowest) [chosen, lowest] = [candidate, loss];
  }
  return chosen;
}

/** Mean log-loss of two-class probabilities, n x 2; 0 for an empty sample. */
function logLoss(probs: Float64Array, y: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++)
    sum -= Math.log(Math.max(elementOrNaN(probs, 2 * i + (y[i] ?? 0)), 1e-15));
  return y.length === 0 ? 0 : sum / y.length;
}
