import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  aggregateCandles,
  type CandleRow,
  type CandleSeries,
  candleAt,
  makeCandleSeries,
  sliceCandles,
} from "@/lib/market/candles";
import { candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { TIMEFRAMES } from "@/lib/vocabulary";

const HOUR_MS = 3_600_000;
const ms = (text: string) => Date.parse(text);

function row(ts: number, open: number, high: number, low: number, close: number, volume = 1): CandleRow {
  return { ts, open, high, low, close, volume };
}

/** H1 candles from an instant on; the i-th rises from i to i + 1. */
function risingHours(startMs: number, count: number): CandleSeries {
  return makeCandleSeries(
    Array.from({ length: count }, (_, i) => row(startMs + i * HOUR_MS, i, i + 1.5, i - 0.5, i + 1, 10)),
  );
}

/** Equal only for bit-identical series. */
function digestOf(series: CandleSeries): string {
  const hash = createHash("sha256");
  for (const [name, column] of Object.entries(series).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${name}${column.length}`).update(column);
  return hash.digest("hex");
}

const rowsOf = (series: CandleSeries) => Array.from(series.ts, (_, i) => candleAt(series, i));

describe("makeCandleSeries", () => {
  it("makeCandleSeries returns rows as given", () => {
    const rows = [row(0, 1, 2, 0.5, 1.5, 3), row(HOUR_MS, 1.5, 1.5, 1.5, 1.5, 0)];
    expect(rowsOf(makeCandleSeries(rows))).toEqual(rows);
    expect(makeCandleSeries([]).ts).toHaveLength(0);
  });

  it("makeCandleSeries refuses candles out of order or repeated", () => {
    const candle = row(HOUR_MS, 1, 1, 1, 1);
    expect(() => makeCandleSeries([candle, candle])).toThrow("candle 1 is not later");
    expect(() => makeCandleSeries([candle, row(0, 1, 1, 1, 1)])).toThrow(RangeError);
  });

  it("makeCandleSeries refuses impossible candle values", () => {
    for (const unsound of [
      row(0, 1, 0.9, 0.5, 0.8),
      row(0, 1, 2, 1.1, 1.5),
      row(0, 1, 2, 0.5, Number.NaN),
      row(0, 1, Number.POSITIVE_INFINITY, 0.5, 1),
      row(Number.NaN, 1, 1, 1, 1),
      row(0, 1, 1, 1, 1, -1),
    ]) {
      expect(() => makeCandleSeries([unsound]), JSON.stringify(unsound)).toThrow(
        "candle 0 has impossible values",
      );
    }
  });
});

describe("sliceCandles", () => {
  it("sliceCandles returns the rows that slicing an array of rows returns", () => {
    const series = risingHours(0, 5);
    expect(rowsOf(sliceCandles(series, 1, 3))).toEqual(rowsOf(series).slice(1, 3));
    expect(rowsOf(sliceCandles(series, -2))).toEqual(rowsOf(series).slice(-2));
    expect(rowsOf(sliceCandles(series, 0, 0))).toEqual([]);
  });

  it("candleAt throws a RangeError for an index outside the series", () => {
    expect(() => candleAt(risingHours(0, 2), 2)).toThrow(RangeError);
    expect(() => candleAt(risingHours(0, 2), -1)).toThrow(RangeError);
  });
});

describe("aggregateCandles", () => {
  it("an H4 candle from four H1 candles has the first open, highest high, lowest low, last close and summed volume", () => {
    const hours = makeCandleSeries([
      row(ms("2026-01-13T04:00Z"), 5, 7, 4, 6, 10),
      row(ms("2026-01-13T05:00Z"), 6, 9, 6, 8, 20),
      row(ms("2026-01-13T06:00Z"), 8, 8, 2, 3, 30),
      row(ms("2026-01-13T07:00Z"), 3, 4, 3, 4, 40),
    ]);
    expect(rowsOf(aggregateCandles(hours, "H1", "H4"))).toEqual([
      row(ms("2026-01-13T04:00Z"), 5, 9, 2, 4, 100),
    ]);
  });

  it("aggregateCandles holds back an incomplete last group of candles until its period is over", () => {
    const start = ms("2026-01-13T00:00Z");
    expect(aggregateCandles(risingHours(start, 7), "H1", "H4").ts).toHaveLength(1);
    expect(aggregateCandles(risingHours(start, 8), "H1", "H4").ts).toHaveLength(2);
  });

  it("aggregateCandles returns a group with gaps once its period is over or a later candle exists", () => {
    const first = row(ms("2026-01-13T00:00Z"), 1, 1, 1, 1);
    const third = row(ms("2026-01-13T02:00Z"), 2, 2, 2, 2);
    const fourth = row(ms("2026-01-13T03:00Z"), 3, 3, 3, 3);
    const nextDay = row(ms("2026-01-14T10:00Z"), 4, 4, 4, 4);
    const openTimes = (rows: CandleRow[]) => [...aggregateCandles(makeCandleSeries(rows), "H1", "H4").ts];
    expect(openTimes([first, third])).toEqual([]);
    expect(openTimes([first, fourth])).toEqual([first.ts]);
    expect(openTimes([first, third, nextDay])).toEqual([first.ts]);
  });

  it("aggregateCandles holds back the Friday H4 candle shortened by the weekend until Sunday", () => {
    const friday = Array.from({ length: 2 }, (_, i) =>
      row(ms("2026-01-16T20:00Z") + i * HOUR_MS, 1, 1, 1, 1),
    );
    const sunday = row(ms("2026-01-18T22:00Z"), 1, 1, 1, 1);
    expect(aggregateCandles(makeCandleSeries(friday), "H1", "H4").ts).toHaveLength(0);
    expect([...aggregateCandles(makeCandleSeries([...friday, sunday]), "H1", "H4").ts]).toEqual([
      ms("2026-01-16T20:00Z"),
    ]);
  });

  it("aggregateCandles stamps a group with the start of its UTC period, even when trading began later", () => {
    const rows = [row(ms("2026-01-18T22:00Z"), 1, 1, 1, 1), row(ms("2026-01-18T23:00Z"), 1, 1, 1, 1)];
    const series = makeCandleSeries(rows);
    expect([...aggregateCandles(series, "H1", "H4").ts]).toEqual([ms("2026-01-18T20:00Z")]);
    expect([...aggregateCandles(series, "H1", "D1").ts]).toEqual([ms("2026-01-18T00:00Z")]);
  });

  it("aggregateCandles builds weeks and months from days", () => {
    const days = makeCandleSeries(
      Array.from({ length: 31 }, (_, i) => row(ms("2026-03-01T00:00Z") + i * 24 * HOUR_MS, 1, 2, 0.5, 1, 1)),
    );
    expect([...aggregateCandles(days, "D1", "MN1").volume]).toEqual([31]);
    expect([...aggregateCandles(days, "D1", "W1").volume]).toEqual([7, 7, 7, 7]);
  });

  it("aggregateCandles builds every timeframe equally from every shorter one that divides it, and from no other", () => {
    const start = ms("2026-02-01T00:00Z"); // a Sunday, and February has four weeks
    const minutes = makeCandleSeries(
      Array.from({ length: 28 * 1440 }, (_, i) => row(start + i * 60_000, 10 + (i % 7), 20, 5, 11, 1)),
    );
    const direct = new Map(TIMEFRAMES.map((to) => [to, aggregateCandles(minutes, "M1", to)]));
    for (const from of TIMEFRAMES.slice(0, -1)) {
      const shorter = aggregateCandles(minutes, "M1", from);
      for (const to of TIMEFRAMES) {
        const divides = to === "MN1" ? from !== "W1" : timeframeMinutes(to) % timeframeMinutes(from) === 0;
        if (!divides) {
          expect(() => aggregateCandles(shorter, from, to), `${from} to ${to}`).toThrow(RangeError);
          continue;
        }
        expect(digestOf(aggregateCandles(shorter, from, to)), `${from} to ${to}`).toBe(
          digestOf(direct.get(to)!),
        );
      }
    }
  });

  it("aggregateCandles leaves an empty series empty, and a timeframe built from itself unchanged", () => {
    expect(aggregateCandles(makeCandleSeries([]), "M15", "H4").ts).toHaveLength(0);
    const hours = risingHours(0, 3);
    expect(aggregateCandles(hours, "H1", "H1")).toEqual(hours);
  });

  it("aggregateCandles refuses timeframes that do not divide", () => {
    const series = risingHours(0, 1);
    expect(() => aggregateCandles(series, "H4", "H1")).toThrow(/H1 .*H4/);
    expect(() => aggregateCandles(series, "W1", "MN1")).toThrow(RangeError);
    expect(() => aggregateCandles(series, "MN1", "D1")).toThrow(RangeError);
    for (const timeframe of TIMEFRAMES.filter((code) => code !== "W1")) {
      expect(() => aggregateCandles(makeCandleSeries([]), timeframe, "MN1")).not.toThrow();
    }
  });

  it("aggregateCandles gives the same H4 candles from M15 through H1 as directly, except perhaps the last one", () => {
    const quarterHours = fc
      .uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 120 })
      .chain((slots) =>
        fc
          .array(fc.tuple(fc.nat(100), fc.nat(100), fc.nat(9), fc.nat(9)), {
            minLength: slots.length,
            maxLength: slots.length,
          })
          .map((prices) =>
            [...slots]
              .sort((a, b) => a - b)
              .map((slot, i) => {
                const [open, close, above, below] = prices[i]!;
                return row(
                  slot * 15 * 60_000,
                  open,
                  Math.max(open, close) + above,
                  Math.min(open, close) - below,
                  close,
                );
              }),
          ),
      );
    fc.assert(
      fc.property(quarterHours, (rows) => {
        const series = makeCandleSeries(rows);
        const direct = rowsOf(aggregateCandles(series, "M15", "H4"));
        const viaHours = rowsOf(aggregateCandles(aggregateCandles(series, "M15", "H1"), "H1", "H4"));
        // Hours are also held back while incomplete, which can only delay the last group.
        expect(direct.slice(0, viaHours.length)).toEqual(viaHours);
        expect(direct.length - viaHours.length).toBeLessThanOrEqual(1);
        for (const group of direct) {
          const members = rows.filter((candle) => candleOpenMs(candle.ts, "H4") === group.ts);
          expect(group.high).toBe(Math.max(...members.map((candle) => candle.high)));
          expect(group.low).toBe(Math.min(...members.map((candle) => candle.low)));
          expect(group.open).toBe(members[0]!.open);
          expect(group.close).toBe(members.at(-1)!.close);
        }
      }),
    );
  });
});
