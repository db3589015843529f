import { beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { readRecord } from "@/lib/signals/record/read-record";
import {
  readNewestTrades,
  type Trade,
  tradeFiguresOf,
  tradesOfPeriod,
} from "@/lib/signals/record/read-trades";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

useDatabase();

beforeAll(async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 400, nSignals: 150, seed: 31, ahead: true });
  await storeMarket({ symbol: "GBPUSD", nCandles: 200, nSignals: 60, seed: 32, ahead: true });
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
});

const ALL = {
  symbol: undefined,
  tf_code: undefined,
  model_v: undefined,
  from: undefined,
  to: undefined,
};

describe("the latest trades of the record", () => {
  it("the latest trades are those included in the record", async () => {
    const record = await readRecord(ALL);
    const trades = await readNewestTrades(ALL);
    expect(record.total.model.n).toBeGreaterThan(20);
    expect(trades).toHaveLength(record.total.model.n);
    const total = trades.reduce((sum, { resultR }) => sum + resultR, 0);
    expect(total).toBeCloseTo(record.total.model.total_r, 3);
    for (const { heldMinutes } of trades) expect(heldMinutes).toBeGreaterThan(0);
    const ends = trades.map(({ endedAt }) => endedAt.getTime());
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
  });

  it("the latest trades can be limited to one slot", async () => {
    const record = await readRecord({ ...ALL, symbol: "GBPUSD", tf_code: "H1" });
    const trades = await readNewestTrades({ ...ALL, symbol: "GBPUSD", tf_code: "H1" });
    expect(trades).toHaveLength(record.total.model.n);
    expect(new Set(trades.map(({ symbol }) => symbol))).toEqual(new Set(["GBPUSD"]));
    await expect(readNewestTrades({ ...ALL, symbol: "NOSUCH" })).rejects.toMatchObject({ status: 404 });
  });
});

describe("the trades of a period", () => {
  it("the trades of a period are those that the record counts for it", async () => {
    const trades = await readNewestTrades(ALL);
    const days = trades.map(({ endedAt }) => endedAt.toISOString().slice(0, 10)).toSorted();
    const period = { from: days[Math.floor(days.length / 3)], to: days[Math.floor((2 * days.length) / 3)] };
    const record = await readRecord({ ...ALL, ...period });
    const some = tradesOfPeriod(trades, period);
    expect(some.length).toBeLessThan(trades.length);
    expect(some).toHaveLength(record.total.model.n);
    expect(some.reduce((sum, { resultR }) => sum + resultR, 0)).toBeCloseTo(record.total.model.total_r, 3);
    expect(tradesOfPeriod(trades, ALL)).toHaveLength(trades.length);
  });
});

describe("trade statistics", () => {
  const trade = (resultR: number, direction: Trade["direction"] = "BUY", heldMinutes = 60): Trade => ({
    symbol: "EURUSD",
    timeframe: "H1",
    ts: new Date("2026-11-20T00:00:00Z"),
    endedAt: new Date("2026-11-20T05:00:00Z"),
    modelV: "m-1",
    confidence: 0.5,
    expectedRr: 1.5,
    stop: null,
    target: null,
    horizonCandles: null,
    entryPrice: 1.1,
    barrierDistance: 0.001,
    exitPrice: 1.1005,
    exitReason: "TIMEOUT",
    direction,
    resultR,
    heldMinutes,
  });

  it("trade statistics separate buys and sells, and name the extremes", () => {
    const figures = tradeFiguresOf([trade(1.4), trade(-1.02, "SELL", 180), trade(0, "SELL", 90)]);
    expect(figures).toMatchObject({
      n: 3,
      buy: { n: 1, wins: 1, totalR: 1.4 },
      sell: { n: 2, wins: 0, totalR: -1.02 },
      meanHeldMinutes: 110,
      mostOpen: 3,
      best: { resultR: 1.4 },
      worst: { resultR: -1.02 },
    });
  });

  it("trade statistics count each result in one bin of half an R, or of more R when results are spread", () => {
    const bins = tradeFiguresOf([trade(-1.02), trade(-1), trade(0), trade(0.5)])?.bins;
    expect(bins).toEqual([
      { lo: -1.5, hi: -1, n: 1 },
      { lo: -1, hi: -0.5, n: 1 },
      { lo: -0.5, hi: 0, n: 0 },
      { lo: 0, hi: 0.5, n: 1 },
      { lo: 0.5, hi: 1, n: 1 },
    ]);
    const far = tradeFiguresOf([trade(-1), trade(40)])?.bins ?? [];
    expect(far.length).toBeLessThanOrEqual(16);
    expect(far.reduce((sum, { n }) => sum + n, 0)).toBe(2);
  });

  it("trade statistics are absent without a trade", () => {
    expect(tradeFiguresOf([])).toBeNull();
  });
});
