import { elementOrNaN } from "@/lib/engine/column";
import type { Matrix } from "@/lib/engine/matrix";
import type { SoftmaxRegression } from "./softmax-regression";

/**
 * Basis and shape of a softmax regression: what is needed to convert contrasts (theta) into weights per class and back.
 */
export interface ContrastCoding {
  x: Matrix;
  classes: number;
  /** classes x (classes - 1), row by row. */
  basis: Float64Array;
}

/** Orthonormal columns that each sum to 0: column a contrasts the first a + 1 classes with the next one. */
export function helmertBasis(classes: number): Float64Array {
  const basis = new Float64Array(classes * (classes - 1));
  for (let a = 0; a < classes - 1; a++) {
    const norm = Math.sqrt((a + 1) * (a + 2));
    for (let k = 0; k <= a; k++) basis[k * (classes - 1) + a] = 1 / norm;
    basis[(a + 1) * (classes - 1) + a] = -(a + 1) / norm;
  }
  return basis;
}

/** Sets the intercepts in `theta` to the log class frequencies. Newton's method converges from there in few steps. */
export function setContrastsToFrequencies(
  theta: Float64Array,
  y: ArrayLike<number>,
  { x, classes, basis }: ContrastCoding,
): void {
  const counts = new Float64Array(classes).fill(0.5);
  for (let i = 0; i < y.length; i++) counts[y[i] ?? 0] = elementOrNaN(counts, y[i] ?? 0) + 1;
  for (let a = 0; a < classes - 1; a++) {
    let sum = 0;
    for (let k = 0; k < classes; k++)
      sum += elementOrNaN(basis, k * (classes - 1) + a) * Math.log(elementOrNaN(counts, k));
    theta[a * (x.columns + 1) + x.columns] = sum;
  }
}

/** Sets `theta` to the weights of the model `start`. Throws RangeError for a model of another shape. */
export function setContrastsToModel(
  theta: Float64Array,
  start: SoftmaxRegression,
  { x, classes, basis }: ContrastCoding,
): void {
  if (start.classes !== classes || start.features !== x.columns)
    throw new RangeError("the start has another shape");
  const width = x.columns + 1;
  for (let a = 0; a < classes - 1; a++) {
    for (let j = 0; j < width; j++) {
      let sum = 0;
      for (let k = 0; k < classes; k++) {
        const weight = j < x.columns ? start.coefficients[k * x.columns + j] : start.intercepts[k];
        sum += elementOrNaN(basis, k * (classes - 1) + a) * (weight ?? 0);
      }
      theta[a * width + j] = sum;
    }
  }
}

/** Weights per class from the contrasts: the coefficients, then the intercept. */
export function weightsOfContrasts(theta: Float64Array, { x, classes, basis }: ContrastCoding): Float64Array {
  const width = x.columns + 1;
  const weights = new Float64Array(classes * width);
  for (let k = 0; k < classes; k++) {
    for (let a = 0; a < classes - 1; a++) {
      const share = elementOrNaN(basis, k * (classes - 1) + a);
      for (let j = 0; j < width; j++) {
        weights[k * width + j] =
          elementOrNaN(weights, k * width + j) + share * elementOrNaN(theta, a * width + j);
      }
    }
  }
  return weights;
}

export function softmaxRegressionFromContrasts(
  theta: Float64Array,
  problem: ContrastCoding,
): SoftmaxRegression {
  const { classes, x } = problem;
  const weights = weightsOfContrasts(theta, problem);
  const width = x.columns + 1;
  const coefficients: number[] = [];
  const intercepts: number[] = [];
  for (let k = 0; k < classes; k++) {
    for (let j = 0; j < x.columns; j++) coefficients.push(elementOrNaN(weights, k * width + j));
    intercepts.push(elementOrNaN(weights, k * width + x.columns));
  }
  return { classes, features: x.columns, coefficients, intercepts };
}
