import { describe, expect, it } from "vitest";
import { linearScale, niceTicks, paddedDomain, steppedIndices, tickDigits } from "@/lib/engine/chart/scale";

describe("scales", () => {
  it("a scale has ticks at round values inside its domain", () => {
    expect(niceTicks([-14, 310])).toEqual([0, 100, 200, 300]);
    expect(niceTicks([1.0651, 1.0855], 4)).toEqual([1.07, 1.075, 1.08, 1.085]);
    expect(niceTicks([0, 0.7], 4)).toEqual([0, 0.2, 0.4, 0.6]);
  });

  it("a scale has no negative zero among its ticks", () => {
    expect(niceTicks([-3, 3], 3).some((tick) => Object.is(tick, -0))).toBe(false);
  });

  it("a scale writes ticks with enough digits to distinguish them", () => {
    expect(tickDigits([1.07, 1.075])).toBe(3);
    expect(tickDigits([0, 100])).toBe(0);
    expect(tickDigits([5])).toBe(0);
  });

  it("the domain of a single value has an extent", () => {
    expect(paddedDomain([3])).toEqual([2, 4]);
    expect(paddedDomain([])).toEqual([0, 1]);
  });

  it("a domain that starts at zero is not padded below it", () => {
    const [low, high] = paddedDomain([10, 20], { zero: true });
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(20);
  });

  it("a domain without extent maps to the middle", () => {
    expect(linearScale([5, 5], [0, 10])(5)).toBe(5);
    expect(linearScale([0, 10], [100, 0])(2.5)).toBe(75);
  });

  it("at most the requested number of categories is labelled, at equal steps", () => {
    expect(steppedIndices(24, 8)).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
    expect(steppedIndices(7, 8)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(steppedIndices(0, 8)).toEqual([]);
  });
});
