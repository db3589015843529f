import { describe, expect, it } from "vitest";
import { baselineFigures } from "@/lib/engine/baseline-figures";
import { BUY, SELL } from "@/lib/engine/classes";
import { labelCandles } from "@/lib/engine/outcome";
import { randomWalk } from "./synthetic";

const NO_COST = { kind: "absolute", value: 0 } as const;

describe("the baseline's walk-forward figures", () => {
  it("the baseline's walk-forward figures show no edge on driftless walks", () => {
    const figures = Array.from({ length: 12 }, (_, i) =>
      baselineFigures(randomWalk({ n: 3_000, seed: 40 + i }), NO_COST),
    );
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const auc = figures.map((one) => one?.auc ?? Number.NaN);
    // Frequencies of the past are biased against the rest of the same sample, so slightly below one half.
    expect(mean(auc)).toBeGreaterThan(0.44);
    expect(mean(auc)).toBeLessThan(0.52);
    expect(Math.max(...auc)).toBeLessThan(0.6);
    expect(mean(figures.map((one) => one?.profitFactor ?? Number.NaN))).toBeLessThan(1.1);
  });

  it("the baseline's walk-forward figures count the candles after the first quarter whose horizon has ended", () => {
    const candles = randomWalk({ n: 1_000, seed: 7 });
    const { label } = labelCandles(candles);
    const judged = Array.from(label).filter((one, i) => i >= 250 && one >= 0);
    expect(judged.some((one) => one === BUY) && judged.some((one) => one === SELL)).toBe(true);
    expect(baselineFigures(candles, NO_COST)?.n).toBe(judged.length);
  });

  it("the baseline's profit factor is null when no edge exceeds the cost; all figures are null for 70 candles", () => {
    const candles = randomWalk({ n: 2_000, seed: 9 });
    const dear = baselineFigures(candles, { kind: "absolute", value: 1_000 });
    expect(dear).toMatchObject({ auc: baselineFigures(candles, NO_COST)?.auc, profitFactor: null });
    expect(baselineFigures(randomWalk({ n: 70, seed: 9 }), NO_COST)).toBeNull();
  });
});
