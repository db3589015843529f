import { describe, expect, it } from "vitest";
import { type CandleSeries, candleAt, makeCandleSeries } from "@/lib/market/candles";
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

  it("a spike is a bad tick when the price returns at once, and is left out of training", () => {
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

  it("a jump is a split when the price opens at a quarter, and training uses one scale", () => {
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
