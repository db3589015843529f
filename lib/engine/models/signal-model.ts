import type { FeatureTable } from "@/lib/engine/features";
import type { Matrix } from "@/lib/engine/matrix";
import type { Hyperparameters } from "./fit-settings";
import { prepareRows, QUIET_HOURS_COLUMN } from "./preparation";
import { type ModelOf, RECIPES, type Recipe, type SignalModel } from "./recipes";
import type { TrainingWindow } from "./training-window";

export function fitRecipe(recipe: Recipe, window: TrainingWindow, choices: Hyperparameters): SignalModel {
  return RECIPES[recipe].fit(window, choices);
}

/**
 * Class probabilities of some candles before calibration, n x 3, row by row.
 *
 * @param rows indices into the table
 */
export function predictSignalModel(
  model: SignalModel,
  table: FeatureTable,
  rows: ArrayLike<number>,
): Float64Array {
  return predict(model.recipe, model, prepareRows(model.preparation, table, rows));
}

/** Importance of each prepared column in a model, the largest first, as `importance` of its recipe defines it. */
export function featureImportance(
  model: SignalModel,
  table: FeatureTable,
): { name: string; share: number }[] {
  const shares = importance(model.recipe, model);
  return [...table.definitions.map((d) => d.name), QUIET_HOURS_COLUMN]
    .map((name, j) => ({ name, share: shares[j] ?? 0 }))
    .sort((a, b) => b.share - a.share);
}

// A separate type parameter lets the compiler pair recipe and model.

function predict<R extends Recipe>(recipe: R, model: ModelOf[R], x: Matrix): Float64Array {
  return RECIPES[recipe].predict(model, x);
}

function importance<R extends Recipe>(recipe: R, model: ModelOf[R]): number[] {
  return RECIPES[recipe].importance(model);
}
