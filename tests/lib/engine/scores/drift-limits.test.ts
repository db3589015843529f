import { describe, expect, it } from "vitest";
import { BROKEN_FEATURE_PSI } from "@/db/queries/features";
import { uniformSource } from "@/lib/engine/random";
import { driftLimits } from "@/lib/engine/scores/drift-limits";
import {
  binCounts,
  featureStatistics,
  populationStabilityIndex,
} from "@/lib/engine/scores/population-stability";
import { normalSource } from "@/tests/lib/engine/normal-source";

/** A slow feature like volatility: neighbours are similar over about `memory` candles. */
function slowFeature(n: number, memory: number, seed: number): Float64Array {
  const normal = normalSource(uniformSource(seed));
  const keep = 1 - 1 / memory;
  let value = normal();
  return Float64Array.from({ length: n }, () => {
    value = keep * value + Math.sqrt(1 - keep * keep) * normal();
    return value;
  });
}

const WINDOW = 500;
const TRAINING = 14_000;

describe("drift limits from windows of the training sample", () => {
  it.each([2, 24, 120])(
    "a drift limit is exceeded by at most one in twenty windows of an unchanged feature (memory of %d candles)",
    (memory) => {
      let [windows, drifted, byFixedLimit] = [0, 0, 0];
      for (let seed = 1; seed <= 12; seed++) {
        const values = slowFeature(TRAINING + 10 * WINDOW, memory, 100 * memory + seed);
        const training = values.slice(0, TRAINING);
        const statistics = featureStatistics(training);
        const limit = driftLimits(training, statistics).find(({ n }) => n === WINDOW)!.drifted;
        for (let from = TRAINING; from < values.length; from += WINDOW) {
          const counts = binCounts(statistics.edges, values.subarray(from, from + WINDOW));
          const psi = populationStabilityIndex(statistics.shares, counts)!;
          windows++;
          if (psi > limit) drifted++;
          if (psi > 0.25) byFixedLimit++;
        }
      }
      console.info(
        `drift, memory ${memory}: ${drifted} of ${windows} windows drifted, ${byFixedLimit} by the fixed limit`,
      );
      expect(drifted / windows).toBeLessThanOrEqual(0.05);
    },
  );

  it("a feature that no longer varies counts as broken, and none of thirty unchanged features does", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const values = slowFeature(TRAINING + 12 * WINDOW, [2, 24, 120][seed % 3]!, 7_000 + seed);
      const { shares, edges } = featureStatistics(values.slice(0, TRAINING));
      const isBroken = (window: Float64Array) =>
        populationStabilityIndex(shares, binCounts(edges, window))! > BROKEN_FEATURE_PSI;
      for (let from = TRAINING; from < values.length; from += WINDOW)
        expect(isBroken(values.subarray(from, from + WINDOW))).toBe(false);
      expect(isBroken(new Float64Array(WINDOW).fill(0))).toBe(true);
    }
  });

  it("a feature that moved by two standard deviations exceeds its drift limit", () => {
    const training = slowFeature(TRAINING, 24, 5);
    const statistics = featureStatistics(training);
    const moved = slowFeature(WINDOW, 24, 6).map((value) => value + 2);
    const psi = populationStabilityIndex(statistics.shares, binCounts(statistics.edges, moved))!;
    expect(psi).toBeGreaterThan(driftLimits(training, statistics).find(({ n }) => n === WINDOW)!.drifted);
  });

  it("drift limits are wider for shorter windows, and missing for windows too long for the training sample", () => {
    const training = slowFeature(2_400, 24, 7);
    const limits = driftLimits(training, featureStatistics(training));
    expect(limits.map(({ n }) => n)).toEqual([100, 200]);
    expect(limits[0]!.drifted).toBeGreaterThan(limits[1]!.drifted);
    expect(limits.every(({ watch, drifted }) => watch <= drifted)).toBe(true);
  });
});
