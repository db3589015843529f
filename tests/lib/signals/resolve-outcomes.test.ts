import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import {
  type Candle,
  hourCandles,
  hourlyCandleOpenTime,
  ingest,
  modelItem,
  signalItem,
} from "@/tests/support/market-data";

useDatabase();

/** Quiet candles around 100 with a range of 1, so that ATR(14) is 1 and D is 2. */
const quiet = (n: number): Candle[] =>
  Array.from({ length: n }, () => ({ open: 100, high: 100.5, low: 99.5, close: 100 }));
const rise: Candle = { open: 100, high: 103, low: 99.5, close: 100 };
const both: Candle = { open: 100, high: 104, low: 96, close: 100 };

let key = "";

beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
});

/** 30 quiet candles, then `following` ones; a signal on the last quiet candle. */
async function play(symbol: string, following: Candle[], wish: Parameters<typeof signalItem>[0] = {}) {
  await ingest("models", [modelItem(symbol)]);
  await ingest("candles", hourCandles(symbol, [...quiet(30), ...following]));
  await ingest("signals", [signalItem({ symbol, ts: hourlyCandleOpenTime(following.length), ...wish })]);
  const written = await resolveOutcomes(workerDb());
  const outcomes = await db().$client`
    select o.* from outcomes o join slots s on s.id = o.slot_id where s.symbol = ${symbol}`;
  return { written, outcome: outcomes[0] };
}

describe("resolving outcomes", () => {
  it("a BUY that reaches its target gets its expected ratio as result, and class BUY", async () => {
    const { outcome } = await play("AAA", [...quiet(2), rise, ...quiet(9)], { expected_rr: 1.5 });
    expect(outcome).toMatchObject({
      label: "BUY",
      exit_reason: "TP",
      result_r: 1.5,
      entry_price: 100,
      barrier_distance: 2,
    });
    expect(new Date(outcome?.ended_at)).toEqual(hourlyCandleOpenTime(8));
  });

  it("a candle that reaches both barriers stops a signal, and its outcome has the class NO_TRADE", async () => {
    const { outcome } = await play("BBB", [both, ...quiet(11)], { signal: "SELL" });
    expect(outcome).toMatchObject({
      label: "NO_TRADE",
      exit_reason: "SL",
      result_r: -1,
      buy_r: -1,
      sell_r: -1,
    });
  });

  it("an outcome waits until the horizon is over, then ends at its last close", async () => {
    const early = await play("CCC", quiet(11));
    expect(early).toEqual({ written: 0, outcome: undefined });
    const waiting = await db().$client`select count(*)::int as n from open_outcomes`;
    expect(waiting[0]?.n).toBe(1);
    await db().$client`update candles set ts = ts - interval '1 hour'`;
    await db().$client`update open_outcomes set ts = ts - interval '1 hour'`;
    await ingest("candles", hourCandles("CCC", quiet(1)));
    expect(await resolveOutcomes(workerDb())).toBe(1);
    const [row] = await db()
      .$client`select exit_reason, result_r from outcomes o join slots s on s.id = slot_id where symbol = 'CCC'`;
    expect(row).toEqual({ exit_reason: "TIMEOUT", result_r: 0 });
  });

  it("a signal without enough history is dropped without an outcome", async () => {
    await ingest("candles", hourCandles("DDD", quiet(20)));
    await ingest("signals", [signalItem({ symbol: "DDD", ts: hourlyCandleOpenTime(15) })]);
    expect(await resolveOutcomes(workerDb())).toBe(0);
    const [row] = await db().$client`select count(*)::int as n from open_outcomes`;
    expect(row?.n).toBe(0);
  });

  it("a signal with an expected ratio of 0 has no target and ends at its horizon", async () => {
    const { outcome } = await play("EEE", [rise, ...quiet(11)], { expected_rr: 0 });
    expect(outcome).toMatchObject({ exit_reason: "TIMEOUT", result_r: 0, label: "BUY" });
  });

  it("an outcome does not change when its candles change", async () => {
    await ingest("candles", hourCandles("AAA", [both], 5));
    expect(await resolveOutcomes(workerDb())).toBe(0);
    const [row] = await db()
      .$client`select result_r from outcomes o join slots s on s.id = slot_id where symbol = 'AAA'`;
    expect(row?.result_r).toBe(1.5);
  });

  it("an outcome is visible in the track record and calibration of the next request", async () => {
    const performance = await call("GET", "/api/performance?symbol=AAA", { key });
    expect(performance.json.items[0]).toMatchObject({
      n_signals: 1,
      n_directional: 1,
      n_resolved: 1,
      n_wins: 1,
      n_losses: 0,
      win_rate_pct: 100,
      baseline_win_rate_pct: 100,
      profit_factor: null,
      total_r: 1.5,
      expectancy_r: 1.5,
      max_drawdown_r: 0,
    });
    const calibration = await call("GET", "/api/calibration?symbol=AAA&bins=5", { key });
    expect(calibration.json).toMatchObject({ days: 90, count: 1, n_bins: 5 });
    expect(calibration.json.models[0]).toMatchObject({
      n: 1,
      status: "insufficient",
      ece: null,
      brier: null,
    });
    expect(calibration.json.models[0].bins).toHaveLength(5);
  });

  it("GET /api/calibration?expand=slots adds a row over all models of the slot", async () => {
    const plain = await call("GET", "/api/calibration?symbol=AAA", { key });
    const { json } = await call("GET", "/api/calibration?symbol=AAA&expand=slots", { key });
    expect(json).toMatchObject({ days: 90, count: 2 });
    expect(json.models[0]).toEqual(plain.json.models[0]);
    expect(json.models[1]).toMatchObject({
      symbol: "AAA",
      model_v: "*",
      n: 1,
      status: "insufficient",
      ece_noise: null,
      reason: "1 of the 50 forecasts with an outcome that are needed",
    });
    expect((await call("GET", "/api/calibration?expand=all", { key })).status).toBe(422);
  });

  it("the track record of one stopped signal has a drawdown of 1 R and a profit factor of 0", async () => {
    await play("FFF", [both, ...quiet(11)]);
    const { json } = await call("GET", "/api/performance?symbol=FFF", { key });
    expect(json.items[0]).toMatchObject({
      n_losses: 1,
      win_rate_pct: 0,
      total_r: -1,
      max_drawdown_r: 1,
      profit_factor: 0,
    });
    expect(json.items[0].win_rate_ci95[0]).toBe(0);
  });

  it("20,000 signals are resolved once, even when two runs race", {
    timeout: 120_000,
  }, async () => {
    const n = 20_000;
    // Not through the service's pools, whose statements have a shorter limit.
    const sql = connectDirectly(1);
    await sql`
      insert into candles (slot_id, ts, open, high, low, close)
      select s.id, now() - (i || ' hours')::interval, 100 + sin(i), 101.5 + sin(i), 98.5 + sin(i), 100 + sin(i)
        from slots s, generate_series(1, ${n}) i where s.symbol = 'BBB' on conflict do nothing`;
    await sql`
      with made as (
        insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
        select 1000000 + row_number() over (), c.slot_id, c.ts, c.ts + interval '1 hour', 'bulk', 'BUY', 0.5, 0.5, 0.3, 0.2, 'RANGE', 1
          from candles c join slots s on s.id = c.slot_id where s.symbol = 'BBB'
        returning id, slot_id, ts)
      insert into open_outcomes (signal_id, slot_id, ts) select * from made`;
    await sql.end();
    const written = await Promise.all([resolveOutcomes(workerDb()), resolveOutcomes(workerDb())]);
    const [row] = await db().$client`select count(*)::int as n from outcomes where model_v = 'bulk'`;
    expect(written[0] + written[1]).toBe(row?.n);
    expect(row?.n).toBeGreaterThan(n - 30);
  });
});
