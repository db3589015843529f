import { elementOrNaN } from "@/lib/engine/column";
import { solvePositiveDefinite } from "@/lib/engine/linear-algebra";
import type { Matrix } from "@/lib/engine/matrix";
import { neverPause, type PauseHook } from "@/lib/engine/pause-hook";
import { softmaxInPlace } from "./softmax";
import {
  type ContrastCoding,
  helmertBasis,
  setContrastsToFrequencies,
  setContrastsToModel,
  softmaxRegressionFromContrasts,
  weightsOfContrasts,
} from "./softmax-contrasts";
import type { SoftmaxRegression } from "./softmax-regression";

export interface SoftmaxOptions {
  classes: number;
  /** Weight of the data against the penalty. 0 learns only the class frequencies, or gives `start` if there is one. */
  strength: number;
  /**
   * Whether to fit intercepts, which are never penalised. Without them a direction-symmetric problem stays symmetric.
   */
  withIntercepts?: boolean;
  /**
   * A model to start from, such as one of fewer rows or another strength. With a `strength` above 0 the optimum does
   * not depend on it.
   */
  start?: SoftmaxRegression;
  breathe?: PauseHook;
}

const MAX_STEPS = 60;
const BREATH_ROWS = 256;

/**
 * Minimises strength x sum_i(-log p_i) + 0.5 x sum(coefficients^2) exactly, by Newton steps with halving.
 *
 * Adding one vector to the weights of every class changes no probability, and at the optimum the weights sum
 * to 0 over the classes. Therefore weights_k = sum_a basis(k, a) theta_a with Helmert's orthonormal
 * contrasts: one block less, the same penalty, and a definite Hessian. Cost: rows x features^2 per step, 5 to
 * 10 steps.
 *
 * @param x rows x features, standardised by the caller, without missing values
 * @param y one class number per row
 * @see Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 4.4
 */
export function fitSoftmaxRegression(
  x: Matrix,
  y: ArrayLike<number>,
  options: SoftmaxOptions,
): SoftmaxRegression {
  const { classes, strength, withIntercepts = true, start, breathe = neverPause } = options;
  if (y.length !== x.rows) throw new RangeError("expected one class per row");
  if (!(strength >= 0)) throw new RangeError("the strength is at least 0");

  const basis = helmertBasis(classes);
  const probs = new Float64Array(x.rows * classes);
  const problem: Problem = { x, y, classes, strength, withIntercepts, basis, probs, breathe };
  const width = x.columns + 1;
  let theta: Float64Array<ArrayBuffer> = new Float64Array((classes - 1) * width);
  if (start !== undefined) setContrastsToModel(theta, start, problem);
  else if (withIntercepts) setContrastsToFrequencies(theta, y, problem);
  if (strength === 0 || x.columns === 0) return softmaxRegressionFromContrasts(theta, problem);

  let value = objective(problem, theta);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = derivatives(problem, theta);
    const largest = gradient.reduce((m, g) => Math.max(m, Math.abs(g)), 0);
    if (largest < TOLERANCE * Math.max(1, strength * x.rows)) break;
    const next = descend(problem, theta, solvePositiveDefinite(hessian, gradient), value);
    if (next === null) break;
    theta = next.theta;
    value = next.value;
  }
  return softmaxRegressionFromContrasts(theta, problem);
}

/** Convergence limit: largest component of the gradient per unit of data weight. */
const TOLERANCE = 1e-9;

interface Problem extends ContrastCoding {
  y: ArrayLike<number>;
  strength: number;
  withIntercepts: boolean;
  /** Probabilities of the rows, rows x classes, at the last point where the objective was computed. */
  probs: Float64Array;
  breathe: PauseHook;
}

function objective(problem: Problem, theta: Float64Array): number {
  const { x, y, classes, strength, probs, breathe } = problem;
  const weights = weightsOfContrasts(theta, problem);
  let loss = 0;
  for (let i = 0; i < x.rows; i++) {
    if (i % BREATH_ROWS === 0) breathe();
    setProbabilitiesOfRow(probs, x, i, weights, classes);
    loss -= Math.log(Math.max(elementOrNaN(probs, i * classes + (y[i] ?? 0)), 1e-300));
  }
  const width = x.columns + 1;
  let squares = 0;
  for (let i = 0; i < theta.length; i++) if (i % width < x.columns) squares += elementOrNaN(theta, i) ** 2;
  return strength * loss + 0.5 * squares;
}

function setProbabilitiesOfRow(
  probs: Float64Array,
  x: Matrix,
  i: number,
  weights: Float64Array,
  classes: number,
): void {
  const { columns, values } = x;
  const row = i * columns;
  const own = i * classes;
  // With two classes, their weights differ only in sign.
  const summed = classes === 2 ? 1 : classes;
  for (let k = 0; k < summed; k++) {
    const weight = k * (columns + 1);
    let score = elementOrNaN(weights, weight + columns);
    for (let j = 0; j < columns; j++)
      score += elementOrNaN(weights, weight + j) * elementOrNaN(values, row + j);
    probs[own + k] = score;
  }
  if (classes === 2) probs[own + 1] = -elementOrNaN(probs, own);
  softmaxInPlace(probs, own, classes);
}

/**
 * Gradient and Hessian in theta at the last point where the objective was computed. With z = (x, 1) and C =
 * diag(p) - p p', block (a, b) of the Hessian is strength x sum_i (basis' C basis)(a, b) z z'.
 */
function derivatives(
  problem: Problem,
  theta: Float64Array,
): { gradient: Float64Array; hessian: Float64Array } {
  const { x, y, classes, strength, withIntercepts, basis, probs, breathe } = problem;
  const blocks = classes - 1;
  const width = x.columns + 1;
  const size = blocks * width;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size * size);
  const batch = new RowBatch(width, (blocks * (blocks + 1)) / 2);

  for (let i = 0; i < x.rows; i++) {
    if (i % BREATH_ROWS === 0) breathe();
    const own = i * classes;
    const row = i * x.columns;
    const z = batch.next();
    for (let j = 0; j < x.columns; j++) z[j] = elementOrNaN(x.values, row + j);
    z[x.columns] = withIntercepts ? 1 : 0;
    for (let a = 0; a < blocks; a++) {
      let meanA = 0;
      for (let k = 0; k < classes; k++)
        meanA += elementOrNaN(probs, own + k) * elementOrNaN(basis, k * blocks + a);
      const error = strength * (meanA - elementOrNaN(basis, (y[i] ?? 0) * blocks + a));
      const offset = a * width;
      for (let j = 0; j < width; j++)
        gradient[offset + j] = elementOrNaN(gradient, offset + j) + error * elementOrNaN(z, j);
      for (let b = 0; b <= a; b++) {
        let covariance = 0;
        for (let k = 0; k < classes; k++) {
          covariance +=
            elementOrNaN(probs, own + k) *
            (elementOrNaN(basis, k * blocks + a) - meanA) *
            elementOrNaN(basis, k * blocks + b);
        }
        batch.weigh((a * (a + 1)) / 2 + b, strength * covariance);
      }
    }
    if (batch.isFull || i === x.rows - 1) batch.addTo(hessian, size);
  }
  mirrorBlocks(hessian, blocks, width);
  for (let index = 0; index < size; index++) {
    const isIntercept = index % width === x.columns;
    if (isIntercept && withIntercepts) continue;
    gradient[index] = isIntercept ? 0 : elementOrNaN(gradient, index) + elementOrNaN(theta, index);
    hessian[index * size + index] = elementOrNaN(hessian, index * size + index) + 1;
  }
  return { gradient, hessian };
}

/** Eight columns as a tuple: a loop over named columns keeps them in registers. */
type Eight = [
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
];

/**
 * Buffers eight rows whose outer products are added to a Hessian together. Reading and writing its cells
 * dominates the time, and this does it an eighth as often.
 */
class RowBatch {
  #held = 0;
  readonly #rows: Eight;
  /** Weight of each row in each pair of blocks of the lower triangle. */
  readonly #weights: Eight;

  constructor(
    private readonly width: number,
    private readonly pairs: number,
  ) {
    // The tuple has eight elements by construction.
    const eight = (length: number) => Array.from({ length: 8 }, () => new Float64Array(length)) as Eight;
    this.#rows = eight(width);
    this.#weights = eight(pairs);
  }

  get isFull(): boolean {
    return this.#held === this.#rows.length;
  }

  /** Buffer of the next row, to be filled by the caller. */
  next(): Float64Array {
    return this.#rows[this.#held++] ?? this.#rows[0];
  }

  weigh(pair: number, weight: number): void {
    const weights = this.#weights[this.#held - 1] ?? this.#weights[0];
    weights[pair] = weight;
  }

  /** Adds weight x row row' (lower triangle) of every buffered row to each block, and empties the buffer. */
  addTo(hessian: Float64Array, size: number): void {
    for (let row = this.#held; row < this.#rows.length; row++) this.#weights[row]?.fill(0);
    for (let pair = 0, a = 0, b = 0; pair < this.pairs; pair++) {
      this.#addBlock(hessian, size, a * this.width, b * this.width, pair);
      if (b < a) b++;
      else [a, b] = [a + 1, 0];
    }
    this.#held = 0;
  }

  #addBlock(hessian: Float64Array, size: number, row: number, column: number, pair: number): void {
    const [z0, z1, z2, z3, z4, z5, z6, z7] = this.#rows;
    const [w0, w1, w2, w3, w4, w5, w6, w7] = this.#weights;
    for (let a = 0; a < this.width; a++) {
      const c0 = elementOrNaN(w0, pair) * elementOrNaN(z0, a);
      const c1 = elementOrNaN(w1, pair) * elementOrNaN(z1, a);
      const c2 = elementOrNaN(w2, pair) * elementOrNaN(z2, a);
      const c3 = elementOrNaN(w3, pair) * elementOrNaN(z3, a);
      const c4 = elementOrNaN(w4, pair) * elementOrNaN(z4, a);
      const c5 = elementOrNaN(w5, pair) * elementOrNaN(z5, a);
      const c6 = elementOrNaN(w6, pair) * elementOrNaN(z6, a);
      const c7 = elementOrNaN(w7, pair) * elementOrNaN(z7, a);
      const offset = (row + a) * size + column;
      for (let b = 0; b <= a; b++) {
        hessian[offset + b] =
          elementOrNaN(hessian, offset + b) +
          c0 * elementOrNaN(z0, b) +
          c1 * elementOrNaN(z1, b) +
          c2 * elementOrNaN(z2, b) +
          c3 * elementOrNaN(z3, b) +
          c4 * elementOrNaN(z4, b) +
          c5 * elementOrNaN(z5, b) +
          c6 * elementOrNaN(z6, b) +
          c7 * elementOrNaN(z7, b);
      }
    }
  }
}

/** Fills each block, and then the upper half of the matrix, from their lower halves. */
function mirrorBlocks(hessian: Float64Array, blocks: number, width: number): void {
  const size = blocks * width;
  for (let k = 0; k < blocks; k++) {
    for (let l = 0; l <= k; l++) {
      for (let a = 0; a < width; a++) {
        for (let b = 0; b <= a; b++) {
          const value = elementOrNaN(hessian, (k * width + a) * size + l * width + b);
          hessian[(k * width + b) * size + l * width + a] = value;
          hessian[(l * width + a) * size + k * width + b] = value;
          hessian[(l * width + b) * size + k * width + a] = value;
        }
      }
    }
  }
}

/** One Newton step, halved until the objective falls; null if no step improves it. */
function descend(
  problem: Problem,
  theta: Float64Array,
  direction: Float64Array,
  value: number,
): { theta: Float64Array<ArrayBuffer>; value: number } | null {
  for (let scale = 1; scale > 1e-6; scale /= 2) {
    const candidate = new Float64Array(theta.length);
    for (let i = 0; i < theta.length; i++)
      candidate[i] = elementOrNaN(theta, i) - scale * elementOrNaN(direction, i);
    const candidateValue = objective(problem, candidate);
    if (candidateValue < value) return { theta: candidate, value: candidateValue };
  }
  return null;
}
