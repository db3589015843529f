import { RSI } from "trading-signals";
import { describe, expect, it } from "vitest";
import { wilderAtr } from "@/lib/engine/atr";
import { wilderRsi } from "@/lib/engine/rsi";
import { randomWalk } from "./synthetic";
import { vectorCandles, vectors } from "./vectors";

describe("wilderAtr", () => {
  it("wilderAtr matches the reference from the first value on", () => {
    const atr = wilderAtr(vectorCandles, 14);
    const { start, values } = vectors.atr14;
    expect([...atr.subarray(0, start)].every(Number.isNaN)).toBe(true);
    for (const [i, value] of values.entries()) expect(Math.abs(atr[start + i]! - value)).toBeLessThan(1e-9);
  });

  it("wilderAtr is NaN for fewer candles than its period", () => {
    const short = { high: new Float64Array(13), low: new Float64Array(13), close: new Float64Array(13) };
    expect([...wilderAtr(short, 14)].every(Number.isNaN)).toBe(true);
  });

  it("wilderAtr scales with price differences and ignores the price level", () => {
    const scaled = {
      high: vectorCandles.high.map((p) => 3 * p + 7),
      low: vectorCandles.low.map((p) => 3 * p + 7),
      close: vectorCandles.close.map((p) => 3 * p + 7),
    };
    const [one, three] = [wilderAtr(vectorCandles, 14), wilderAtr(scaled, 14)];
    for (let i = 13; i < one.length; i++) expect(three[i]!).toBeCloseTo(3 * one[i]!, 12);
  });
});

describe("wilderRsi", () => {
  it("wilderRsi matches the reference", () => {
    const rsi = wilderRsi(vectorCandles.close, 14);
    const { start, values } = vectors.rsi14;
    expect([...rsi.subarray(0, start)].every(Number.isNaN)).toBe(true);
    for (const [i, value] of values.entries()) expect(Math.abs(rsi[start + i]! - value)).toBeLessThan(1e-6);
  });

  it("wilderRsi matches a second implementation (trading-signals)", () => {
    const { close } = randomWalk({ n: 500, seed: 3 });
    const second = new RSI(14);
    const ours = wilderRsi(close, 14);
    for (const [i, price] of close.entries()) {
      const theirs = second.update(price, false);
      if (i >= 14) expect(Math.abs(ours[i]! - Number(theirs))).toBeLessThan(1e-6);
    }
  });

  it("wilderRsi is 50 for flat prices and 100 when every candle rises", () => {
    expect(wilderRsi(new Float64Array(20).fill(5), 14)[19]).toBe(50);
    expect(
      wilderRsi(
        Float64Array.from({ length: 20 }, (_, i) => i),
        14,
      )[19],
    ).toBe(100);
  });
});
