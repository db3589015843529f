import { describe, expect, it } from "vitest";
import { createDemoRandom } from "@/lib/market/demo/demo-noise";

const COUNT = 100_000;

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const correlation = (a: number[], b: number[]) => {
  const [meanA, meanB] = [mean(a), mean(b)];
  const covariance = mean(a.map((value, i) => (value - meanA) * (b[i]! - meanB)));
  return covariance / Math.sqrt(mean(a.map((v) => (v - meanA) ** 2)) * mean(b.map((v) => (v - meanB) ** 2)));
};
// Candle indices of 2026 are around two million.
const series = (draw: (index: number) => number, offset = 2_000_000) =>
  Array.from({ length: COUNT }, (_, i) => draw(offset + i));

describe("createDemoRandom", () => {
  const noise = createDemoRandom(7, "EURUSD");

  it("createDemoRandom gives the same number for the same seed, symbol, purpose and index, and else another", () => {
    expect(createDemoRandom(7, "EURUSD").uniform("return", 123)).toBe(noise.uniform("return", 123));
    expect(createDemoRandom(8, "EURUSD").uniform("return", 123)).not.toBe(noise.uniform("return", 123));
    expect(createDemoRandom(7, "GBPUSD").uniform("return", 123)).not.toBe(noise.uniform("return", 123));
    expect(noise.uniform("tail", 123)).not.toBe(noise.uniform("return", 123));
    expect(noise.uniform("return", 124)).not.toBe(noise.uniform("return", 123));
  });

  it("createDemoRandom's uniform numbers are spread evenly between 0 and 1, both excluded", () => {
    const counts = new Array<number>(20).fill(0);
    const values = series((index) => noise.uniform("high", index));
    expect(values.every((value) => value > 0 && value < 1)).toBe(true);
    for (const value of values) counts[Math.floor(value * 20)]!++;
    const expected = COUNT / 20;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 99.9 % quantile of chi-square with 19 degrees of freedom.
    expect(chiSquare).toBeLessThan(43.8);
  });

  it("createDemoRandom's normal numbers have mean 0, variance 1, no skew and kurtosis 3", () => {
    const values = series((index) => noise.normal("return", index));
    expect(Math.abs(mean(values))).toBeLessThan(0.012);
    expect(mean(values.map((value) => value ** 2))).toBeCloseTo(1, 1);
    expect(Math.abs(mean(values.map((value) => value ** 3)))).toBeLessThan(0.04);
    expect(Math.abs(mean(values.map((value) => value ** 4)) - 3)).toBeLessThan(0.12);
  });

  it("createDemoRandom's numbers are uncorrelated across neighbours, purposes, symbols and seeds", () => {
    const values = series((index) => noise.normal("return", index));
    for (const other of [
      series((index) => noise.normal("return", index + 1)),
      series((index) => noise.normal("return", index + 96)),
      series((index) => noise.normal("gap", index)),
      series((index) => createDemoRandom(8, "EURUSD").normal("return", index)),
      series((index) => createDemoRandom(7, "GBPUSD").normal("return", index)),
    ]) {
      expect(Math.abs(correlation(values, other))).toBeLessThan(0.013);
    }
  });
});
