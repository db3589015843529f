import { describe, expect, it } from "vitest";
import { placeLabel } from "@/app/_components/chart/label-place";
import { bandPath, linePath, unbrokenRuns } from "@/app/_components/chart/line-path";
import { percentOf } from "@/app/_components/chart/percent-of";

it("a fraction is written as a CSS length in percent with three decimals", () => {
  expect(percentOf(1 / 3)).toBe("33.333%");
});

describe("the label of a curve", () => {
  const curve = [20, 40, 180, 90, 200, 30].map((y, index) => ({ x: index / 5, y }));

  it("the label of a curve is below the curve's minimum in its span", () => {
    expect(placeLabel(curve, 0.4, 0.1, 240)).toEqual({ x: 0.4, y: 194 });
    expect(placeLabel(curve, 0.4, 0.6, 240)).toEqual({ x: 0.4, y: 214 });
  });

  it("the label of a curve is above the curve when there is no room below", () => {
    expect(placeLabel(curve, 0.8, 0.1, 210)).toEqual({ x: 0.8, y: 24 });
  });

  it("the label of a curve stays inside the plot at its edges, and ignores missing values", () => {
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

describe("chart lines", () => {
  const points = [
    { x: 0, y: 1 },
    { x: 1, y: 2 },
    { x: 2, y: null },
    { x: 3, y: 4 },
  ];

  it("a missing value breaks the line", () => {
    expect(linePath(points)).toBe("M0 1L1 2M1 4h4");
    expect(unbrokenRuns(points)).toHaveLength(2);
  });

  it("a band of one point has an empty path", () => {
    expect(bandPath([{ x: 0, upper: 0, lower: 1 }])).toBe("");
    expect(
      bandPath([
        { x: 0, upper: 0, lower: 1 },
        { x: 1, upper: 0, lower: 2 },
      ]),
    ).toBe("M0 0L1 0L1 2L0 1Z");
  });
});
