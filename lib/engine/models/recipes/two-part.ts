import { elementOrNaN } from "@/lib/engine/column";
import { type Matrix, takeColumns, withMagnitudes } from "@/lib/engine/matrix";
import type { BoostedTrees } from "@/lib/engine/models/boosted-trees";
import type { Hyperparameters } from "@/lib/engine/models/fit-settings";
import { predictSoftmaxRegression, type SoftmaxRegression } from "@/lib/engine/models/softmax-regression";
import type { TrainingWindow } from "@/lib/engine/models/training-window";
import type { RecipeModelBase } from "./recipe-definition";

/** The part that forecasts the direction, given that the market moves. */
export interface DirectionPart {
  /** Class 0 = BUY, 1 = SELL; odd features only, no intercept. */
  direction: SoftmaxRegression;
  oddColumns: number[];
}

/**
 * A model in two parts: whether the class is a direction (1) or NO_TRADE (0), and which direction it is.
 */
export interface TwoPartModel<
  Name extends string,
  Logistic extends SoftmaxRegression | null,
  Trees extends BoostedTrees | null,
> extends RecipeModelBase<Name>,
    DirectionPart {
  /**
   * Set if movement is forecast from the magnitudes of the odd features. Models of earlier releases used them with
   * their sign.
   */
  magnitudes?: true;
  moveLogistic: Logistic;
  moveTrees: Trees;
}

/**
 * The prepared columns from which a model forecasts movement, with magnitudes of the odd ones if it learnt from these.
 */
export function movementInputs(
  { magnitudes, oddColumns }: Pick<TwoPartModel<string, null, null>, "magnitudes" | "oddColumns">,
  x: Matrix,
): Matrix {
  return magnitudes ? withMagnitudes(x, oddColumns) : x;
}

/** Fits the part that forecasts the direction. */
export function fitDirection(window: TrainingWindow, choices: Hyperparameters): DirectionPart {
  return { direction: window.direction(choices.directionStrength), oddColumns: window.oddColumns() };
}

/** Odds of class 1 from the probabilities of two classes, n x 2. */
export function oddsOfMove(probs: Float64Array): Float64Array {
  const odds = new Float64Array(probs.length / 2);
  for (let i = 0; i < odds.length; i++) odds[i] = elementOrNaN(probs, 2 * i + 1) / elementOrNaN(probs, 2 * i);
  return odds;
}

/**
 * Geometric mean of the odds of several forecasts: the odds of the normalised geometric mean of their probabilities.
 */
export function geometricMeanOfOdds(...forecasts: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array()] = forecasts;
  return first.map(
    (_, i) =>
      forecasts.reduce((product, odds) => product * elementOrNaN(odds, i), 1) ** (1 / forecasts.length),
  );
}

/** Mean importance of each column over several models. */
export function meanImportance(...forecasts: readonly (readonly number[])[]): number[] {
  const [first = []] = forecasts;
  return first.map((_, j) => forecasts.reduce((sum, shares) => sum + (shares[j] ?? 0), 0) / forecasts.length);
}

/**
 * Class probabilities from both parts, n x 3: P(NO_TRADE) = 1 - P(move), P(BUY) = P(move) P(up | move), and
 * P(SELL) the rest.
 *
 * @param moveOdds odds that the market moves, one per row of x
 */
export function joinParts(moveOdds: Float64Array, part: DirectionPart, x: Matrix): Float64Array {
  const direction = predictSoftmaxRegression(part.direction, takeColumns(x, part.oddColumns));
  const probs = new Float64Array(3 * x.rows);
  for (let i = 0; i < x.rows; i++) {
    const pMove = elementOrNaN(moveOdds, i) / (1 + elementOrNaN(moveOdds, i));
    probs[3 * i] = pMove * elementOrNaN(direction, 2 * i);
    probs[3 * i + 1] = pMove * elementOrNaN(direction, 2 * i + 1);
    probs[3 * i + 2] = 1 - pMove;
  }
  return probs;
}
