import {
  coefficientShares,
  predictSoftmaxRegression,
  type SoftmaxRegression,
} from "@/lib/engine/models/softmax-regression";
import type { RecipeDefinition, RecipeModelBase } from "./recipe-definition";

interface SoftmaxModel extends RecipeModelBase<"softmax"> {
  classes: SoftmaxRegression;
}

/** One softmax regression for all three class probabilities. */
export const SOFTMAX_RECIPE: RecipeDefinition<SoftmaxModel> = {
  usesTrees: false,
  usesPool: false,
  fit: (window, choices) => ({
    recipe: "softmax",
    preparation: window.preparation,
    classes: window.classes(choices.moveStrength),
  }),
  predict: ({ classes }, x) => predictSoftmaxRegression(classes, x),
  importance: ({ classes }) => coefficientShares(classes),
};
