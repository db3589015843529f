import { describe, expect, it } from "vitest";
import { deepestDrawdown, runningPeak } from "@/app/_components/chart/drawdown";
import { placeLabel } from "@/app/_components/chart/label-place";
import { bandPath, linePath, unbrokenRuns } from "@/app/_components/chart/line-path";
import {
  linearScale,
  niceTicks,
  paddedDomain,
  percentOf,
  spreadIndices,
  steppedIndices,
  tickDigits,
} from "@/app/_components/chart/scale";
import { uptimePct } from "@/app/_components/chart/uptime-bars";

describe("scales", () => {
  it("ticks are round values inside the domain", () => {
    expect(niceTicks([-14, 310])).toEqual([0, 100, 200, 300]);
    expect(niceTicks([1.0651, 1.0855], 4)).toEqual([1.07, 1.075, 1.08, 1.085]);
    expect(niceTicks([0, 0.7], 4)).toEqual([0, 0.2, 0.4, 0.6]);
  });

  it("ticks never include a negative zero, which would be written with a sign", () => {
    expect(niceTicks([-3, 3], 3).some((tick) => Object.is(tick, -0))).toBe(false);
  });

  it("ticks are written with as many digits as tell them apart", () => {
    expect(tickDigits([1.07, 1.075])).toBe(3);
    expect(tickDigits([0, 100])).toBe(0);
    expect(tickDigits([5])).toBe(0);
  });

  it("a domain of one value still has an extent", () => {
    expect(paddedDomain([3])).toEqual([2, 4]);
    expect(paddedDomain([])).toEqual([0, 1]);
  });

  it("a domain with zero holds zero and adds no air beyond it", () => {
    const [low, high] = paddedDomain([10, 20], { zero: true });
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(20);
  });

  it("a scale without extent maps onto the middle", () => {
    expect(linearScale([5, 5], [0, 10])(5)).toBe(5);
    expect(linearScale([0, 10], [100, 0])(2.5)).toBe(75);
  });

  it("labels are spread over a list and include its ends", () => {
    expect(spreadIndices(100, 4)).toEqual([0, 33, 66, 99]);
    expect(spreadIndices(2, 4)).toEqual([0, 1]);
    expect(spreadIndices(0, 4)).toEqual([]);
  });

  it("names in a fixed order are labelled at equal steps", () => {
    expect(steppedIndices(24, 8)).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
    expect(steppedIndices(7, 8)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(steppedIndices(0, 8)).toEqual([]);
  });

  it("a share becomes a length without digits that nobody sees", () => {
    expect(percentOf(1 / 3)).toBe("33.333%");
  });
});

describe("a label beside a curve", () => {
  const curve = [20, 40, 180, 90, 200, 30].map((y, index) => ({ x: index / 5, y }));

  it("stands under all that the curve does in its span", () => {
    expect(placeLabel(curve, 0.4, 0.1, 240)).toEqual({ x: 0.4, y: 194 });
    expect(placeLabel(curve, 0.4, 0.6, 240)).toEqual({ x: 0.4, y: 214 });
  });

  it("stands over the curve where there is no room below", () => {
    expect(placeLabel(curve, 0.8, 0.1, 210)).toEqual({ x: 0.8, y: 24 });
  });

  it("stays inside the plot at its edges, and passes over missing values", () => {
    expect(placeLabel(curve, 0, 0.3, 240).x).toBe(0.15);
    expect(
      placeLabel(
        [
          { x: 0, y: 10 },
          { x: 0.5, y: null },
          { x: 1, y: 12 },
        ],
        1,
        0.4,
        240,
      ),
    ).toEqual({
      x: 0.8,
      y: 26,
    });
  });
});

describe("lines", () => {
  const points = [
    { x: 0, y: 1 },
    { x: 1, y: 2 },
    { x: 2, y: null },
    { x: 3, y: 4 },
  ];

  it("a missing value breaks the line instead of being drawn over", () => {
    expect(linePath(points)).toBe("M0 1L1 2M1 4h4");
    expect(unbrokenRuns(points)).toHaveLength(2);
  });

  it("a band needs two places", () => {
    expect(bandPath([{ x: 0, upper: 0, lower: 1 }])).toBe("");
    expect(
      bandPath([
        { x: 0, upper: 0, lower: 1 },
        { x: 1, upper: 0, lower: 2 },
      ]),
    ).toBe("M0 0L1 0L1 2L0 1Z");
  });
});

describe("drawdown", () => {
  it("the deepest fall is counted from the highest value so far, and a start below zero counts", () => {
    expect(deepestDrawdown([10, 4, 12, 5, 20])).toEqual({ depth: 7, index: 3 });
    expect(deepestDrawdown([-5, -2])).toEqual({ depth: 5, index: 0 });
  });

  it("a curve that only rises has no drawdown", () => {
    expect(deepestDrawdown([1, 2, null, 3])).toBeNull();
    expect(runningPeak([1, null, 3, 2])).toEqual([1, 1, 3, 3]);
  });
});

it("uptime counts only what was observed", () => {
  const date = new Date("2026-11-21T00:00:00Z");
  expect(uptimePct([{ date, observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 }])).toBeNull();
  expect(
    uptimePct([
      { date, observedMinutes: 1000, downMinutes: 10, degradedMinutes: 500 },
      { date, observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 },
    ]),
  ).toBe(99);
});
