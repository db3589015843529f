import { describe, expect, it } from "vitest";
import { chooseChampion } from "@/lib/engine/champion";
import type { Recipe } from "@/lib/engine/models/recipes";
import { testPooledBrierGains, type WeeklyBrierGains } from "@/lib/engine/pooled-evidence";
import { drawTimeframeSlots, firstPromotionWeeks } from "@/tests/research/pooled-promotions";

const evidence = (firstWeek: number, values: number[]): WeeklyBrierGains => ({
  firstWeek,
  byRecipe: { blend: values },
});
const sawtooth = (n: number, mean: number) => Array.from({ length: n }, (_, i) => mean + ((i % 5) - 2));

describe("evidence pooled across a timeframe", () => {
  it("pooled evidence counts the weeks of all slots of a timeframe, and is empty for one slot or few weeks", () => {
    const test = testPooledBrierGains([evidence(10, sawtooth(120, 1)), evidence(110, sawtooth(120, 3))]).get(
      "blend",
    );
    expect(test?.n).toBe(220);
    expect(test?.mean).toBeCloseTo((120 * 1 + 120 * 3) / 220, 9);
    expect(testPooledBrierGains([evidence(10, sawtooth(500, 1))]).size).toBe(0);
    expect(testPooledBrierGains([evidence(0, sawtooth(60, 1)), evidence(0, sawtooth(60, 1))]).size).toBe(0);
  });

  it("pooled evidence promotes a challenger on a slot whose own evidence is not sufficient", () => {
    const slots = drawTimeframeSlots({ seed: 4, advantages: [0.1, 0.1, 0.1, 0.1] });
    const [own] = slots;
    const decide = (isPooled: boolean) =>
      chooseChampion({
        current: "baseline",
        baselineTerms: own!.baseline,
        challengers: new Map<Recipe, Float64Array>([
          ["logistic", own!.baseline.map((x, i) => x - own!.gains[i]!)],
        ]),
        lastStretches: [],
        slots: 8,
        pooled: isPooled
          ? { byRecipe: testPooledBrierGains(slots.map((slot) => slot.evidence)), timeframes: 2 }
          : undefined,
      });
    expect(decide(false).change).toBe("kept");
    expect(decide(true)).toMatchObject({ change: "promoted", champion: "logistic" });
    expect(decide(true).reason).toContain("over all slots of the timeframe");
  });

  it("pooled evidence ever promotes a recipe without skill on at most one of eight timeframes", () => {
    const runs = 8;
    const wrong = Array.from({ length: runs }, (_, seed) =>
      firstPromotionWeeks({ seed, advantages: [0, 0, 0, 0], isPooled: true, every: 52 }),
    );
    const ever = wrong.filter((weeks) => weeks.some((week) => week !== null)).length;
    console.info(`pooled: on ${ever} of ${runs} timeframes without merit something was ever promoted`);
    expect(ever).toBeLessThanOrEqual(1);
  }, 120_000);
});
