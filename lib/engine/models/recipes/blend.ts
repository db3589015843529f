import { at } from "@/lib/engine/column";
import { type BoostedTrees, predictBoostedTrees, treeImportance } from "@/lib/engine/models/boosted-trees";
import {
  coefficientShares,
  predictSoftmaxRegression,
  type SoftmaxRegression,
} from "@/lib/engine/models/softmax-regression";
import type { RecipeDefinition } from "./recipe-definition";
import { fitDirection, joinParts, oddsOfMove, type TwoPartModel } from "./two-part";

/** Two parts, movement by a regression and by trees. Importance is the mean of both, and of movement only. */
export const BLEND: RecipeDefinition<TwoPartModel<"blend", SoftmaxRegression, BoostedTrees>> = {
  meaning: "will it move: geometric mean of logistic regression and boosted trees; which way: as before",
  usesTrees: true,
  fit: (window, choices) => ({
    recipe: "blend",
    preparation: window.preparation,
    moveLogistic: window.moveLogistic(choices.moveStrength),
    moveTrees: window.moveTrees(choices.treeRounds),
    ...fitDirection(window, choices),
  }),
  predict: (model, x) => {
    const logistic = oddsOfMove(predictSoftmaxRegression(model.moveLogistic, x));
    const trees = oddsOfMove(predictBoostedTrees(model.moveTrees, x));
    // The geometric mean of two probabilities, normalised, is the geometric mean of their odds.
    const odds = logistic.map((value, i) => Math.sqrt(value * at(trees, i)));
    return joinParts(odds, model, x);
  },
  importance: ({ moveLogistic, moveTrees }) => {
    const ofTrees = treeImportance(moveTrees);
    return coefficientShares(moveLogistic).map((share, j) => (share + (ofTrees[j] ?? 0)) / 2);
  },
};
