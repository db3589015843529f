import type { Matrix } from "@/lib/engine/matrix";
import type { InnerChoices } from "@/lib/engine/models/fit-settings";
import type { Preparation } from "@/lib/engine/models/preparation";
import type { TrainingWindow } from "@/lib/engine/models/training-window";

/** What the model of every recipe carries. */
export interface ModelHead<Name extends string = string> {
  recipe: Name;
  preparation: Preparation;
}

/** Everything that makes a recipe. `Model` is plain data. */
export interface RecipeDefinition<Model extends ModelHead> {
  /** What the recipe is, for the report and the README. */
  meaning: string;
  /** Whether the number of boosting rounds is to be chosen for it. */
  usesTrees: boolean;
  /** Whether it learns from other slots too: where there are none it is not fitted. */
  usesPool: boolean;
  /** Fits a model on a window of candles. */
  fit: (window: TrainingWindow, choices: InnerChoices) => Model;
  /** Class probabilities of prepared rows, n x 3, row by row. */
  predict: (model: Model, x: Matrix) => Float64Array;
  /** How much each prepared column counts, summing to 1. */
  importance: (model: Model) => number[];
}
