import type { Matrix } from "@/lib/engine/matrix";
import type { Hyperparameters } from "@/lib/engine/models/fit-settings";
import type { Preparation } from "@/lib/engine/models/preparation";
import type { TrainingWindow } from "@/lib/engine/models/training-window";

/** Fields of every recipe's model. */
export interface RecipeModelBase<Name extends string = string> {
  recipe: Name;
  preparation: Preparation;
}

/** Definition of a recipe. `Model` is plain data. */
export interface RecipeDefinition<Model extends RecipeModelBase> {
  /** Whether the recipe fits boosted trees, so that their number of rounds must be chosen. */
  usesTrees: boolean;
  /** Whether the recipe learns from other slots too. Without a pool it is not fitted. */
  usesPool: boolean;
  /** Fits a model on a window of candles. */
  fit: (window: TrainingWindow, choices: Hyperparameters) => Model;
  /** Class probabilities of prepared rows, n x 3, row by row. */
  predict: (model: Model, x: Matrix) => Float64Array;
  /** Importance of each prepared column. The sum is 1, or less if a part of the model has learnt nothing. */
  importance: (model: Model) => number[];
}
