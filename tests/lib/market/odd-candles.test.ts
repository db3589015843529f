import { describe, expect, it } from "vitest";
import { type CandleRow, type CandleSeries, candleAt, makeCandleSeries } from "@/lib/market/candles";
import { isIdleCandle, withoutIdleCandles } from "@/lib/market/idle-candles";
import { findOddCandles, repairOddCandles } from "@/lib/market/odd-candles";
import { HOUR_MS } from "@/lib/time";
import { randomWalk } from "@/tests/lib/engine/synthetic";

const rowsOf = (candles: CandleSeries) => Array.from(candles.ts, (_, i) => candleAt(candles, i));
const walk = () => rowsOf(randomWalk({ n: 400, seed: 3 }));

describe("a candle that contradicts its neighbours", () => {
  it("no candle of a walk with fat tails counts as contradicting its neighbours", () => {
    for (let seed = 1; seed <= 20; seed++) expect(findOddCandles(randomWalk({ n: 3000, seed }))).toEqual([]);
  });

  it("a spike is a bad tick when the price returns at once, and repairOddCandles removes it", () => {
    const rows = walk();
    const row = rows[200]!;
    row.low *= 0.8;
    const candles = makeCandleSeries(rows);
    const odd = findOddCandles(candles);
    expect(odd).toMatchObject([{ kind: "bad_tick", ts: row.ts }]);
    expect(odd[0]!.size).toBeCloseTo(0.2, 1);
    const cleaned = repairOddCandles(candles, odd);
    expect(cleaned.ts).toHaveLength(399);
    expect(cleaned.ts).not.toContain(row.ts);
  });

  it("a jump is accepted when the price stays, as in a crash", () => {
    const rows = walk();
    for (const row of rows.slice(200)) {
      row.open *= 0.93;
      row.high *= 0.93;
      row.low *= 0.93;
      row.close *= 0.93;
    }
    rows[200]!.high = Math.max(rows[200]!.open, rows[199]!.close);
    expect(findOddCandles(makeCandleSeries(rows))).toEqual([]);
  });

  it("a jump is a split when the price opens at a quarter, and repairOddCandles puts all candles on one scale", () => {
    const rows = walk();
    const before = repairOddCandles(makeCandleSeries(rows), []);
    for (const row of rows.slice(200))
      for (const name of ["open", "high", "low", "close"] as const) row[name] /= 4;
    const candles = makeCandleSeries(rows);
    const odd = findOddCandles(candles);
    expect(odd).toEqual([{ kind: "split", ts: rows[200]!.ts, size: 1 / 4 }]);
    const cleaned = repairOddCandles(candles, odd);
    for (let i = 0; i < 400; i++) expect(cleaned.close[i]).toBeCloseTo(before.close[i]! / 4, 9);
  });

  type Price = "open" | "high" | "low" | "close";
  const ALL: Price[] = ["open", "high", "low", "close"];
  function scale(row: CandleRow, factor: number, names = ALL) {
    for (const name of names) row[name] *= factor;
    row.high = Math.max(row.open, row.high, row.low, row.close);
    row.low = Math.min(row.open, row.high, row.low, row.close);
  }

  it.each([
    ["3:2", 1 / 1.5],
    ["reverse 1:10", 10],
  ])("a %s split is found, also with one candle after it", (_what, factor) => {
    for (const nAfter of [1, 2, 200]) {
      const rows = walk().slice(0, 201 + nAfter);
      for (const row of rows.slice(200)) scale(row, factor);
      const [odd, ...others] = findOddCandles(makeCandleSeries(rows));
      expect(odd).toMatchObject({ kind: "split", ts: rows[200]!.ts });
      expect(odd!.size).toBeCloseTo(factor, 9);
      expect(others).toEqual([]);
    }
  });

  it.each<[string, number, Price[]]>([
    ["whose open is wrong", 1, ["open"]],
    ["whose close is wrong", 1, ["close"]],
    ["that is wrong as a whole", 1, ALL],
    ["among three wrong ones", 3, ALL],
    ["among three wrong ones, of which the last closes as before,", 3, ["open"]],
  ])("a candle %s is a bad tick and no split", (_what, n, namesOfLast) => {
    for (const factor of [2, 1 / 2]) {
      const rows = walk();
      const wrong = rows.slice(200, 200 + n);
      for (const [i, row] of wrong.entries()) scale(row, factor, i < n - 1 ? ALL : namesOfLast);
      const candles = makeCandleSeries(rows);
      const odd = findOddCandles(candles);
      expect(odd.map(({ kind, ts }) => [kind, ts])).toEqual(wrong.map(({ ts }) => ["bad_tick", ts]));
      const right = walk().filter((_, i) => i < 200 || i >= 200 + n);
      expect(rowsOf(repairOddCandles(candles, odd))).toEqual(right);
    }
  });

  it("a return to the former price after a wrong stretch is no split", () => {
    const rows = walk();
    scale(rows[200]!, 2, ["close"]);
    for (const row of rows.slice(201, 203)) scale(row, 2);
    expect(findOddCandles(makeCandleSeries(rows))).toEqual([]);
  });
});

describe("a flat candle of a closed market", () => {
  const saturday = Date.UTC(2026, 10, 21, 10);
  const flat = (ts: number) => ({ ts, high: 1.1, low: 1.1 });

  it("a flat candle of a closed market is idle; a moving one, or one in open hours, is not", () => {
    expect(isIdleCandle("fx", "H1", flat(saturday))).toBe(true);
    expect(isIdleCandle("fx", "H1", { ...flat(saturday), high: 1.2 })).toBe(false);
    expect(isIdleCandle("crypto", "H1", flat(saturday))).toBe(false);
    expect(isIdleCandle("fx", "H1", flat(Date.UTC(2026, 10, 20, 10)))).toBe(false);
    // The day on which the week opens.
    expect(isIdleCandle("fx", "D1", flat(Date.UTC(2026, 10, 22)))).toBe(false);
    expect(isIdleCandle("fx", "D1", flat(Date.UTC(2026, 10, 21)))).toBe(true);
  });

  it("an idle candle is left out of a series, and the others stay", () => {
    const rows = walk().map((row, i) => ({ ...row, ts: Date.UTC(2026, 10, 16) + i * HOUR_MS }));
    const isWeekend = (ts: number) => ts >= Date.UTC(2026, 10, 21) && ts < Date.UTC(2026, 10, 22, 20);
    const filled = rows.map((row) =>
      isWeekend(row.ts) ? { ...row, open: 100, high: 100, low: 100, close: 100 } : row,
    );
    const used = withoutIdleCandles("fx", "H1", makeCandleSeries(filled));
    expect(rowsOf(used)).toEqual(rows.filter(({ ts }) => !isWeekend(ts)));
    const candles = makeCandleSeries(rows);
    expect(withoutIdleCandles("fx", "H1", candles)).toBe(candles);
  });
});
