import { describe, expect, it } from "vitest";
import { chooseChampion } from "@/lib/engine/champion";
import type { Recipe } from "@/lib/engine/models/recipes";
import { uniformSource } from "@/lib/engine/random";
import { alwaysValidBoundary } from "@/lib/engine/scores/always-valid";
import { normalSource } from "./normal-source";

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

function choose(current: Recipe | "baseline", challengers: [Recipe, Float64Array][]) {
  return chooseChampion({
    current,
    baselineTerms: terms(0, 1),
    challengers: new Map(challengers),
    lastStretches: [400, 1000],
    slots: 8,
    rule: RULE,
  });
}

describe("chooseChampion", () => {
  it("chooseChampion promotes the best challenger that significantly beats the class frequencies", () => {
    const decision = choose("baseline", [
      ["softmax", terms(0.04, 2)],
      ["blend", terms(0.06, 3)],
    ]);
    expect(decision).toMatchObject({ champion: "blend", change: "promoted" });
    expect(decision.reason).toMatch(/^blend is .* at a significance level of 0\.\d+ over all trainings$/);
  });

  it("chooseChampion keeps the class frequencies when no challenger significantly beats them", () => {
    expect(choose("baseline", [["blend", terms(0.002, 4)]])).toMatchObject({
      champion: "baseline",
      change: "kept",
    });
  });

  it("chooseChampion keeps a champion while a challenger is only slightly better", () => {
    expect(
      choose("logistic", [
        ["logistic", terms(0.06, 5)],
        ["blend", terms(0.061, 6)],
      ]),
    ).toMatchObject({ champion: "logistic", change: "kept" });
  });

  it("chooseChampion demotes a champion that was worse than the class frequencies over the last 1,000 candles", () => {
    const faded = terms(0.06, 7);
    faded.set(terms(-0.08, 8, 1000), 3000);
    expect(choose("blend", [["blend", faded]])).toMatchObject({ champion: "baseline", change: "demoted" });
  });

  it("chooseChampion demotes a champion within 12 weeks after it turns bad in at least 90 % of histories", () => {
    // The skill of hourly champions, 0.17 standard errors per candle, turned into equal harm: 120 candles a week.
    const HISTORIES = 40;
    const weeks = Array.from({ length: HISTORIES }, (_, h) => {
      const champion = terms(0.018 * 3.2, 20_000 + h, 6240);
      const bad = terms(-0.018 * 3.2, 30_000 + h, 12 * 120);
      const whole = Float64Array.from([...champion, ...bad]);
      return [8, 10, 12].find((week) => {
        const end = 6240 + 120 * week;
        return (
          chooseChampion({
            current: "blend",
            baselineTerms: new Float64Array(end).fill(0.66),
            challengers: new Map([["blend", whole.slice(0, end)]]),
            lastStretches: [1440, 6240],
            slots: 8,
            rule: RULE,
          }).change === "demoted"
        );
      });
    });
    const inTime = weeks.filter((week) => week !== undefined).length;
    console.info(`champion: ${inTime} of ${HISTORIES} bad ones demoted within 12 weeks`);
    expect(inTime / HISTORIES).toBeGreaterThanOrEqual(0.9);
  }, 60_000);

  it("chooseChampion does not promote a demoted champion while its last weeks are worse than the class frequencies", () => {
    const whole = Float64Array.from([...terms(0.06, 7, 3600), ...terms(-0.06, 8, 400)]);
    const decide = (current: Recipe | "baseline") =>
      chooseChampion({
        current,
        baselineTerms: new Float64Array(4000).fill(0.66),
        challengers: new Map([["blend", whole]]),
        lastStretches: [400, 4000],
        slots: 1,
        rule: RULE,
      }).change;
    expect([decide("blend"), decide("baseline")]).toEqual(["demoted", "kept"]);
  });

  it("chooseChampion ever promotes a challenger without skill in at most 5 % of histories", () => {
    let promoted = 0;
    const histories = 100;
    for (let h = 0; h < histories; h++) {
      const challenger = terms(0, 5000 + h, 2400);
      const anyTime = Array.from({ length: 10 }, (_, k) => 600 + 200 * k).some((n) => {
        const decision = chooseChampion({
          current: "baseline",
          baselineTerms: new Float64Array(n).fill(0.66),
          challengers: new Map([["blend", challenger.slice(0, n)]]),
          lastStretches: [],
          slots: 1,
          rule: RULE,
        });
        return decision.change === "promoted";
      });
      if (anyTime) promoted++;
    }
    console.info(`champion: ${promoted} of ${histories} without merit ever promoted`);
    expect(promoted / histories).toBeLessThanOrEqual(0.05);
  }, 60_000);

  it("chooseChampion decides equally for equal inputs, divides the level by the slots, and refuses zero slots", () => {
    const found = choose("baseline", [["blend", terms(0.06, 3)]]);
    expect(choose("baseline", [["blend", terms(0.06, 3)]])).toEqual(found);
    expect(found.level).toBeCloseTo(0.05 / 8, 12);
    expect(() => chooseChampion({ ...EMPTY, slots: 0 })).toThrow(RangeError);
  });

  it("the promotion threshold changes by less than 1 when its tuning constant is a tenth or ten times as large", () => {
    const level = 0.05 / 32;
    const [low, tuned, high] = [1_000, 10_000, 100_000].map((n) => alwaysValidBoundary(n, level, 10_000));
    expect(tuned).toBeCloseTo(3.91, 2);
    expect(low! - tuned!).toBeLessThan(1);
    expect(high! - tuned!).toBeLessThan(0.25);
    // The formula itself: x = 2 log(1 / 2a) + log(2 log(1 / 2a) + 1).
    expect(alwaysValidBoundary(1, 0.05, 1)).toBeCloseTo(
      Math.sqrt((1 + 1 / 6.32956) * Math.log(7.32956 / 0.01)),
      4,
    );
    expect(() => alwaysValidBoundary(10, 0.6, 10)).toThrow(RangeError);
  });
});

const EMPTY = {
  current: "baseline" as const,
  baselineTerms: new Float64Array(0),
  challengers: new Map<Recipe, Float64Array>(),
  lastStretches: [],
};
