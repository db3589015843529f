import { describe, expect, it } from "vitest";
import type { Matrix } from "@/lib/engine/matrix";
import { fitSoftmaxRegression } from "@/lib/engine/models/fit-softmax-regression";
import { predictSoftmaxRegression } from "@/lib/engine/models/softmax-regression";
import { uniformSource } from "@/lib/engine/random";
import { normalSource } from "@/tests/lib/engine/normal-source";
import { flattenRows, vectorLabels, vectors } from "@/tests/lib/engine/vectors";

const x: Matrix = { rows: 200, columns: 5, values: flattenRows(vectors.classification.X) };

describe("fitSoftmaxRegression", () => {
  it("fitSoftmaxRegression finds the reference's coefficients, intercepts and probabilities", () => {
    const model = fitSoftmaxRegression(x, vectorLabels, { classes: 3, strength: vectors.logistic.C });
    for (const [k, row] of vectors.logistic.coef.entries()) {
      for (const [j, value] of row.entries()) {
        expect(Math.abs(model.coefficients[k * 5 + j]! - value)).toBeLessThan(1e-8);
      }
      expect(Math.abs(model.intercepts[k]! - vectors.logistic.intercept[k]!)).toBeLessThan(1e-8);
    }
    const probs = predictSoftmaxRegression(model, x);
    for (const [i, p] of flattenRows(vectors.logistic.proba).entries())
      expect(Math.abs(probs[i]! - p)).toBeLessThan(1e-8);
  });

  it("fitSoftmaxRegression learns only the class frequencies at strength 0", () => {
    const model = fitSoftmaxRegression(x, vectorLabels, { classes: 3, strength: 0 });
    const probs = predictSoftmaxRegression(model, x);
    for (let k = 0; k < 3; k++)
      expect(Math.abs(probs[k]! - vectors.baseline.frequencies[k]!)).toBeLessThan(0.005);
    expect(new Set(model.coefficients)).toEqual(new Set([0]));
  });

  it("the probabilities of fitSoftmaxRegression are spread less with a stronger penalty", () => {
    const spread = (strength: number) => {
      const probs = predictSoftmaxRegression(
        fitSoftmaxRegression(x, vectorLabels, { classes: 3, strength }),
        x,
      );
      return Math.max(...probs) - Math.min(...probs);
    };
    expect(spread(0.0001)).toBeLessThan(spread(0.01));
    expect(spread(0.01)).toBeLessThan(spread(1));
  });

  it("fitSoftmaxRegression without intercepts swaps the probabilities of two classes for mirrored features", () => {
    const normal = normalSource(uniformSource(2));
    const values = Float64Array.from({ length: 300 * 2 }, normal);
    const sample: Matrix = { rows: 300, columns: 2, values };
    const y = Int8Array.from({ length: 300 }, (_, i) => (values[2 * i]! + normal() > 0.4 ? 1 : 0));
    const model = fitSoftmaxRegression(sample, y, { classes: 2, strength: 1, withIntercepts: false });
    const mirrored: Matrix = { ...sample, values: values.map((v) => -v) };
    const [p, q] = [predictSoftmaxRegression(model, sample), predictSoftmaxRegression(model, mirrored)];
    for (let i = 0; i < 300; i++) expect(p[2 * i]!).toBeCloseTo(q[2 * i + 1]!, 10);
  });

  it("fitSoftmaxRegression has finite coefficients on separable data with a penalty", () => {
    const separable: Matrix = { rows: 4, columns: 1, values: Float64Array.from([-2, -1, 1, 2]) };
    const model = fitSoftmaxRegression(separable, [0, 0, 1, 1], { classes: 2, strength: 100 });
    expect(model.coefficients.every(Number.isFinite)).toBe(true);
    expect(predictSoftmaxRegression(model, separable)[0]!).toBeGreaterThan(0.95);
  });
});
