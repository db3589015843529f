import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listFilteredExecutions } from "@/db/queries/executions";
import { readPosition } from "@/lib/executions/read-position";
import { valuePosition, valuePositions } from "@/lib/executions/value-positions";
import { signalPrices } from "@/lib/signals/signal-prices";
import { latestVisibleCloses } from "@/lib/signals/visible-closes";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const ALL = { scope: { symbols: null, timeframes: null }, closes: null };
const DELAYED = { ...ALL.scope, delayCandles: 12 };
const HOUR_MS = 3_600_000;
const at = (hour: number, seconds = 0) =>
  new Date(Date.UTC(2026, 10, 18) + hour * HOUR_MS + seconds * 1_000).toISOString();

const position = {
  symbol: "EURUSD",
  signal: "BUY" as const,
  closedAt: null,
  entryPrice: "1.1000",
  exitPrice: null,
  pnl: null,
  volume: "0.5",
  currency: "USD",
};
const market = { symbol: "EURUSD", price: 1.101, closedAt: new Date() };
const worth = { symbol: "EURUSD", currency: "USD", perLot: 100_000 };

describe("the current value of a position", () => {
  it("an open position is valued by its move at the newest price, in R and in money", () => {
    const value = valuePosition(position, { market, distance: 0.002, worths: [worth, worth, worth] });
    expect(value.r).toBeCloseTo(0.5);
    expect(value.money).toBeCloseTo(50);
  });
  it("the value of a SELL has the opposite sign", () => {
    const value = valuePosition(
      { ...position, signal: "SELL" },
      { market, distance: 0.002, worths: [worth, worth, worth] },
    );
    expect(value.r).toBeCloseTo(-0.5);
    expect(value.money).toBeCloseTo(-50);
  });
  it("a closed position is valued at its exit price in R, and at its reported amount in money", () => {
    const closed = { ...position, closedAt: new Date(), exitPrice: "1.098", pnl: "-101.5" };
    const value = valuePosition(closed, { market: null, distance: 0.002, worths: [] });
    expect(value.r).toBeCloseTo(-1);
    expect(value.money).toBe(-101.5);
  });
  it("there is no value in money with too few closed positions to value a lot, or in another currency", () => {
    const other = { ...worth, currency: "EUR" };
    for (const worths of [[worth, worth], [other, other, other], []])
      expect(valuePosition(position, { market, distance: 0.002, worths }).money).toBeNull();
  });
  it("a position's value is null without a price, without a volume, or at another instrument's price", () => {
    expect(valuePosition(position, { market: null, distance: 0.002, worths: [] })).toEqual({
      market: null,
      r: null,
      money: null,
    });
    expect(
      valuePosition({ ...position, volume: null }, { market, distance: 0.002, worths: [worth, worth, worth] })
        .money,
    ).toBeNull();
    const foreign = { ...market, price: 110 };
    expect(valuePosition(position, { market: foreign, distance: 0.002, worths: [worth] }).r).toBeNull();
  });
});

describe("the current value of a subscription's positions", () => {
  beforeAll(async () => {
    const sql = db().$client;
    await sql`insert into slots (id, symbol, timeframe) overriding system value values (1, 'EURUSD', 'H1')`;
    // 60 candles of a range of 0.0010 each: ATR 0.0010, D 0.0020.
    for (let n = 0; n < 60; n++)
      await sql`insert into candles (slot_id, ts, open, high, low, close) values (1, ${at(n)}, 1.1, 1.1005, 1.0995, ${n === 59 ? 1.1002 : 1.1})`;
    const signal = (id: number, hour: number, side: string) => sql`
      insert into signals (id, seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
      overriding system value
      values (${id}, ${id}, 1, ${at(hour)}, ${at(hour + 1)}, 'm', ${side}, 0.6, 0.6, 0.2, 0.2, 'RANGE', 2, ${at(hour + 1, 10)})`;
    await signal(1, 50, "BUY");
    await signal(2, 51, "SELL");
    await sql`insert into subscriptions (id, user_name) overriding system value values (901, 'Own'), (902, 'Other')`;
    const open = (owner: number, ticket: number, side: string, hour: number, predId: number | null) => sql`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, entry_price, pred_id)
      values (${owner}, ${ticket}, 'EURUSD', 'EURUSD', 'H1', ${side}, ${at(hour, 30)}, 1.1, ${predId})`;
    await open(901, 1, "BUY", 55, 1);
    await open(901, 2, "BUY", 51, null);
    await open(901, 3, "BUY", 52, null);
    await open(902, 4, "BUY", 55, 1);
  });

  it("a position is valued by the named signal, else by the current one, and never by one of the other side", async () => {
    const rows = await listFilteredExecutions(
      db(),
      { subscriptionId: 901 },
      { sort: "ticket", descending: false },
      { limit: 10 },
    );
    const values = await valuePositions(db(), { subscriptionId: 901, seen: ALL }, rows, signalPrices);
    const r = rows.map(({ executionId }) => values.get(executionId)?.r ?? null);
    expect(r[0]).toBeCloseTo(0.1, 1);
    expect(r[1]).toBeCloseTo(0.1, 1);
    expect(r[2]).toBeNull();
    expect(values.get(rows[0]?.executionId ?? 0)?.market?.closedAt.toISOString()).toBe(
      new Date(Date.parse(at(60))).toISOString(),
    );
  });

  it("a position of another subscription is not valued", async () => {
    const rows = await listFilteredExecutions(
      db(),
      { subscriptionId: 902 },
      { sort: "ticket", descending: false },
      { limit: 10 },
    );
    const values = await valuePositions(db(), { subscriptionId: 901, seen: ALL }, rows, signalPrices);
    expect([...values.values()].map(({ r }) => r)).toEqual([null]);
  });

  // Otherwise a subscriber could learn the signals of every slot by reporting two positions per candle.
  it.each([
    ["of another symbol", { scope: { symbols: ["GBPUSD"], timeframes: null }, closes: null }],
    ["of another timeframe", { scope: { symbols: null, timeframes: ["H4"] }, closes: null }],
    ["whose delay is not over", { scope: DELAYED, closes: latestVisibleCloses(DELAYED, new Date(at(56))) }],
  ])("a position is not valued by a signal %s, named or not, and its page shows none", async (_, seen) => {
    const rows = await listFilteredExecutions(
      db(),
      { subscriptionId: 901 },
      { sort: "ticket", descending: false },
      { limit: 10 },
    );
    const values = await valuePositions(db(), { subscriptionId: 901, seen }, rows, signalPrices);
    expect([...values.values()].map(({ r }) => r)).toEqual([null, null, null]);
    for (const { executionId } of rows) {
      const wanted = { subscriptionId: 901, executionId };
      expect((await readPosition(db(), { ...wanted, seen }, new Date(at(56))))?.signal).toBeNull();
    }
    const [{ executionId } = { executionId: 0 }] = rows;
    const own = { subscriptionId: 901, executionId, seen: ALL };
    expect((await readPosition(db(), own, new Date(at(56))))?.signal?.predId).toBe(1);
  });
});
