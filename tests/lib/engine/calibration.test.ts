import { describe, expect, it } from "vitest";
import {
  applyAnchoredCalibration,
  fitAnchoredCalibration,
  fitAnchoredStrength,
} from "@/lib/engine/calibration/anchored";
import { applyTemperature, fitTemperature } from "@/lib/engine/calibration/temperature";
import { uniformSource } from "@/lib/engine/random";
import { measureCalibration } from "@/lib/engine/scores/calibration-error";

import { flattenRows, meanBrier, meanLogLoss, vectorLabels, vectors } from "./vectors";

const probs = flattenRows(vectors.logistic.proba);
/** softmax(3 x logits): overconfident forecasts, as in the reference vectors. */
const sharp = applyTemperature(1 / 3, probs);

describe("temperature scaling matches the reference", () => {
  it("temperature scaling matches the reference on calibrated and overconfident forecasts", () => {
    expect(Math.abs(fitTemperature(probs, vectorLabels) - vectors.scores.temperature)).toBeLessThan(1e-6);
    const temperature = fitTemperature(sharp, vectorLabels);
    expect(Math.abs(temperature - vectors.scores_sharp.temperature)).toBeLessThan(1e-5);
    const after = applyTemperature(temperature, sharp);
    expect(meanBrier(after, vectorLabels)).toBeCloseTo(vectors.scores_sharp.after.brier3, 6);
    expect(meanLogLoss(after, vectorLabels)).toBeCloseTo(vectors.scores_sharp.after.log_loss, 6);
    expect(measureCalibration(after, vectorLabels).ece).toBeCloseTo(vectors.scores_sharp.after.ece_top_10, 5);
  });

  it("the scores of the overconfident forecasts before any calibration match the reference", () => {
    expect(meanBrier(sharp, vectorLabels)).toBeCloseTo(vectors.scores_sharp.brier3, 6);
    expect(meanLogLoss(sharp, vectorLabels)).toBeCloseTo(vectors.scores_sharp.log_loss, 6);
    expect(measureCalibration(sharp, vectorLabels).ece).toBeCloseTo(vectors.scores_sharp.ece_top_10, 6);
  });
});

describe("anchored calibration", () => {
  it("anchored calibration finds the reference's strength when source and target are the class frequencies", () => {
    const pi = vectors.baseline.frequencies;
    const { s } = fitAnchoredStrength(sharp, vectorLabels, { target: pi, source: pi });
    expect(Math.abs(s - vectors.scores_sharp.prior_anchored_s)).toBeLessThan(1e-5);
  });

  it("anchored calibration replaces uninformative forecasts by the class frequencies", () => {
    const uniform = uniformSource(3);
    const n = 4000;
    const labels = Int8Array.from({ length: n }, () => (uniform() < 0.6 ? 2 : uniform() < 0.5 ? 0 : 1));
    const noise = Float64Array.from({ length: n }, uniform);
    const forecasts = flattenRows(Array.from(noise, (u) => [0.1 + 0.3 * u, 0.4 - 0.3 * u, 0.5]));
    const calibration = fitAnchoredCalibration(forecasts, labels);
    expect(calibration.s).toBeLessThan(0.15);
    const calibrated = applyAnchoredCalibration(calibration, forecasts);
    expect(Math.abs(calibrated[2]! - 0.6)).toBeLessThan(0.03);
    expect(Math.abs(calibrated[0]! - 0.2)).toBeLessThan(0.03);
  });

  it("anchored calibration corrects an over-predicted class without flattening the forecasts", () => {
    const uniform = uniformSource(8);
    const n = 6000;
    const truth = Array.from({ length: n }, () => 0.3 + 0.6 * uniform());
    const labels = Int8Array.from(truth, (p) => (uniform() < p ? 2 : uniform() < 0.5 ? 0 : 1));
    const tooLow = flattenRows(
      truth.map((p) => {
        const odds = (p / (1 - p)) * 0.4;
        const q = odds / (1 + odds);
        return [(1 - q) / 2, (1 - q) / 2, q];
      }),
    );
    const calibrated = applyAnchoredCalibration(fitAnchoredCalibration(tooLow, labels), tooLow);
    expect(measureCalibration(tooLow, labels).ece!).toBeGreaterThan(0.07);
    expect(measureCalibration(calibrated, labels).ece!).toBeLessThan(0.035);
    const noTrade = calibrated.filter((_, i) => i % 3 === 2);
    expect(Math.max(...noTrade) - Math.min(...noTrade)).toBeGreaterThan(0.5);
  });

  it("anchored calibration fitted on an empty sample changes no forecast", () => {
    const calibration = fitAnchoredCalibration(new Float64Array(0), []);
    const same = applyAnchoredCalibration(calibration, probs);
    for (const [i, p] of probs.entries()) expect(same[i]!).toBeCloseTo(p, 9);
  });
});
