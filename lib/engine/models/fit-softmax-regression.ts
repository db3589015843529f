import { type Breathe, withoutPause } from "@/lib/engine/breathe";
import { at } from "@/lib/engine/column";
import { solvePositiveDefinite } from "@/lib/engine/linear-algebra";
import type { Matrix } from "@/lib/engine/matrix";
import { softmaxInPlace } from "./softmax";
import {
  type Contrasts,
  helmertBasis,
  modelOf,
  startAtFrequencies,
  startAtModel,
  weightsOf,
} from "./softmax-contrasts";
import type { SoftmaxRegression } from "./softmax-regression";

export interface SoftmaxOptions {
  classes: number;
  /** Weight of the data against the penalty; 0 learns nothing beyond the class frequencies. */
  strength: number;
  /** Fit intercepts (never penalised). Without them a direction-symmetric problem stays symmetric. */
  withIntercepts?: boolean;
  /** A model to start from, such as one fitted to fewer rows or with another strength; the optimum stays the same. */
  start?: SoftmaxRegression;
  breathe?: Breathe;
}

const MAX_STEPS = 60;
const BREATH_ROWS = 256;

/**
 * Minimises strength x sum_i(-log p_i) + 0.5 x sum(coefficients^2) by Newton steps with halving, to the exact optimum.
 *
 * Adding one vector to the weights of every class changes no probability, and at the optimum of the penalty the weights
 * sum to 0 over the classes. So they are written as weights_k = sum_a basis(k, a) theta_a with the orthonormal
 * contrasts of Helmert: one block less, the same penalty, and a Hessian that is definite. Cost: rows x features^2 a
 * step, 5 to 10 steps.
 *
 * @param x rows x features, standardised by the caller, without missing values; @param y one class number a row
 * @see Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 4.4
 */
export function fitSoftmaxRegression(
  x: Matrix,
  y: ArrayLike<number>,
  options: SoftmaxOptions,
): SoftmaxRegression {
  const { classes, strength, withIntercepts = true, start, breathe = withoutPause } = options;
  if (y.length !== x.rows) throw new RangeError("one class for each row");
  if (!(strength >= 0)) throw new RangeError("the strength is at least 0");

  const basis = helmertBasis(classes);
  const problem: Problem = { x, y, classes, strength, withIntercepts, basis, breathe };
  const width = x.columns + 1;
  let theta: Float64Array<ArrayBuffer> = new Float64Array((classes - 1) * width);
  if (start !== undefined) startAtModel(theta, start, problem);
  else if (withIntercepts) startAtFrequencies(theta, y, problem);
  if (strength === 0 || x.columns === 0) return modelOf(theta, problem);

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
  return modelOf(theta, problem);
}

/** Largest component of the gradient, per unit of weight of the data, that counts as none. */
const TOLERANCE = 1e-9;

interface Problem extends Contrasts {
  y: ArrayLike<number>;
  strength: number;
  withIntercepts: boolean;
  breathe: Breathe;
}

function objective(problem: Problem, theta: Float64Array): number {
  const { x, y, classes, strength, breathe } = problem;
  const weights = weightsOf(theta, problem);
  const probs = new Float64Array(classes);
  let loss = 0;
  for (let i = 0; i < x.rows; i++) {
    if (i % BREATH_ROWS === 0) breathe();
    probabilitiesOfRow(x, i, weights, classes, probs);
    loss -= Math.log(Math.max(at(probs, y[i] ?? 0), 1e-300));
  }
  const width = x.columns + 1;
  let squares = 0;
  for (let i = 0; i < theta.length; i++) if (i % width < x.columns) squares += at(theta, i) ** 2;
  return strength * loss + 0.5 * squares;
}

function probabilitiesOfRow(
  x: Matrix,
  i: number,
  weights: Float64Array,
  classes: number,
  out: Float64Array,
): void {
  const width = x.columns + 1;
  const row = i * x.columns;
  for (let k = 0; k < classes; k++) {
    let score = at(weights, k * width + x.columns);
    for (let j = 0; j < x.columns; j++) score += at(weights, k * width + j) * at(x.values, row + j);
    out[k] = score;
  }
  softmaxInPlace(out, 0, classes);
}

/**
 * Gradient and Hessian in theta. With z = (x, 1) and C = diag(p) - p p', block (a, b) of the Hessian is
 * strength x sum_i (basis' C basis)(a, b) z z'.
 */
function derivatives(
  problem: Problem,
  theta: Float64Array,
): { gradient: Float64Array; hessian: Float64Array } {
  const { x, y, classes, strength, withIntercepts, basis, breathe } = problem;
  const blocks = classes - 1;
  const width = x.columns + 1;
  const size = blocks * width;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size * size);
  const weights = weightsOf(theta, problem);
  const probs = new Float64Array(classes);
  const z = new Float64Array(width);
  z[x.columns] = withIntercepts ? 1 : 0;

  for (let i = 0; i < x.rows; i++) {
    if (i % BREATH_ROWS === 0) breathe();
    probabilitiesOfRow(x, i, weights, classes, probs);
    for (let j = 0; j < x.columns; j++) z[j] = at(x.values, i * x.columns + j);
    for (let a = 0; a < blocks; a++) {
      let meanA = 0;
      for (let k = 0; k < classes; k++) meanA += at(probs, k) * at(basis, k * blocks + a);
      const error = strength * (meanA - at(basis, (y[i] ?? 0) * blocks + a));
      for (let j = 0; j < width; j++)
        gradient[a * width + j] = at(gradient, a * width + j) + error * at(z, j);
      for (let b = 0; b <= a; b++) {
        let covariance = 0;
        for (let k = 0; k < classes; k++) {
          covariance += at(probs, k) * (at(basis, k * blocks + a) - meanA) * at(basis, k * blocks + b);
        }
        addOuterProduct(hessian, size, a * width, b * width, strength * covariance, z);
      }
    }
  }
  mirrorBlocks(hessian, blocks, width);
  for (let index = 0; index < size; index++) {
    const isIntercept = index % width === x.columns;
    if (isIntercept && withIntercepts) continue;
    gradient[index] = isIntercept ? 0 : at(gradient, index) + at(theta, index);
    hessian[index * size + index] = at(hessian, index * size + index) + 1;
  }
  return { gradient, hessian };
}

/** Adds c z z' (its lower triangle) to the block whose corner is at (row, column). */
function addOuterProduct(
  hessian: Float64Array,
  size: number,
  row: number,
  column: number,
  c: number,
  z: Float64Array,
): void {
  for (let a = 0; a < z.length; a++) {
    const ca = c * at(z, a);
    const offset = (row + a) * size + column;
    for (let b = 0; b <= a; b++) hessian[offset + b] = at(hessian, offset + b) + ca * at(z, b);
  }
}

/** Completes the blocks, each symmetric in itself, and the upper half of the matrix. */
function mirrorBlocks(hessian: Float64Array, blocks: number, width: number): void {
  const size = blocks * width;
  for (let k = 0; k < blocks; k++) {
    for (let l = 0; l <= k; l++) {
      for (let a = 0; a < width; a++) {
        for (let b = 0; b <= a; b++) {
          const value = at(hessian, (k * width + a) * size + l * width + b);
          hessian[(k * width + b) * size + l * width + a] = value;
          hessian[(l * width + a) * size + k * width + b] = value;
          hessian[(l * width + b) * size + k * width + a] = value;
        }
      }
    }
  }
}

/** The Newton step, halved until the objective falls; null when no step improves it any more. */
function descend(
  problem: Problem,
  theta: Float64Array,
  direction: Float64Array,
  value: number,
): { theta: Float64Array<ArrayBuffer>; value: number } | null {
  for (let scale = 1; scale > 1e-6; scale /= 2) {
    const candidate = new Float64Array(theta.length);
    for (let i = 0; i < theta.length; i++) candidate[i] = at(theta, i) - scale * at(direction, i);
    const candidateValue = objective(problem, candidate);
    if (candidateValue < value) return { theta: candidate, value: candidateValue };
  }
  return null;
}
