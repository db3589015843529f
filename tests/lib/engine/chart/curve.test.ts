import { describe, expect, it } from "vitest";
import { deepestDrawdown, runningPeak } from "@/lib/engine/chart/drawdown";
import { thinCurve } from "@/lib/engine/chart/thin-curve";

describe("drawdown", () => {
  it("the drawdown is measured from the running maximum, starting at zero", () => {
    expect(deepestDrawdown([10, 4, 12, 5, 20])).toEqual({ depth: 7, index: 3 });
    expect(deepestDrawdown([-5, -2])).toEqual({ depth: 5, index: 0 });
  });

  it("the drawdown of a rising curve is null, and the running peak continues over missing values", () => {
    expect(deepestDrawdown([1, 2, null, 3])).toBeNull();
    expect(runningPeak([1, null, 3, 2])).toEqual([1, 1, 3, 3]);
  });
});

describe("a thinned curve", () => {
  const points = Array.from({ length: 5_000 }, (_, index) => ({
    at: new Date(index * 60_000),
    value: Math.sin(index / 170) * 100 + ((index * 7919) % 97),
  }));
  const drawdown = (values: number[]) => {
    let peak = 0;
    let deepest = 0;
    for (const value of values) {
      peak = Math.max(peak, value);
      deepest = Math.max(deepest, peak - value);
    }
    return deepest;
  };

  it("a thinned curve keeps its end, its order and its deepest drawdown", () => {
    const thin = thinCurve(points);
    expect(thin.length).toBeLessThanOrEqual(240);
    expect(thin.at(-1)).toEqual(points.at(-1));
    expect(thin.map((point) => point.at.getTime())).toEqual(
      thin.map((point) => point.at.getTime()).toSorted((a, b) => a - b),
    );
    expect(drawdown(thin.map((point) => point.value))).toBe(drawdown(points.map((point) => point.value)));
  });

  it("a short curve is not thinned", () => {
    expect(thinCurve(points.slice(0, 200))).toEqual(points.slice(0, 200));
    expect(thinCurve([])).toEqual([]);
  });
});
