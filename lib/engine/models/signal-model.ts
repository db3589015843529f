import { at } from "@/lib/engine/column";
import type { FeatureTable } from "@/lib/engine/features";
import { type Matrix, takeColumns } from "@/lib/engine/matrix";
import { type BoostedTrees, predictBoostedTrees, treeImportance } from "./boosted-trees";
import { type Preparation, prepareRows, QUIET_PROFILE } from "./preparation";
import { predictSoftmaxRegression, type SoftmaxRegression } from "./softmax-regression";

/** The forms a signal model can take; each is one challenger. */
export const RECIPES = ["softmax", "logistic", "trees", "blend"] as const;

export type Recipe = (typeof RECIPES)[number];

/** What each recipe is, for the report and the README. */
export const RECIPE_MEANINGS: Readonly<Record<Recipe, string>> = {
  softmax: "one softmax regression over the three classes",
  logistic: "will it move: logistic regression; which way: direction-symmetric logistic regression",
  trees: "will it move: boosted trees; which way: direction-symmetric logistic regression",
  blend: "will it move: geometric mean of logistic regression and boosted trees; which way: as before",
};

/** Features to class probabilities, before calibration. Plain data: it is stored and read back as JSON. */
export type SignalModel =
  | { recipe: "softmax"; preparation: Preparation; classes: SoftmaxRegression }
  | {
      recipe: Exclude<Recipe, "softmax">;
      preparation: Preparation;
      /** Class 1 = the market reaches a barrier. At least one of the two; both in a blend. */
      moveLogistic: SoftmaxRegression | null;
      moveTrees: BoostedTrees | null;
      /** Class 0 = BUY, 1 = SELL, from the odd features alone, without intercept. */
      direction: SoftmaxRegression;
      oddColumns: number[];
    };

/**
 * Class probabilities of some candles, n x 3, row by row.
 *
 * Two parts: P(NO_TRADE) = 1 - P(move), P(BUY) = P(move) P(up | move), P(SELL) the rest.
 *
 * @param rows indices into the table
 */
export function predictSignalModel(
  model: SignalModel,
  table: FeatureTable,
  rows: ArrayLike<number>,
): Float64Array {
  const x = prepareRows(model.preparation, table, rows);
  if (model.recipe === "softmax") return predictSoftmaxRegression(model.classes, x);
  const move = predictMove(model, x);
  const direction = predictSoftmaxRegression(model.direction, takeColumns(x, model.oddColumns));
  const probs = new Float64Array(3 * x.rows);
  for (let i = 0; i < x.rows; i++) {
    const pMove = at(move, i);
    probs[3 * i] = pMove * at(direction, 2 * i);
    probs[3 * i + 1] = pMove * at(direction, 2 * i + 1);
    probs[3 * i + 2] = 1 - pMove;
  }
  return probs;
}

function predictMove(model: Exclude<SignalModel, { recipe: "softmax" }>, x: Matrix): Float64Array {
  const logistic = model.moveLogistic === null ? null : predictSoftmaxRegression(model.moveLogistic, x);
  const trees = model.moveTrees === null ? null : predictBoostedTrees(model.moveTrees, x);
  const move = new Float64Array(x.rows);
  for (let i = 0; i < x.rows; i++) {
    const oddsLogistic = logistic === null ? null : at(logistic, 2 * i + 1) / at(logistic, 2 * i);
    const oddsTrees = trees === null ? null : at(trees, 2 * i + 1) / at(trees, 2 * i);
    // The geometric mean of two probabilities, normalised, is the geometric mean of their odds.
    const odds =
      oddsLogistic !== null && oddsTrees !== null
        ? Math.sqrt(oddsLogistic * oddsTrees)
        : (oddsLogistic ?? oddsTrees);
    if (odds === null) throw new Error("a two-part model has at least one model of movement");
    move[i] = odds / (1 + odds);
  }
  return move;
}

/**
 * How much each column counts, summing to 1: the share of the gain for trees, of |coefficient| on standardised columns
 * for regressions, the mean of both for a blend. Movement only; direction has its own, smaller model.
 */
export function featureImportance(
  model: SignalModel,
  table: FeatureTable,
): { name: string; share: number }[] {
  const names = [...table.definitions.map((d) => d.name), QUIET_PROFILE];
  const parts: number[][] = [];
  if (model.recipe === "softmax") parts.push(coefficientShares(model.classes));
  else {
    if (model.moveLogistic !== null) parts.push(coefficientShares(model.moveLogistic));
    if (model.moveTrees !== null) parts.push(treeImportance(model.moveTrees));
  }
  return names
    .map((name, j) => ({ name, share: parts.reduce((sum, part) => sum + (part[j] ?? 0), 0) / parts.length }))
    .sort((a, b) => b.share - a.share);
}

function coefficientShares(model: SoftmaxRegression): number[] {
  const sums = new Array<number>(model.features).fill(0);
  for (const [i, coefficient] of model.coefficients.entries()) {
    const j = i % model.features;
    sums[j] = (sums[j] ?? 0) + Math.abs(coefficient);
  }
  const total = sums.reduce((a, b) => a + b, 0);
  return total === 0 ? sums : sums.map((sum) => sum / total);
}
