import { describe, expect, it } from "vitest";
import { chooseChampion, comparisonLevel } from "@/lib/engine/champion";
import type { Recipe } from "@/lib/engine/models/recipes";
import { uniformSource } from "@/lib/engine/random";
import { normalSource } from "./synthetic";

const RULE = { alpha: 0.05, lags: 48 };

/** Brier terms with overlapping noise, shifted by an advantage. */
function terms(advantage: number, seed: number, n = 4000): Float64Array {
  const normal = normalSource(uniformSource(seed));
  const noise = Array.from({ length: n + 12 }, normal);
  return Float64Array.from({ length: n }, (_, i) => {
    const smooth = noise.slice(i, i + 12).reduce((a, b) => a + b, 0) / Math.sqrt(12);
    return 0.66 - advantage + 0.1 * smooth;
  });
}

function choose(current: Recipe | "baseline", challengers: [Recipe, Float64Array][], retraining = 1) {
  return chooseChampion({
    current,
    baselineTerms: terms(0, 1),
    challengers: new Map(challengers),
    lastYear: 1000,
    slots: 8,
    retraining,
    rule: RULE,
  });
}

describe("chooseChampion", () => {
  it("promotes the best challenger that is significantly better than the class frequencies", () => {
    const decision = choose("baseline", [
      ["softmax", terms(0.04, 2)],
      ["blend", terms(0.06, 3)],
    ]);
    expect(decision).toMatchObject({ champion: "blend", change: "promoted" });
  });

  it("a slot where nothing beats the class frequencies keeps them", () => {
    expect(choose("baseline", [["blend", terms(0.002, 4)]])).toMatchObject({
      champion: "baseline",
      change: "kept",
    });
  });

  it("a champion stays while a challenger is only a little better", () => {
    expect(
      choose("logistic", [
        ["logistic", terms(0.06, 5)],
        ["blend", terms(0.061, 6)],
      ]),
    ).toMatchObject({ champion: "logistic", change: "kept" });
  });

  it("a champion that was significantly worse over the last year is demoted", () => {
    const faded = terms(0.06, 7);
    faded.set(terms(-0.08, 8, 1000), 3000);
    expect(choose("blend", [["blend", faded]])).toMatchObject({ champion: "baseline", change: "demoted" });
  });

  it("challengers without merit are promoted less often than the level says, over all retrainings", () => {
    let promoted = 0;
    const histories = 120;
    for (let h = 0; h < histories; h++) {
      const anyTime = [1, 2, 3].some((retraining) => {
        const decision = chooseChampion({
          current: "baseline",
          baselineTerms: terms(0, 1000 + 10 * h + retraining, 1500),
          challengers: new Map([["blend", terms(0, 5000 + 10 * h + retraining, 1500)]]),
          lastYear: 500,
          slots: 1,
          retraining,
          rule: RULE,
        });
        return decision.change === "promoted";
      });
      if (anyTime) promoted++;
    }
    expect(promoted / histories).toBeLessThanOrEqual(0.075);
  });

  it("the level shrinks with challengers, slots and retrainings, and sums to alpha over all retrainings", () => {
    const level = (retraining: number) => comparisonLevel(RULE, { challengers: 4, slots: 8, retraining });
    let sum = 0;
    for (let k = 1; k <= 20_000; k++) sum += level(k) * 32;
    expect(sum).toBeLessThan(0.05);
    expect(sum).toBeGreaterThan(0.0499);
    expect(() => level(0)).toThrow(RangeError);
  });
});
