import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { listSignalHistory } from "@/db/queries/signal-history";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

const HOUR_MS = 3_600_000;
const sql = () => db().$client;
/** Opening time of the candle that closed `back` hours before the current hour. */
const hour = (back: number) =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - (back + 1) * HOUR_MS).toISOString();

const ingest = (kind: string, items: unknown) =>
  call("POST", `/admin/ingest/${kind}`, { admin: true, body: { items } });

const signal = (symbol: string, back: number, extra: Record<string, unknown> = {}) => ({
  ...{
    symbol,
    timeframe: "H1",
    signal: "BUY",
    confidence: 0.9,
    prob_buy: 0.9,
    prob_sell: 0.05,
    prob_no: 0.05,
  },
  ...{ regime: "RANGE", expected_rr: 1, ts: hour(back), model_v: "m-1", ...extra },
});

const candles = (symbol: string, n: number) =>
  Array.from({ length: n }, (_, back) => {
    const open = 1.1 + 0.001 * Math.sin(back);
    const close = 1.1 + 0.001 * Math.sin(back - 1);
    const [high, low] = [Math.max(open, close) + 0.0004, Math.min(open, close) - 0.0004];
    return { symbol, timeframe: "H1", ts: hour(back), open, high, low, close };
  });

/** Whether each signal of a symbol was in time, by model, oldest candle first. */
async function flags(symbol: string): Promise<Record<string, (boolean | null)[]>> {
  await enterIntoLedger(workerDb());
  const rows = await sql()`
    select g.model_v, l.in_time from signals g
      join slots s on s.id = g.slot_id left join ledger_signals l on l.signal_id = g.id
     where s.symbol = ${symbol} order by g.ts, g.id`;
  return Object.fromEntries(
    [...new Set(rows.map(({ model_v }) => String(model_v)))].map((model) => [
      model,
      rows.filter(({ model_v }) => model_v === model).map(({ in_time }) => in_time),
    ]),
  );
}

beforeAll(async () => {
  for (const symbol of ["PAST", "CLOCK", "FIXED", "HELD", "HANDS"])
    expect((await ingest("candles", candles(symbol, 120))).status).toBe(200);
});

describe("an ingested signal", () => {
  it("100 ingested signals for past candles are listed as entered later, and are in no result of the record", async () => {
    const items = Array.from({ length: 100 }, (_, i) => signal("PAST", 111 - i));
    expect((await ingest("signals", items)).status).toBe(200);
    await resolveOutcomes(workerDb());
    await enterIntoLedger(workerDb());
    const { json } = await call("GET", "/api/public/record");
    expect(json).toMatchObject({ count: 0, curve: [], headline: { n_slots: 0 } });
    expect(json.total.model).toMatchObject({ n: 0, win_rate_pct: null });
    expect(json.coverage).toMatchObject({ since: null, n_entered_later: 100 });
    const listed = await call("GET", "/api/public/signals?symbol=PAST&limit=1000");
    expect(listed.json.items.map((item: { entered_later: boolean }) => item.entered_later)).toEqual(
      new Array(100).fill(true),
    );
    // The statistics of the API count them, and say so; so do the pages that list them.
    const { key } = await makeKey({ plan_tier: "pro" });
    for (const statistic of ["performance", "calibration"]) {
      const { status, headers } = await call("GET", `/api/${statistic}?symbol=PAST`, { key });
      expect([status, headers.get("signals-entered-later")]).toEqual([200, "100"]);
      const others = await call("GET", `/api/${statistic}?symbol=CLOCK`, { key });
      expect(others.headers.get("signals-entered-later")).toBeNull();
    }
    const wanted = {
      scope: effectiveScope(OWNER_GRANT),
      since: new Date(0),
      symbol: "PAST",
      includeNoTrade: true,
    };
    const history = await listSignalHistory(db(), wanted, { limit: 200, offset: 0 });
    expect(history.map(({ enteredLater }) => enteredLater)).toEqual(new Array(100).fill(true));
  });

  it("an ingested signal of the newest candle is in time, and one of the candle before it is late", async () => {
    await ingest("signals", [signal("CLOCK", 1), signal("CLOCK", 0)]);
    expect(await flags("CLOCK")).toEqual({ "m-1": [false, true] });
  });

  it("a signal from a sender with a clock hours behind is late", async () => {
    await ingest("signals", [signal("CLOCK", 3, { model_v: "slow" })]);
    expect((await flags("CLOCK")).slow).toEqual([false]);
  });

  it("an ingested signal cannot be corrected after its candle's close", async () => {
    await ingest("signals", [signal("FIXED", 0)]);
    expect(await flags("FIXED")).toEqual({ "m-1": [true] });
    const { status } = await ingest("signals", [signal("FIXED", 0, { signal: "SELL" })]);
    expect(status).toBe(409);
    expect(await flags("FIXED")).toEqual({ "m-1": [true] });
    const [entries] = await sql()`
      select count(*)::int as n from ledger_entries where kind = 'commitment' and subject = (
        select 'signal/' || g.seq from signals g join slots s on s.id = g.slot_id where s.symbol = 'FIXED')`;
    expect(entries?.n).toBe(1);
  });

  it("an ingested signal during a pause is still in time", async () => {
    await sql()`insert into pauses (symbol, reason, started_at, started_by) values ('HELD', 'test', now() - interval '3 hours', 'test')`;
    await ingest("signals", [signal("HELD", 0)]);
    expect(await flags("HELD")).toEqual({ "m-1": [true] });
  });

  it("when a slot changes from the baseline to an own model, each signal is in time or late by when it was ingested", async () => {
    await ingest("signals", [
      signal("HANDS", 0, { model_v: "baseline-1" }),
      signal("HANDS", 20, { model_v: "own" }),
    ]);
    await ingest("signals", [signal("HANDS", 0, { model_v: "own" })]);
    expect(await flags("HANDS")).toEqual({ own: [false, true], "baseline-1": [true] });
    const { json } = await call("GET", "/api/public/record?symbol=HANDS");
    // Active since the newest candle, still in time: yesterday's adds nothing.
    expect(json.coverage).toMatchObject({ since: hour(0).replace(".000Z", "Z"), n_candles: 0 });
  });
});

describe("the class frequencies that a model is compared with", () => {
  const model = (version: string, frequencies: number[]) => ({
    ...{ symbol: "FREQ", tf_code: "H1", model_v: version, auc_wf: null, pf_wf: null, is_active: false },
    ...{ trained_at: hour(100), class_freq: frequencies },
  });

  it("the frequencies to compare with are those stated before the signal, even if the model states others after the outcome", async () => {
    expect((await ingest("candles", candles("FREQ", 120))).status).toBe(200);
    expect((await ingest("models", [model("known", [0.4, 0.3, 0.3])])).status).toBe(200);
    const sent = ["known", "unknown"].map((model_v) => signal("FREQ", 20, { model_v }));
    expect((await ingest("signals", sent)).status).toBe(200);
    const others = ["known", "unknown"].map((version) => model(version, [0.98, 0.01, 0.01]));
    expect((await ingest("models", others)).status).toBe(200);
    await resolveOutcomes(workerDb());
    await enterIntoLedger(workerDb());
    const entered = await sql()`
      select r.content::jsonb -> 'signal' ->> 'model_v' as model_v, o.content::jsonb -> 'frequencies' as frequencies
        from ledger_entries r join ledger_entries o on o.subject = r.subject and o.kind = 'outcome'
       where r.kind = 'reveal' and r.content::jsonb -> 'signal' ->> 'symbol' = 'FREQ' order by 1`;
    expect(entered).toEqual([
      { model_v: "known", frequencies: [0.4, 0.3, 0.3] },
      { model_v: "unknown", frequencies: null },
    ]);
  });
});
