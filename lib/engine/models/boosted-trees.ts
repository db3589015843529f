import { elementOrNaN } from "@/lib/engine/column";
import type { Matrix } from "@/lib/engine/matrix";
import { binFeatures } from "./binning";
import { softmaxInPlace } from "./softmax";
import { type Tree, TreeGrower, type TreeOptions, treeValue } from "./tree";

/** Gradient-boosted trees: score_k(x) = start_k + sum over rounds of tree_k(x), probabilities by softmax. */
export interface BoostedTrees {
  classes: number;
  features: number;
  /** Log class frequencies, centred to sum 0; one number, the log odds of class 1, when there are two classes. */
  start: number[];
  /** rounds x (classes, or 1 when there are two). */
  rounds: Tree[][];
}

export interface BoostingOptions extends TreeOptions {
  classes: number;
  maxRounds: number;
  /** Maximum number of bins per feature, 2..256. */
  maxBins: number;
}

/** Validation rows for early stopping: later than the training rows, after a gap. */
export interface StoppingSample {
  x: Matrix;
  y: ArrayLike<number>;
  /** Rounds without improvement of the log-loss after which boosting stops. */
  patience: number;
}

/**
 * Fits gradient-boosted trees to the log-loss, with gradient p - y and Hessian p (1 - p) per class; two classes share
 * one tree per round. With a stopping sample, all rounds after its lowest log-loss are dropped, possibly all
 * of them. Nothing is random.
 *
 * @param x rows x features without missing values
 * @param y class numbers
 * @see Friedman, Greedy Function Approximation, Annals of Statistics 29 (2001)
 */
export function fitBoostedTrees(
  x: Matrix,
  y: ArrayLike<number>,
  options: BoostingOptions,
  stopping?: StoppingSample,
): BoostedTrees {
  const { classes, maxRounds, maxBins } = options;
  if (y.length !== x.rows) throw new RangeError("expected one class per row");
  const outputs = classes === 2 ? 1 : classes;
  const start = startScores(y, classes);
  const model: BoostedTrees = { classes, features: x.columns, start, rounds: [] };
  const binning = binFeatures(x, maxBins);
  const grower = new TreeGrower(binning, x.rows, options);
  const scores = startMatrix(x.rows, start);
  const probs = new Float64Array(x.rows * classes);
  const gradients = new Float64Array(x.rows);
  const hessians = new Float64Array(x.rows);
  const watch = stopping === undefined ? null : new StoppingWatch(stopping, start, classes);

  for (let round = 0; round < maxRounds; round++) {
    setProbabilities(probs, scores, classes);
    const trees: Tree[] = [];
    for (let k = 0; k < outputs; k++) {
      setDerivatives(gradients, hessians, probs, y, { classes, k: classes === 2 ? 1 : k });
      trees.push(grower.grow(gradients, hessians));
      const { fitted } = grower;
      for (let i = 0; i < x.rows; i++)
        scores[i * outputs + k] = elementOrNaN(scores, i * outputs + k) + elementOrNaN(fitted, i);
    }
    model.rounds.push(trees);
    if (watch?.shouldStopAfter(trees)) break;
  }
  if (watch !== null) model.rounds.length = watch.bestRounds;
  return model;
}

/** Class probabilities, rows x classes, row by row. */
export function predictBoostedTrees(model: BoostedTrees, x: Matrix): Float64Array {
  if (x.columns !== model.features) throw new RangeError("expected one column per feature");
  const scores = startMatrix(x.rows, model.start);
  for (const trees of model.rounds) addTrees(scores, trees, x);
  const probs = new Float64Array(x.rows * model.classes);
  setProbabilities(probs, scores, model.classes);
  return probs;
}

/** Share of each feature in the total gain of a model's splits; all 0 if no tree has a split. */
export function treeImportance(model: BoostedTrees): number[] {
  const gains = new Array<number>(model.features).fill(0);
  for (const tree of model.rounds.flat()) {
    for (const [node, feature] of tree.feature.entries()) {
      if (feature >= 0) gains[feature] = (gains[feature] ?? 0) + (tree.gain[node] ?? 0);
    }
  }
  const total = gains.reduce((a, b) => a + b, 0);
  return total === 0 ? gains : gains.map((gain) => gain / total);
}

function startScores(y: ArrayLike<number>, classes: number): number[] {
  const counts = new Array<number>(classes).fill(0);
  for (let i = 0; i < y.length; i++) counts[y[i] ?? 0] = (counts[y[i] ?? 0] ?? 0) + 1;
  // Counting an unseen class as half a row keeps its logarithm finite.
  const logs = counts.map((count) => Math.log(Math.max(count, 0.5) / Math.max(y.length, 1)));
  if (classes === 2) return [(logs[1] ?? 0) - (logs[0] ?? 0)];
  const mean = logs.reduce((a, b) => a + b, 0) / classes;
  return logs.map((log) => log - mean);
}

function startMatrix(rows: number, start: readonly number[]): Float64Array {
  const scores = new Float64Array(rows * start.length);
  for (let i = 0; i < rows; i++) scores.set(start, i * start.length);
  return scores;
}

/** Sets the probabilities of all classes from the scores; with two classes the score is the log odds of class 1. */
function setProbabilities(probs: Float64Array, scores: Float64Array, classes: number): void {
  const rows = probs.length / classes;
  if (classes === 2) {
    for (let i = 0; i < rows; i++) {
      const p = 1 / (1 + Math.exp(-elementOrNaN(scores, i)));
      probs[2 * i] = 1 - p;
      probs[2 * i + 1] = p;
    }
    return;
  }
  probs.set(scores);
  for (let i = 0; i < rows; i++) softmaxInPlace(probs, i * classes, classes);
}

/** Sets gradient and Hessian of the log-loss in the score of class k. */
function setDerivatives(
  gradients: Float64Array,
  hessians: Float64Array,
  probs: Float64Array,
  y: ArrayLike<number>,
  { classes, k }: { classes: number; k: number },
): void {
  for (let i = 0; i < y.length; i++) {
    const p = elementOrNaN(probs, i * classes + k);
    gradients[i] = p - (y[i] === k ? 1 : 0);
    hessians[i] = p * (1 - p);
  }
}

function addTrees(scores: Float64Array, trees: readonly Tree[], x: Matrix): void {
  for (const [k, tree] of trees.entries()) {
    for (let i = 0; i < x.rows; i++) {
      const cell = i * trees.length + k;
      scores[cell] = elementOrNaN(scores, cell) + treeValue(tree, x.values, i * x.columns);
    }
  }
}

/** Tracks the log-loss of the stopping sample round by round. */
class StoppingWatch {
  bestRounds = 0;
  private rounds = 0;
  private bestLoss: number;
  private readonly scores: Float64Array;
  private readonly probs: Float64Array;

  constructor(
    private readonly sample: StoppingSample,
    start: readonly number[],
    private readonly classes: number,
  ) {
    this.scores = startMatrix(sample.x.rows, start);
    this.probs = new Float64Array(sample.x.rows * classes);
    this.bestLoss = this.loss();
  }

  shouldStopAfter(trees: readonly Tree[]): boolean {
    addTrees(this.scores, trees, this.sample.x);
    this.rounds++;
    const loss = this.loss();
    if (loss < this.bestLoss) {
      this.bestLoss = loss;
      this.bestRounds = this.rounds;
    }
    return this.rounds - this.bestRounds >= this.sample.patience;
  }

  private loss(): number {
    const { probs } = this;
    setProbabilities(probs, this.scores, this.classes);
    let sum = 0;
    for (let i = 0; i < this.sample.x.rows; i++) {
      sum -= Math.log(Math.max(elementOrNaN(probs, i * this.classes + (this.sample.y[i] ?? 0)), 1e-15));
    }
    return sum / Math.max(1, this.sample.x.rows);
  }
}
