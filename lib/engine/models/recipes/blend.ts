import { type BoostedTrees, predictBoostedTrees, treeImportance } from "@/lib/engine/models/boosted-trees";
import {
  coefficientShares,
  predictSoftmaxRegression,
  type SoftmaxRegression,
} from "@/lib/engine/models/softmax-regression";
import type { RecipeDefinition } from "./recipe-definition";
import {
  fitDirection,
  geometricMeanOfOdds,
  joinParts,
  meanImportance,
  movementInputs,
  oddsOfMove,
  type TwoPartModel,
} from "./two-part";

/**
 * A model in two parts. Movement: geometric mean of logistic regression and boosted trees. Direction: logistic
 * regression. Importance covers movement only, as the mean of both.
 */
export const BLEND_RECIPE: RecipeDefinition<TwoPartModel<"blend", SoftmaxRegression, BoostedTrees>> = {
  usesTrees: true,
  usesPool: false,
  fit: (window, choices) => ({
    recipe: "blend",
    preparation: window.preparation,
    magnitudes: true,
    moveLogistic: window.moveLogistic(choices.moveStrength),
    moveTrees: window.moveTrees(choices.treeRounds),
    ...fitDirection(window, choices),
  }),
  predict: (model, x) => {
    const moveX = movementInputs(model, x);
    const logistic = oddsOfMove(predictSoftmaxRegression(model.moveLogistic, moveX));
    const trees = oddsOfMove(predictBoostedTrees(model.moveTrees, moveX));
    return joinParts(geometricMeanOfOdds(logistic, trees), model, x);
  },
  importance: ({ moveLogistic, moveTrees }) =>
    meanImportance(coefficientShares(moveLogistic), treeImportance(moveTrees)),
};
