import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMarketOpen, newYorkHour, openMinutesBetween } from "@/lib/market/calendar";
import { aggregateCandles, type CandleRow, type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { DEMO_CANDLE_MS, simulateDemoCandles } from "@/lib/market/demo/demo-market";
import { createDemoRandom } from "@/lib/market/demo/demo-noise";
import { type DemoRegime, demoRegimeAt } from "@/lib/market/demo/demo-regimes";
import { DEMO_SYMBOLS, type DemoSymbol } from "@/lib/market/demo/demo-symbols";
import { processorMsOf } from "@/tests/support/processor-time";

const DAY_MS = 86_400_000;
const END_MS = Date.UTC(2026, 10, 1);
const EURUSD = DEMO_SYMBOLS.find((demo) => demo.symbol === "EURUSD")!;
const XAUUSD = DEMO_SYMBOLS.find((demo) => demo.symbol === "XAUUSD")!;

function simulateDays(symbol: DemoSymbol, days: number, seed = 1): CandleRow[] {
  return simulateDemoCandles({
    seed,
    symbol,
    fromMs: END_MS - days * DAY_MS,
    toMs: END_MS,
    previousClose: null,
  });
}

const logReturns = (rows: CandleRow[]) => rows.map((candle) => Math.log(candle.close / candle.open));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
function deviation(values: number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

describe("simulated candles", () => {
  it.each(DEMO_SYMBOLS)("candles of $symbol cover its open hours, each quarter of an hour once", (symbol) => {
    const rows = simulateDays(symbol, 30);
    expect(rows).toHaveLength(openMinutesBetween(symbol.calendar, END_MS - 30 * DAY_MS, END_MS) / 15);
    expect(rows.every((candle) => candle.ts % DEMO_CANDLE_MS === 0)).toBe(true);
    expect(rows.every((candle) => isMarketOpen(symbol.calendar, candle.ts))).toBe(true);
    expect(() => makeCandleSeries(rows)).not.toThrow();
  });

  it.each(DEMO_SYMBOLS)(
    "candles of $symbol are rounded, continuous inside a session and near the starting price",
    (symbol) => {
      const rows = simulateDays(symbol, 365);
      for (const [i, candle] of rows.entries()) {
        for (const price of [candle.open, candle.high, candle.low, candle.close]) {
          if (Number(price.toFixed(symbol.digits)) !== price) expect.fail(`${price} is not rounded`);
        }
        const before = rows[i - 1];
        if (before && before.ts === candle.ts - DEMO_CANDLE_MS && candle.open !== before.close)
          expect.fail(`${candle.open} follows on ${before.close}`);
      }
      // Mean reversion alone gives a spread of 3.8 daily deviations around the anchor price; trends widen it.
      const reach = rows.map((candle) => Math.abs(Math.log(candle.close / symbol.anchorPrice)));
      expect(Math.max(...reach) / symbol.dailyVolatility).toBeLessThan(20);
      expect(mean(reach) / symbol.dailyVolatility).toBeLessThan(8);
    },
  );

  it("candles are created only when closed, from the first opening in the requested period", () => {
    const openMs = Date.UTC(2026, 0, 13, 12);
    const times = (fromMs: number, toMs: number) =>
      simulateDemoCandles({ seed: 1, symbol: EURUSD, fromMs, toMs, previousClose: 1.1 }).map((c) => c.ts);
    expect(times(openMs, openMs + DEMO_CANDLE_MS - 1)).toEqual([]);
    expect(times(openMs, openMs + DEMO_CANDLE_MS)).toEqual([openMs]);
    expect(times(openMs + 1, openMs + 2 * DEMO_CANDLE_MS)).toEqual([openMs + DEMO_CANDLE_MS]);
    expect(times(openMs, openMs - DAY_MS)).toEqual([]);
  });

  it("simulateDemoCandles throws a RangeError for an invalid previous close", () => {
    for (const previousClose of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const run = { seed: 1, symbol: EURUSD, fromMs: 0, toMs: DAY_MS, previousClose };
      expect(() => simulateDemoCandles(run)).toThrow(RangeError);
    }
  });
});

describe("the determinism of the simulated market", () => {
  it("a series continued from its last stored close equals one run, at any cut", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DEMO_SYMBOLS),
        fc.integer(),
        fc.integer({ min: 1, max: 9 * DAY_MS }),
        (symbol, seed, cutMs) => {
          const fromMs = END_MS - 10 * DAY_MS;
          const run = { seed, symbol };
          const whole = simulateDemoCandles({ ...run, fromMs, toMs: END_MS, previousClose: null });
          const first = simulateDemoCandles({ ...run, fromMs, toMs: fromMs + cutMs, previousClose: null });
          const last = first.at(-1);
          const rest = simulateDemoCandles({
            ...run,
            fromMs: last ? last.ts + DEMO_CANDLE_MS : fromMs,
            toMs: END_MS,
            previousClose: last ? last.close : null,
          });
          expect([...first, ...rest]).toEqual(whole);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("demo markets of two seeds have uncorrelated returns", () => {
    const returns = [1, 2].map((seed) => logReturns(simulateDays(EURUSD, 90, seed)));
    const products = returns[0]!.map((value, i) => value * returns[1]![i]!);
    expect(Math.abs(mean(products)) / (deviation(returns[0]!) * deviation(returns[1]!))).toBeLessThan(0.05);
  });

  it("two candles stay as recorded here, because a change would alter stored demo markets", () => {
    expect(simulateDays(EURUSD, 3, 42)[0]).toMatchInlineSnapshot(`
      {
        "close": 1.09979,
        "high": 1.1001,
        "low": 1.09974,
        "open": 1.1,
        "ts": 1793232000000,
        "volume": 1005,
      }
    `);
    expect(simulateDays(XAUUSD, 3, 42)[50]).toMatchInlineSnapshot(`
      {
        "close": 2493.15,
        "high": 2493.57,
        "low": 2491.91,
        "open": 2492.98,
        "ts": 1793277000000,
        "volume": 1776,
      }
    `);
  });
});

describe("statistics of the simulated market", () => {
  it.each(DEMO_SYMBOLS)(
    "simulated $symbol has between 0.85 and 1.35 times the daily volatility of its table",
    (symbol) => {
      const closes = [
        ...new Map(
          simulateDays(symbol, 730).map(({ ts, close }) => [Math.floor(ts / DAY_MS), close]),
        ).values(),
      ];
      const perDay = deviation(closes.slice(1).map((close, i) => Math.log(close / closes[i]!)));
      expect(perDay / symbol.dailyVolatility).toBeGreaterThan(0.85);
      expect(perDay / symbol.dailyVolatility).toBeLessThan(1.35);
    },
  );

  it("volatility clusters: large moves follow large moves", () => {
    const sizes = logReturns(simulateDays(EURUSD, 365)).map(Math.abs);
    const centre = mean(sizes);
    const lagged = sizes.slice(4).map((size, i) => (size - centre) * (sizes[i]! - centre));
    expect(mean(lagged) / deviation(sizes) ** 2).toBeGreaterThan(0.1);
  });

  it("the London and New York overlap is more volatile than the hours after New York's close", () => {
    const rows = simulateDays(EURUSD, 365);
    const at = (hours: number[]) =>
      deviation(logReturns(rows.filter((candle) => hours.includes(newYorkHour(candle.ts)))));
    expect(at([9, 10]) / at([17, 18])).toBeGreaterThan(2);
  });

  it("regimes last at least 4 hours and on average 16 to 56 hours, and all four occur", () => {
    const noise = createDemoRandom(1, "EURUSD");
    const firstIndex = (END_MS - 730 * DAY_MS) / DEMO_CANDLE_MS;
    const lengths: number[] = [];
    const seen = new Map<DemoRegime, number>();
    let length = 0;
    for (let i = 0; i < 730 * 96; i++) {
      const regime = demoRegimeAt(noise, firstIndex + i);
      seen.set(regime, (seen.get(regime) ?? 0) + 1);
      if (i > 0 && regime !== demoRegimeAt(noise, firstIndex + i - 1)) {
        lengths.push(length);
        length = 0;
      }
      length++;
    }
    expect([...seen.keys()].sort()).toEqual(["RANGE", "TREND_DOWN", "TREND_UP", "VOLATILE"]);
    for (const count of seen.values()) expect(count / (730 * 96)).toBeGreaterThan(0.08);
    const hours = lengths.slice(1).map((candles) => candles / 4);
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(4);
    expect(mean(hours)).toBeGreaterThan(16);
    expect(mean(hours)).toBeLessThan(56);
  });
});

/** 0 BUY, 1 SELL, 2 NO_TRADE for each candle with history and horizon: barriers at 2 ATR(14), 12 candles. */
function barrierClasses(series: CandleSeries): { index: number; label: 0 | 1 | 2; momentum: number }[] {
  const { high, low, close } = series;
  const labels: { index: number; label: 0 | 1 | 2; momentum: number }[] = [];
  let atr = 0;
  for (let i = 0; i < close.length - 12; i++) {
    const before = i > 0 ? close[i - 1]! : close[i]!;
    const range = i > 0 ? Math.max(high[i]!, before) - Math.min(low[i]!, before) : high[i]! - low[i]!;
    atr = i < 14 ? atr + range / 14 : (atr * 13 + range) / 14;
    if (i < 50) continue;
    const entry = close[i]!;
    let label: 0 | 1 | 2 = 2;
    for (let j = i + 1; j <= i + 12; j++) {
      const up = high[j]! >= entry + 2 * atr;
      const down = low[j]! <= entry - 2 * atr;
      if (up || down) {
        if (up !== down) label = up ? 0 : 1;
        break;
      }
    }
    labels.push({ index: i, label, momentum: (entry - close[i - 24]!) / atr });
  }
  return labels;
}

describe("the simulated edge on H1", () => {
  const labelled = DEMO_SYMBOLS.flatMap((symbol) => {
    const noise = createDemoRandom(1, symbol.symbol);
    const hours = aggregateCandles(makeCandleSeries(simulateDays(symbol, 730)), "M15", "H1");
    return barrierClasses(hours).map(({ index, label, momentum }) => ({
      label,
      momentum,
      // The regime at the end of the signal's candle.
      regime: demoRegimeAt(noise, hours.ts[index]! / DEMO_CANDLE_MS + 3),
    }));
  });
  const sharesOf = (rows: { label: 0 | 1 | 2 }[]) =>
    ([0, 1, 2] as const).map(
      (label) => (100 * rows.filter((row) => row.label === label).length) / rows.length,
    ) as [number, number, number];

  it("inside a simulated trend the barrier in its direction is reached first in 70 to 88 % of cases", () => {
    for (const [regime, withTrend, against] of [
      ["TREND_UP", 0, 1],
      ["TREND_DOWN", 1, 0],
    ] as const) {
      const shares = sharesOf(labelled.filter((row) => row.regime === regime));
      console.log(`${regime}: BUY, SELL, NO_TRADE ${shares.map((share) => share.toFixed(1)).join(", ")} %`);
      expect(shares[withTrend]).toBeGreaterThan(70);
      expect(shares[withTrend]).toBeLessThan(88);
      expect(shares[against]).toBeGreaterThan(4);
      expect(shares[against]).toBeLessThan(16);
    }
  });

  it("outside simulated trends neither direction is favoured, and ranges have more NO_TRADE than volatile hours", () => {
    const range = sharesOf(labelled.filter((row) => row.regime === "RANGE"));
    const volatile = sharesOf(labelled.filter((row) => row.regime === "VOLATILE"));
    expect(Math.abs(range[0] - range[1])).toBeLessThan(4);
    expect(Math.abs(volatile[0] - volatile[1])).toBeLessThan(6);
    expect(range[2]).toBeGreaterThan(volatile[2] + 5);
  });

  it("BUY, SELL and NO_TRADE are each 20 to 46 % of the simulated market's H1 classes", () => {
    for (const share of sharesOf(labelled)) {
      expect(share).toBeGreaterThan(20);
      expect(share).toBeLessThan(46);
    }
  });

  it("after the strongest daily momentum the simulated market's class in its direction leads by 20 to 70 points", () => {
    const sorted = [...labelled].sort((a, b) => a.momentum - b.momentum);
    const tenth = Math.floor(sorted.length / 10);
    const falling = sharesOf(sorted.slice(0, tenth));
    const rising = sharesOf(sorted.slice(-tenth));
    for (const lead of [rising[0] - rising[1], falling[1] - falling[0]]) {
      expect(lead).toBeGreaterThan(20);
      expect(lead).toBeLessThan(70);
    }
  });
});

it("ninety days of all demo symbols are simulated within 5 seconds of processor time", () => {
  let count = 0;
  const tookMs = processorMsOf(() => {
    for (const symbol of DEMO_SYMBOLS) count += simulateDays(symbol, 90).length;
  });
  console.log(`${count} M15 candles in ${tookMs.toFixed(0)} ms`);
  expect(tookMs).toBeLessThan(5_000);
});
