import { type BoostedTrees, predictBoostedTrees, treeImportance } from "@/lib/engine/models/boosted-trees";
import type { RecipeDefinition } from "./recipe-definition";
import { fitDirection, joinParts, movementInputs, oddsOfMove, type TwoPartModel } from "./two-part";

/**
 * A model in two parts. Movement: boosted trees. Direction: logistic regression. Importance covers movement only, which
 * has the larger model.
 */
export const TREES_RECIPE: RecipeDefinition<TwoPartModel<"trees", null, BoostedTrees>> = {
  usesTrees: true,
  usesPool: false,
  fit: (window, choices) => ({
    recipe: "trees",
    preparation: window.preparation,
    magnitudes: true,
    moveLogistic: null,
    moveTrees: window.moveTrees(choices.treeRounds),
    ...fitDirection(window, choices),
  }),
  predict: (model, x) =>
    joinParts(oddsOfMove(predictBoostedTrees(model.moveTrees, movementInputs(model, x))), model, x),
  importance: ({ moveTrees }) => treeImportance(moveTrees),
};
