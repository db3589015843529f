import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { listChampions } from "@/db/queries/models";
import { ensureSlots, listSlots } from "@/db/queries/slots";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { isTimely } from "@/lib/market/freshness";
import { candleOpenMs } from "@/lib/market/timeframes";
import { assignBaselineToSlots } from "@/lib/models/producer/assign-baseline-to-slots";
import { baselineBlockOf, maxHistoryStartsInThreeYears } from "@/lib/models/producer/baseline-block";
import { readBaselineHistory } from "@/lib/models/producer/baseline-history";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { recordBaselineSignals } from "@/lib/models/producer/record-baseline-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase();

const N = 1_200;
const never = new AbortController().signal;
const walk = randomWalk({ n: N, seed: 5 });

/** Stores an hourly walk ending with the last full hour, or `back` hours before it. */
async function store(symbol: string, n = N, back = 0): Promise<number> {
  const name = { symbol, timeframe: "H1" as const };
  const slotId = (await ensureSlots(workerDb(), [name], symbolDefaultsOf)).get(`${symbol}/H1`)!;
  await upsertCandles(
    workerDb(),
    Array.from({ length: n }, (_, i) => ({
      slotId,
      ts: hourlyCandleOpenTime(back + n - 1 - i),
      open: walk.open[i]!,
      high: walk.high[i]!,
      low: walk.low[i]!,
      close: walk.close[i]!,
      volume: 1,
    })),
  );
  return slotId;
}

const firstSeen = (ago: string) =>
  workerDb().execute(sql`update slots set created_at = now() - ${ago}::interval`);

let key = "";
beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
});

describe("a slot with candles but no model", () => {
  it("a slot without a model gets the baseline automatically, with a signal for its newest candle only", async () => {
    const slotId = await store("BTCUSD");
    await store("ETHUSD", 999);
    await store("SOLUSD");
    await store("ADAUSD");
    await ingest("models", [modelItem("SOLUSD")]);
    await ingest("signals", [signalItem({ symbol: "ADAUSD" })]);
    expect(await assignBaselineToSlots(workerDb())).toBe(0);
    await firstSeen("31 seconds");
    // The others have too few candles, an operator's model, or an operator's signals.
    expect(await assignBaselineToSlots(workerDb())).toBe(1);
    expect(await assignBaselineToSlots(workerDb())).toBe(0);
    const champions = await listChampions(workerDb());
    expect(champions.find((champion) => champion.slotId === slotId)?.modelV).toBe(BASELINE_VERSION);

    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    const { json } = await call("GET", "/api/signals/BTCUSD/H1", { key });
    expect(json.map((signal: { ts: string }) => Date.parse(signal.ts))).toEqual([
      hourlyCandleOpenTime(0).getTime(),
    ]);
  });

  it("a slot without a model gets no signals for candles of its history, which arrive in three parts", async () => {
    await store("XRPUSD", N, 500);
    await firstSeen("31 seconds");
    expect(await assignBaselineToSlots(workerDb())).toBe(1);
    expect(await produceDueSignals(workerDb(), never)).toBe(0);
    await store("XRPUSD", 300, 200);
    expect(await produceDueSignals(workerDb(), never)).toBe(0);
    await store("XRPUSD", 300);
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
  });
});

describe("a weekly or monthly slot", () => {
  it("a weekly or monthly slot gets the baseline with three years of weeks or five of months", async () => {
    const rows = (timeframe: "W1" | "MN1", slotId: number, n: number) => {
      const newest = candleOpenMs(Date.now(), timeframe) - 1;
      const times: number[] = [];
      for (let at = newest; times.length < n; at = (times[0] ?? 0) - 1)
        times.unshift(candleOpenMs(at, timeframe));
      return times.map((ts, i) => ({
        slotId,
        ts: new Date(ts),
        open: walk.open[i]!,
        high: walk.high[i]!,
        low: walk.low[i]!,
        close: walk.close[i]!,
        volume: 1,
      }));
    };
    for (const [symbol, timeframe, n] of [
      ["LTCUSD", "W1", 156],
      ["LTCUSD", "MN1", 60],
      ["DOGEUSD", "W1", 155],
      ["DOGEUSD", "MN1", 59],
    ] as const) {
      const name = { symbol, timeframe };
      const slotId = (await ensureSlots(workerDb(), [name], symbolDefaultsOf)).get(`${symbol}/${timeframe}`)!;
      await upsertCandles(workerDb(), rows(timeframe, slotId, n));
    }
    await firstSeen("31 seconds");
    expect(await assignBaselineToSlots(workerDb())).toBe(2);
    const before = await produceDueSignals(workerDb(), never);
    expect(before).toBeLessThanOrEqual(2);
    const served = (await listChampions(workerDb())).filter(({ timeframe }) => timeframe !== "H1");
    expect(served.map(({ symbol, timeframe }) => `${symbol}/${timeframe}`).toSorted()).toEqual([
      "LTCUSD/MN1",
      "LTCUSD/W1",
    ]);
    // One pass over the slot's whole history.
    const slots = await listSlots(workerDb());
    for (const timeframe of ["W1", "MN1"] as const) {
      const slot = slots.find((one) => one.symbol === "LTCUSD" && one.timeframe === timeframe)!;
      const made = await recordBaselineSignals(workerDb(), slot, { after: null, now: new Date() });
      expect(made).toBeGreaterThanOrEqual(timeframe === "W1" ? 155 : 59);
    }
  });
});

describe("a baseline from an earlier release", () => {
  it("a baseline from an earlier release is replaced by the current one from the next candle on", async () => {
    const slotId = await store("EOSUSD");
    await makeBaselineChampion(workerDb(), [slotId], new Date());
    await workerDb().execute(sql`update models set model_v = 'baseline-1' where slot_id = ${slotId}`);
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    const versions = await workerDb().execute(
      sql`select model_v, is_active from models where slot_id = ${slotId} order by model_v`,
    );
    expect(versions).toEqual([
      { model_v: "baseline-1", is_active: false },
      { model_v: BASELINE_VERSION, is_active: true },
    ]);
    const signals = await workerDb().execute(sql`select model_v from signals where slot_id = ${slotId}`);
    expect(signals).toEqual([{ model_v: BASELINE_VERSION }]);
  });
});

describe("backfilled signals", () => {
  it("a backfilled signal equals the worker's for the same candle, and backfilled signals count in no history or figure", async () => {
    const slot = (await listSlots(workerDb())).find(({ symbol }) => symbol === "BTCUSD")!;
    const content = () =>
      workerDb().execute(sql`
        select ts, signal, confidence, prob_buy, prob_sell, prob_no, regime from signals g
         where slot_id = ${slot.slotId} and ts = ${hourlyCandleOpenTime(0).toISOString()}::timestamptz`);
    const ofWorker = await content();
    await workerDb().execute(sql`delete from open_outcomes`);
    await workerDb().execute(sql`delete from latest_signals`);
    await workerDb().execute(sql`delete from signals where slot_id = ${slot.slotId}`);
    expect(await recordBaselineSignals(workerDb(), slot, { after: null, now: new Date() }, {})).toBe(N);
    expect(await content()).toEqual(ofWorker);
    // Another run from another start: stored signals are unchanged.
    expect(
      await recordBaselineSignals(workerDb(), slot, { after: hourlyCandleOpenTime(90), now: new Date() }),
    ).toBe(0);
    expect(
      await recordBaselineSignals(workerDb(), slot, { after: null, now: new Date() }, { thresholdR: -9 }),
    ).toBe(0);

    expect(await resolveOutcomes(workerDb())).toBeGreaterThan(N - 30);
    const nTimely = 2 + (isTimely(slot, hourlyCandleOpenTime(1), new Date()) ? 1 : 0);
    const { json: history } = await call("GET", "/api/signals/BTCUSD/H1?limit=1000", { key });
    expect(history.length).toBeGreaterThanOrEqual(2);
    expect(history.length).toBeLessThanOrEqual(nTimely);
    const query = "symbol=BTCUSD&days=90";
    const { json: performance } = await call("GET", `/api/performance?${query}`, { key });
    expect(performance.items).toHaveLength(1);
    expect(performance.items[0]).toMatchObject({ n_signals: history.length, n_resolved: 0 });
    expect((await call("GET", `/api/calibration?${query}`, { key })).json.models).toEqual([]);
    const { json: days } = await call("GET", `/api/history/predictions?${query}`, { key });
    const counted = days.items.reduce((sum: number, item: { n_total: number }) => sum + item.n_total, 0);
    expect(counted).toBe(history.length);
    const { json: account } = await call(
      "GET",
      "/api/account/signals?days=90&limit=500&include_no_trade=true",
      { key },
    );
    expect(account.signals.filter((s: { symbol: string }) => s.symbol === "BTCUSD")).toHaveLength(
      history.length,
    );
    const { json: stats } = await call("GET", "/api/public/stats");
    expect(stats.total_signals_24h).toBeLessThan(10);
    const { json: scan } = await call("GET", "/api/scan", { key });
    expect(scan.items.find((s: { symbol: string }) => s.symbol === "BTCUSD")?.ts).toBe(
      hourlyCandleOpenTime(0).toISOString().replace(".000Z", "Z"),
    );
  });

  it("the baseline's memory is reused between reads, and a new one is used after a correction of an old candle", async () => {
    const slot = (await listSlots(workerDb())).find(({ symbol }) => symbol === "BTCUSD")!;
    const block = baselineBlockOf(hourlyCandleOpenTime(0).getTime(), "H1");
    const settings = { histories: maxHistoryStartsInThreeYears("H1") };
    const { candles, memory } = await readBaselineHistory(workerDb(), slot, block, settings);
    expect(
      await recordBaselineSignals(workerDb(), slot, { after: hourlyCandleOpenTime(1), now: new Date() }),
    ).toBe(0);
    expect(memory.learnt).toBeGreaterThan(0);
    expect((await readBaselineHistory(workerDb(), slot, block, settings)).memory).toBe(memory);
    expect(
      (await readBaselineHistory(workerDb(), slot, block, { ...settings, thresholdR: -1 })).memory,
    ).not.toBe(memory);

    const before = await readBaselineHistory(workerDb(), slot, block, settings);
    const ts = hourlyCandleOpenTime(700).toISOString();
    await workerDb().execute(
      sql`update candles set close = high where slot_id = ${slot.slotId} and ts = ${ts}`,
    );
    const after = await readBaselineHistory(workerDb(), slot, block, settings);
    expect(after.memory).not.toBe(before.memory);
    expect(after.memory.learnt).toBe(0);
    expect(after.candles.close.length).toBe(candles.close.length);
    expect(after.candles.close).not.toEqual(candles.close);
  });

  it("a signal that an operator sends late counts in the performance", async () => {
    await ingest("signals", [signalItem({ symbol: "ADAUSD", ts: hourlyCandleOpenTime(400) })]);
    const { json } = await call("GET", "/api/performance?symbol=ADAUSD&days=90", { key });
    expect(json.items[0].n_signals).toBe(2);
  });
});

describe("the time limit for a current signal", () => {
  it("isTimely is true until two timeframes and 15 minutes of open market after the candle's opening", () => {
    const slot = { calendar: "fx", timeframe: "H1" } as const;
    const friday = new Date("2026-11-20T20:00:00Z");
    const after = (minutes: number) => new Date(friday.getTime() + minutes * MINUTE_MS);
    expect(isTimely(slot, friday, after(120))).toBe(true);
    // Closed from Friday 22:00 to Sunday 22:00 UTC.
    expect(isTimely(slot, friday, new Date("2026-11-22T22:15:00Z"))).toBe(true);
    expect(isTimely(slot, friday, new Date("2026-11-22T22:16:00Z"))).toBe(false);
  });
});

describe("the history used for a candle", () => {
  it("the baseline's history of a candle depends on the candle alone, and begins 20,000 to 30,000 hours before it", () => {
    let block = baselineBlockOf(Date.UTC(2026, 0, 1), "H1");
    for (let i = 0; i < 60_000; i += 7) {
      const ts = Date.UTC(2026, 0, 1) + i * HOUR_MS;
      if (ts >= block.untilMs) block = baselineBlockOf(ts, "H1");
      expect(baselineBlockOf(ts, "H1")).toEqual(block);
      expect(ts - block.historyFromMs).toBeGreaterThanOrEqual(20_000 * HOUR_MS);
      expect(ts - block.historyFromMs).toBeLessThan(30_000 * HOUR_MS);
    }
  });
});
