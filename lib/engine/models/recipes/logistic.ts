import {
  coefficientShares,
  predictSoftmaxRegression,
  type SoftmaxRegression,
} from "@/lib/engine/models/softmax-regression";
import type { RecipeDefinition } from "./recipe-definition";
import { fitDirection, joinParts, movementInputs, oddsOfMove, type TwoPartModel } from "./two-part";

/**
 * A model in two parts, movement and direction, each a logistic regression. Importance covers movement only, which has
 * the larger model.
 */
export const LOGISTIC_RECIPE: RecipeDefinition<TwoPartModel<"logistic", SoftmaxRegression, null>> = {
  usesTrees: false,
  usesPool: false,
  fit: (window, choices) => ({
    recipe: "logistic",
    preparation: window.preparation,
    magnitudes: true,
    moveLogistic: window.moveLogistic(choices.moveStrength),
    moveTrees: null,
    ...fitDirection(window, choices),
  }),
  predict: (model, x) =>
    joinParts(oddsOfMove(predictSoftmaxRegression(model.moveLogistic, movementInputs(model, x))), model, x),
  importance: ({ moveLogistic }) => coefficientShares(moveLogistic),
};
