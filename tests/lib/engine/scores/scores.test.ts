import { describe, expect, it } from "vitest";
import { uniformSource } from "@/lib/engine/random";
import { aucBinary } from "@/lib/engine/scores/auc";
import { measureCalibration } from "@/lib/engine/scores/calibration-error";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import { normalCdf, normalQuantile } from "@/lib/engine/scores/normal";
import {
  binCounts,
  featureStatistics,
  populationStabilityIndex,
} from "@/lib/engine/scores/population-stability";
import { maxDrawdown, profitFactor } from "@/lib/engine/scores/results";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { normalSource } from "@/tests/lib/engine/normal-source";
import { flattenRows, meanBrier, vectorLabels, vectors } from "@/tests/lib/engine/vectors";

const probs = flattenRows(vectors.logistic.proba);

describe("scores match the reference", () => {
  it("Brier score and calibration error match the reference", () => {
    expect(Math.abs(meanBrier(probs, vectorLabels) - vectors.scores.brier3)).toBeLessThan(1e-6);
    const { ece, bins } = measureCalibration(probs, vectorLabels, 10);
    expect(Math.abs(ece! - vectors.scores.ece_top_10)).toBeLessThan(1e-6);
    expect(bins).toHaveLength(10);
    expect(bins[0]).toEqual({ lo: 0, hi: 0.1, n: 0, avgConfidence: null, hitRate: null });
    expect(bins.reduce((n, bin) => n + bin.n, 0)).toBe(200);
  });

  it("the Brier score of the class frequencies as a forecast matches the reference", () => {
    const constant = flattenRows(Array.from({ length: 200 }, () => vectors.baseline.frequencies));
    expect(meanBrier(constant, vectorLabels)).toBeCloseTo(vectors.baseline.brier3, 9);
  });

  it("AUC of each class and of BUY against SELL match the reference", () => {
    for (const [k, expected] of vectors.scores.auc_per_class.entries()) {
      const auc = aucBinary(
        vectors.logistic.proba.map((p) => p[k]!),
        Array.from(vectorLabels, (label) => label === k),
      );
      expect(auc).toBeCloseTo(expected, 9);
    }
    const directional = [...vectorLabels.keys()].filter((i) => vectorLabels[i] !== 2);
    const auc = aucBinary(
      directional.map((i) => probs[3 * i]! / (probs[3 * i]! + probs[3 * i + 1]!)),
      directional.map((i) => vectorLabels[i] === 0),
    );
    expect(auc).toBeCloseTo(vectors.scores.auc_buy_vs_sell, 9);
  });
});

describe("aucBinary", () => {
  it("aucBinary counts ties as half and is null with one group only", () => {
    expect(aucBinary([1, 1, 1, 1], [true, false, true, false])).toBe(0.5);
    expect(aucBinary([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])).toBe(0.75);
    expect(aucBinary([1, 2], [1, 1])).toBeNull();
  });
});

describe("wilsonInterval", () => {
  it("the Wilson interval has the published bounds for 81 of 263", () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I: 0.2553 to 0.3662.
    const [low, high] = wilsonInterval(81 / 263, 263);
    expect(low).toBeCloseTo(0.2553, 4);
    expect(high).toBeCloseTo(0.3662, 4);
  });

  it("the Wilson interval stays inside 0..1, is 0 to 1 without trials, and is wider with fewer trials", () => {
    expect(wilsonInterval(0, 10)[0]).toBe(0);
    expect(wilsonInterval(1, 10)[1]).toBe(1);
    expect(wilsonInterval(0.4, 0)).toEqual([0, 1]);
    const [wide, narrow] = [wilsonInterval(0.4, 20), wilsonInterval(0.4, 200)];
    expect(wide[1] - wide[0]).toBeGreaterThan(narrow[1] - narrow[0]);
  });
});

describe("the normal distribution", () => {
  it("the normal distribution has its tabulated values, and its quantile is the inverse", () => {
    expect(normalCdf(0)).toBe(0.5);
    expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 12);
    expect(normalCdf(-3)).toBeCloseTo(0.0013498980316300933, 14);
    for (const p of [0.001, 0.05, 0.5, 0.9, 0.999]) expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 11);
  });
});

describe("neweyWestMeanTest", () => {
  it("neweyWestMeanTest matches a hand calculation", () => {
    // 1, 2, 4: mean 7/3; g0 = 14/9, g1 = ((-4/3)(-1/3) + (-1/3)(5/3))/3 = -1/27; var = (g0 + 2 (1/2) g1)/3.
    const result = neweyWestMeanTest([1, 2, 4], 1)!;
    expect(result.standardError).toBeCloseTo(Math.sqrt((14 / 9 - 1 / 27) / 3), 12);
    expect(result.mean).toBeCloseTo(7 / 3, 12);
  });

  it("neweyWestMeanTest rejects overlapping sums without an edge in under 9 % of runs, the naive test in over 20 %", () => {
    let rejectedNaive = 0;
    let rejected = 0;
    const runs = 400;
    for (let seed = 0; seed < runs; seed++) {
      const normal = normalSource(uniformSource(seed + 1));
      const noise = Array.from({ length: 2012 }, normal);
      const overlapping = Array.from({ length: 2000 }, (_, i) =>
        noise.slice(i, i + 12).reduce((a, b) => a + b, 0),
      );
      if (neweyWestMeanTest(overlapping, 48)!.pAboveZero < 0.05) rejected++;
      if (neweyWestMeanTest(overlapping, 0)!.pAboveZero < 0.05) rejectedNaive++;
    }
    expect(rejected / runs).toBeLessThan(0.09);
    expect(rejectedNaive / runs).toBeGreaterThan(0.2);
  });

  it("neweyWestMeanTest is null for one value, and has t = 0 and p = 0.5 for zeros", () => {
    expect(neweyWestMeanTest([1], 3)).toBeNull();
    expect(neweyWestMeanTest([0, 0, 0], 1)).toMatchObject({ mean: 0, t: 0, pAboveZero: 0.5 });
  });
});

describe("trade results", () => {
  it("the drawdown of results is measured from the running maximum, the start included", () => {
    expect(maxDrawdown([1, -0.5, 2, -1, -1, 0.5])).toBe(2);
    expect(maxDrawdown([-1, -1, 3])).toBe(2);
    expect(maxDrawdown([])).toBe(0);
  });

  it("the profit factor is gains over losses, null without losses", () => {
    expect(profitFactor([2, -1, 1, -1, 0])).toBe(1.5);
    expect(profitFactor([1, 0])).toBeNull();
  });

  it("independentCount leaves out a result that begins before the last counted one ended", () => {
    const intervals = [
      { begin: 0, end: 5 },
      { begin: 3, end: 4 },
      { begin: 4, end: 9 },
      { begin: 5, end: 6 },
      { begin: 6, end: 7 },
    ];
    expect(independentCount(intervals)).toBe(3);
    expect(independentCount([])).toBe(0);
  });
});

describe("populationStabilityIndex", () => {
  it("populationStabilityIndex matches a hand calculation", () => {
    const expected = (0.4 - 0.5) * Math.log(0.4 / 0.5) + (0.6 - 0.5) * Math.log(0.6 / 0.5);
    expect(populationStabilityIndex([50, 50], [40, 60])).toBeCloseTo(expected, 12);
  });

  it("populationStabilityIndex is small for two samples of one distribution and large after a shift", () => {
    const normal = normalSource(uniformSource(4));
    const training = featureStatistics(Array.from({ length: 5000 }, normal));
    const alike = binCounts(training.edges, Array.from({ length: 2000 }, normal));
    const shifted = binCounts(
      training.edges,
      Array.from({ length: 2000 }, () => normal() + 1),
    );
    expect(populationStabilityIndex(training.shares, alike)!).toBeLessThan(0.02);
    expect(populationStabilityIndex(training.shares, shifted)!).toBeGreaterThan(0.25);
  });

  it("featureStatistics puts a constant feature in one bin; populationStabilityIndex of an empty sample is null", () => {
    const statistics = featureStatistics([1, 1, 1, Number.NaN]);
    expect(statistics).toEqual({ edges: [], shares: [1], nullShare: 0.25 });
    expect(populationStabilityIndex([1, 1], [0, 0])).toBeNull();
  });
});
