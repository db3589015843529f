import { at } from "../column";
import { solvePositiveDefinite } from "../linear-algebra";
import type { Matrix } from "../matrix";
import { softmaxInPlace } from "./softmax";

/** Multinomial logistic regression: p(k | x) = softmax_k(intercept_k + coefficients_k . x). */
export interface SoftmaxRegression {
  classes: number;
  features: number;
  /** classes x features, row by row. */
  coefficients: number[];
  /** One per class, summing to 0; all 0 when fitted without. */
  intercepts: number[];
}

export interface SoftmaxOptions {
  classes: number;
  /** Weight of the data against the penalty; 0 learns nothing beyond the class frequencies. */
  strength: number;
  /** Fit intercepts (never penalised). Without them a direction-symmetric problem stays symmetric. */
  withIntercepts?: boolean;
}

const MAX_STEPS = 60;

/**
 * Minimises strength x sum_i(-log p_i) + 0.5 x sum(coefficients^2) by Newton steps with halving, to the exact optimum.
 *
 * The intercepts are determined up to one constant only: a term that penalises nothing but their sum makes the Hessian
 * definite without moving the optimum, and they are centred. Cost: rows x features^2 a step, 5 to 10 steps.
 *
 * @param x rows x features, standardised by the caller, without missing values; @param y one class number a row
 * @see Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 4.4
 */
export function fitSoftmaxRegression(
  x: Matrix,
  y: ArrayLike<number>,
  options: SoftmaxOptions,
): SoftmaxRegression {
  const { classes, strength, withIntercepts = true } = options;
  if (y.length !== x.rows) throw new RangeError("one class for each row");
  if (!(strength >= 0)) throw new RangeError("the strength is at least 0");

  const width = x.columns + 1;
  let weights = new Float64Array(classes * width);
  if (withIntercepts) startAtFrequencies(weights, y, classes, width);
  if (strength === 0 || x.columns === 0) return toModel(weights, classes, x.columns);

  let value = objective(x, y, weights, options);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = derivatives(x, y, weights, classes, strength, withIntercepts);
    const largest = gradient.reduce((m, g) => Math.max(m, Math.abs(g)), 0);
    if (largest < 1e-9 * Math.max(1, strength * x.rows * 1e-3)) break;
    const direction = solvePositiveDefinite(hessian, gradient);
    const next = descend(weights, direction, (w) => objective(x, y, w, options), value);
    if (next === null) break;
    weights = next.weights;
    value = next.value;
  }
  return toModel(weights, classes, x.columns);
}

/** Class probabilities, rows x classes, row by row. */
export function predictSoftmaxRegression(model: SoftmaxRegression, x: Matrix): Float64Array {
  const { classes, features } = model;
  if (x.columns !== features) throw new RangeError("as many columns as the model has features");
  const coefficients = Float64Array.from(model.coefficients);
  const intercepts = Float64Array.from(model.intercepts);
  const probs = new Float64Array(x.rows * classes);
  for (let i = 0; i < x.rows; i++) {
    for (let k = 0; k < classes; k++) {
      let score = at(intercepts, k);
      for (let j = 0; j < features; j++)
        score += at(coefficients, k * features + j) * at(x.values, i * features + j);
      probs[i * classes + k] = score;
    }
    softmaxInPlace(probs, i * classes, classes);
  }
  return probs;
}

/** Weights per class: the coefficients, then the intercept. */
function startAtFrequencies(
  weights: Float64Array,
  y: ArrayLike<number>,
  classes: number,
  width: number,
): void {
  const counts = new Float64Array(classes).fill(0.5);
  for (let i = 0; i < y.length; i++) counts[y[i] ?? 0] = at(counts, y[i] ?? 0) + 1;
  const logs = counts.map(Math.log);
  const mean = logs.reduce((a, b) => a + b, 0) / classes;
  for (let k = 0; k < classes; k++) weights[k * width + width - 1] = at(logs, k) - mean;
}

function objective(x: Matrix, y: ArrayLike<number>, weights: Float64Array, options: SoftmaxOptions): number {
  const { classes, strength } = options;
  const width = x.columns + 1;
  const probs = new Float64Array(classes);
  let loss = 0;
  for (let i = 0; i < x.rows; i++) {
    probabilitiesOfRow(x, i, weights, classes, probs);
    loss -= Math.log(Math.max(at(probs, y[i] ?? 0), 1e-300));
  }
  let squares = 0;
  for (let k = 0; k < classes; k++) {
    for (let j = 0; j < x.columns; j++) squares += at(weights, k * width + j) ** 2;
  }
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
  for (let k = 0; k < classes; k++) {
    let score = at(weights, k * width + x.columns);
    for (let j = 0; j < x.columns; j++) score += at(weights, k * width + j) * at(x.values, i * x.columns + j);
    out[k] = score;
  }
  softmaxInPlace(out, 0, classes);
}

/** Gradient and Hessian: block (k, l) of the latter is strength x sum_i p_k (1[k=l] - p_l) z z', z = (x, 1). */
function derivatives(
  x: Matrix,
  y: ArrayLike<number>,
  weights: Float64Array,
  classes: number,
  strength: number,
  withIntercepts: boolean,
): { gradient: Float64Array; hessian: Float64Array } {
  const width = x.columns + 1;
  const size = classes * width;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size * size);
  const probs = new Float64Array(classes);
  const z = new Float64Array(width);
  z[width - 1] = withIntercepts ? 1 : 0;

  for (let i = 0; i < x.rows; i++) {
    probabilitiesOfRow(x, i, weights, classes, probs);
    for (let j = 0; j < x.columns; j++) z[j] = at(x.values, i * x.columns + j);
    for (let k = 0; k < classes; k++) {
      const p = at(probs, k);
      const error = strength * (p - (y[i] === k ? 1 : 0));
      for (let j = 0; j < width; j++)
        gradient[k * width + j] = at(gradient, k * width + j) + error * at(z, j);
      for (let l = 0; l <= k; l++) {
        const curvature = strength * p * ((k === l ? 1 : 0) - at(probs, l));
        addOuterProduct(hessian, size, k * width, l * width, curvature, z);
      }
    }
  }
  mirrorBlocks(hessian, classes, width);
  addPenalty(gradient, hessian, weights, classes, width, withIntercepts);
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
) {
  for (let a = 0; a < z.length; a++) {
    const ca = c * at(z, a);
    const offset = (row + a) * size + column;
    for (let b = 0; b <= a; b++) hessian[offset + b] = at(hessian, offset + b) + ca * at(z, b);
  }
}

/** Completes the blocks, each symmetric in itself, and the upper half of the matrix. */
function mirrorBlocks(hessian: Float64Array, classes: number, width: number): void {
  const size = classes * width;
  for (let k = 0; k < classes; k++) {
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

function addPenalty(
  gradient: Float64Array,
  hessian: Float64Array,
  weights: Float64Array,
  classes: number,
  width: number,
  withIntercepts: boolean,
): void {
  const size = classes * width;
  const add = (row: number, column: number, value: number) => {
    hessian[row * size + column] = at(hessian, row * size + column) + value;
  };
  for (let k = 0; k < classes; k++) {
    for (let j = 0; j < width - 1; j++) {
      const index = k * width + j;
      gradient[index] = at(gradient, index) + at(weights, index);
      add(index, index, 1);
    }
    const intercept = k * width + width - 1;
    if (!withIntercepts) {
      gradient[intercept] = 0;
      add(intercept, intercept, 1);
      continue;
    }
    // The direction (1, 1, 1) of the intercepts changes no probability: any curvature there will do.
    for (let l = 0; l < classes; l++) add(intercept, l * width + width - 1, 1);
  }
}

/** The Newton step, halved until the objective falls; null when no step improves it any more. */
function descend(
  weights: Float64Array,
  direction: Float64Array,
  objectiveOf: (weights: Float64Array) => number,
  value: number,
): { weights: Float64Array<ArrayBuffer>; value: number } | null {
  for (let scale = 1; scale > 1e-6; scale /= 2) {
    const candidate = new Float64Array(weights.length);
    for (let i = 0; i < weights.length; i++) candidate[i] = at(weights, i) - scale * at(direction, i);
    const candidateValue = objectiveOf(candidate);
    if (candidateValue < value) return { weights: candidate, value: candidateValue };
  }
  return null;
}

function toModel(weights: Float64Array, classes: number, features: number): SoftmaxRegression {
  const width = features + 1;
  const coefficients: number[] = [];
  const intercepts: number[] = [];
  for (let k = 0; k < classes; k++) {
    for (let j = 0; j < features; j++) coefficients.push(at(weights, k * width + j));
    intercepts.push(at(weights, k * width + features));
  }
  const mean = intercepts.reduce((a, b) => a + b, 0) / classes;
  return { classes, features, coefficients, intercepts: intercepts.map((b) => b - mean) };
}
