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

interface PooledModel extends TwoPartModel<"pooled", SoftmaxRegression, BoostedTrees> {
  /** Boosted trees of movement, fitted on this slot and others of its timeframe. */
  pooledTrees: BoostedTrees;
}

/**
 * A model in two parts. Movement: geometric mean of logistic regression, boosted trees, and boosted trees that are
 * fitted on the other slots of the timeframe as well. Direction: logistic regression. Importance covers movement only.
 */
export const POOLED_RECIPE: RecipeDefinition<PooledModel> = {
  usesTrees: true,
  usesPool: true,
  fit: (window, choices) => ({
    recipe: "pooled",
    preparation: window.preparation,
    magnitudes: true,
    moveLogistic: window.moveLogistic(choices.moveStrength),
    moveTrees: window.moveTrees(choices.treeRounds),
    pooledTrees: window.pooledTrees(choices.treeRounds),
    ...fitDirection(window, choices),
  }),
  predict: (model, x) => {
    const moveX = movementInputs(model, x);
    const logistic = oddsOfMove(predictSoftmaxRegression(model.moveLogistic, moveX));
    const trees = oddsOfMove(predictBoostedTrees(model.moveTrees, moveX));
    const pooled = oddsOfMove(predictBoostedTrees(model.pooledTrees, moveX));
    return joinParts(geometricMeanOfOdds(logistic, trees, pooled), model, x);
  },
  importance: ({ moveLogistic, moveTrees, pooledTrees }) =>
    meanImportance(coefficientShares(moveLogistic), treeImportance(moveTrees), treeImportance(pooledTrees)),
};
