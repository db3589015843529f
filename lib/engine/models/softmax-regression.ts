import { elementOrNaN } from "@/lib/engine/column";
import type { Matrix } from "@/lib/engine/matrix";
import { softmaxInPlace } from "./softmax";

/** Multinomial logistic regression: p(k | x) = softmax_k(intercept_k + coefficients_k . x). */
export interface SoftmaxRegression {
  classes: number;
  features: number;
  /** classes x features, row by row. */
  coefficients: number[];
  /** One per class, summing to 0; all 0 if the model was fitted without intercepts. */
  intercepts: number[];
}

/** Class probabilities, rows x classes, row by row. */
export function predictSoftmaxRegression(model: SoftmaxRegression, x: Matrix): Float64Array {
  const { classes, features } = model;
  if (x.columns !== features) throw new RangeError("expected one column per feature");
  const coefficients = Float64Array.from(model.coefficients);
  const intercepts = Float64Array.from(model.intercepts);
  const probs = new Float64Array(x.rows * classes);
  for (let i = 0; i < x.rows; i++) {
    for (let k = 0; k < classes; k++) {
      let score = elementOrNaN(intercepts, k);
      for (let j = 0; j < features; j++)
        score += elementOrNaN(coefficients, k * features + j) * elementOrNaN(x.values, i * features + j);
      probs[i * classes + k] = score;
    }
    softmaxInPlace(probs, i * classes, classes);
  }
  return probs;
}

/** Share of each feature in the sum of |coefficient|, for standardised columns; all 0 if all coefficients are 0. */
export function coefficientShares(model: SoftmaxRegression): number[] {
  const sums = new Array<number>(model.features).fill(0);
  for (const [i, coefficient] of model.coefficients.entries()) {
    const j = i % model.features;
    sums[j] = (sums[j] ?? 0) + Math.abs(coefficient);
  }
  const total = sums.reduce((a, b) => a + b, 0);
  return total === 0 ? sums : sums.map((sum) => sum / total);
}
