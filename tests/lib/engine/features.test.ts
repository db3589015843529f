import { describe, expect, it } from "vitest";
import { featureLookback, makeFeatures, requiredFeatureHistory } from "@/lib/engine/features";
import { uniformSource } from "@/lib/engine/random";
import { sliceCandles } from "@/lib/market/candles";
import { garbledAfter, randomWalk } from "./synthetic";
import { seriesOf } from "./vectors";

const candles = randomWalk({ n: 1600, seed: 17 });
const table = makeFeatures(candles, 60);

function row(of: typeof table, i: number): number[] {
  const { columns, values } = of.matrix;
  return [...values.subarray(i * columns, (i + 1) * columns)];
}

describe("makeFeatures", () => {
  it("no feature of a candle uses later candles", () => {
    const uniform = uniformSource(1);
    for (let k = 0; k < 12; k++) {
      const cut = 620 + Math.floor(uniform() * 900);
      const changed = makeFeatures(garbledAfter(candles, cut, 100 + k), 60);
      for (const i of [cut, cut - 1, cut - 13, 600]) expect(row(changed, i)).toEqual(row(table, i));
    }
  });

  it("the first 33 features are those of the previous version, with the same values", () => {
    const former = makeFeatures(candles, 60, 1);
    expect(former.definitions).toEqual(table.definitions.slice(0, 33));
    expect(table.definitions).toHaveLength(39);
    expect(row(former, 1599)).toEqual(row(table, 1599).slice(0, 33));
  });

  it("volatility features of a candle are equal to 12 decimals from the required history and the whole series", () => {
    const long = randomWalk({ n: 4600, seed: 19 });
    const whole = makeFeatures(long, 60);
    for (const end of [4599, 4123]) {
      const part = makeFeatures(sliceCandles(long, end - requiredFeatureHistory(2, 60), end + 1), 60);
      const [one, other] = [row(whole, end), row(part, requiredFeatureHistory(2, 60))];
      expect(other.slice(33, 34)).not.toEqual([Number.NaN]);
      for (const j of [33, 34, 35, 36, 37, 38])
        expect(other[j]! - one[j]!, `${j} at ${end}`).toBeCloseTo(0, 12);
    }
  });

  it("no feature of a candle uses later candles, even in a series longer than the volatility's memory", () => {
    const long = randomWalk({ n: 4400, seed: 23 });
    const honest = makeFeatures(long, 60);
    for (const cut of [3100, 4321]) {
      const changed = makeFeatures(garbledAfter(long, cut, cut), 60);
      for (const i of [cut, cut - 1, cut - 499]) expect(row(changed, i)).toEqual(row(honest, i));
    }
  });

  it("the expected volatility varies with the hour, and is nearer to the slow volatility than to the fast one", () => {
    const name = (wanted: string) => table.definitions.findIndex((definition) => definition.name === wanted);
    const byHour = (wanted: string) => {
      const sums = new Map<number, number[]>();
      for (let i = 1000; i < 1600; i++) {
        const hour = table.hourOfWeek[i]! % 24;
        sums.set(hour, [...(sums.get(hour) ?? []), row(table, i)[name(wanted)]!]);
      }
      return [...sums.values()].map((values) => values.reduce((a, b) => a + b) / values.length);
    };
    // The walk is 1.6 times as volatile from 8 to 17 UTC.
    const means = byHour("usual_sigma");
    expect(Math.max(...means) - Math.min(...means)).toBeGreaterThan(0.2);
    const [fast, slow] = [name("sigma_2"), name("sigma_480")];
    const spread = (j: number) => {
      const values = Array.from(
        { length: 600 },
        (_, k) => row(table, 1000 + k)[j]! - row(table, 1000 + k)[name("usual_sigma")]!,
      );
      const mean = values.reduce((a, b) => a + b) / 600;
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 600);
    };
    expect(spread(fast)).toBeGreaterThan(2 * spread(slow));
  });

  it("features of the last candle are the same from the required lookback as from the whole series", () => {
    const start = 1600 - featureLookback(60) - 1;
    const short = makeFeatures(sliceCandles(candles, start), 60, 1);
    const [whole, part] = [row(table, 1599), row(short, featureLookback(60))];
    for (const [j, value] of whole.slice(0, 33).entries()) {
      expect(Math.abs(value - part[j]!), table.definitions[j]!.name).toBeLessThan(1e-9);
    }
  });

  it.each([1, 5, 10])(
    "M%i: the newest candle has the same features from the required history as from the whole series",
    (minutes) => {
      const long = randomWalk({ n: 8000, seed: 29 });
      const start = long.ts.length - 1 - requiredFeatureHistory(1, minutes);
      const [whole, part] = [
        makeFeatures(long, minutes, 1),
        makeFeatures(sliceCandles(long, start), minutes, 1),
      ];
      for (const [j, value] of row(whole, 7999).entries())
        expect(row(part, 7999 - start)[j], whole.definitions[j]!.name).toBeCloseTo(value, 9);
    },
  );

  it("in a mirrored market, odd features change their sign and even ones stay", () => {
    const mirrored = {
      ...candles,
      open: candles.open.map((p) => 200 - p),
      high: candles.low.map((p) => 200 - p),
      low: candles.high.map((p) => 200 - p),
      close: candles.close.map((p) => 200 - p),
    };
    const upsideDown = makeFeatures(mirrored, 60);
    for (let i = 700; i < 1600; i += 37) {
      const [one, other] = [row(table, i), row(upsideDown, i)];
      for (const [j, { name, parity }] of table.definitions.entries()) {
        expect(Math.abs(other[j]! - (parity === "odd" ? -1 : 1) * one[j]!), name).toBeLessThan(1e-6);
      }
    }
  });

  it("features are independent of the price unit", () => {
    const scaled = { ...candles };
    for (const name of ["open", "high", "low", "close"] as const)
      scaled[name] = candles[name].map((p) => 1000 * p);
    const other = makeFeatures(scaled, 60);
    for (const [j, value] of row(table, 1500).entries()) expect(row(other, 1500)[j]!).toBeCloseTo(value, 7);
  });

  it("without volume only the volume feature is missing; all others have a value after the lookback", () => {
    const without = makeFeatures({ ...candles, volume: new Float64Array(1600) }, 60);
    const values = row(without, 1200);
    for (const [j, { name }] of without.definitions.entries()) {
      expect(Number.isNaN(values[j]!), name).toBe(name === "volume_6");
    }
  });

  it("features of a flat market are finite or missing", () => {
    const dead = makeFeatures(seriesOf(Array.from({ length: 700 }, () => [5, 5, 5, 5])), 240);
    expect(row(dead, 699).every((v) => Number.isNaN(v) || Number.isFinite(v))).toBe(true);
  });
});
