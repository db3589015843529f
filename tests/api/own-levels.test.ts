import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { useVerifier } from "@/tests/support/verifier";

useDatabase({ MARKET_FEED: "off", PUBLIC_CANDLES: "on" });
const verifier = useVerifier();

let key = "";
const send = (item: object) =>
  call("POST", "/admin/ingest/signals", { admin: true, body: { items: [item] } });
const scanned = async (query = "") =>
  (await call("GET", `/api/scan${query}`, { key })).json.items.find(
    ({ symbol }: { symbol: string }) => symbol === "GBPUSD",
  );
const base = (more: object) => ({ ...signalItem({ symbol: "GBPUSD" }), ...more });

beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
});

describe("ingest of own levels", () => {
  it.each([
    ["a NO_TRADE with a stop", { signal: "NO_TRADE", stop: 1 }, "stop"],
    ["a target without a stop", { target: 2 }, "target"],
    ["a horizon without a stop", { horizon_candles: 3 }, "horizon_candles"],
    ["a target on the stop's side", { stop: 1.3, target: 1.2 }, "target"],
    ["a horizon of 13 candles", { stop: 1, horizon_candles: 13 }, "horizon_candles"],
    ["a stop that is no price", { stop: -1 }, "stop"],
  ])("refuses %s, naming the field", async (_what, more, field) => {
    const { status, json } = await send(base(more));
    expect(status).toBe(422);
    expect(json.errors.map(({ loc }: { loc: unknown[] }) => loc.at(-1))).toContain(field);
  });

  it("refuses a stop on the wrong side of the stored candle's close", async () => {
    const candle = {
      symbol: "GBPUSD",
      timeframe: "H1",
      ts: hourlyCandleOpenTime(0),
      open: 1.25,
      high: 1.26,
      low: 1.24,
      close: 1.25,
    };
    await ingest("candles", [candle]);
    const { status, json } = await send(base({ stop: 1.3, target: 1.4 }));
    expect(status).toBe(422);
    expect(json.errors[0]).toMatchObject({
      loc: ["body", "items", 0, "stop"],
      msg: "must lie below 1.25, the close of the signal's candle",
    });
  });

  it("returns levels only with expand=levels, and treats changed levels as a conflict", async () => {
    const before = base({});
    const item = base({ stop: 1.24, target: 1.27, horizon_candles: 8 });
    expect((await send(item)).json).toMatchObject({ accepted: 1 });
    expect((await send(item)).json).toMatchObject({ duplicates: 1 });
    expect((await send(base({ stop: 1.23, target: 1.27 }))).status).toBe(409);
    expect(Object.keys(await scanned()).sort()).toEqual(Object.keys(before).sort());
    const levels = { stop: 1.24, target: 1.27, horizon_candles: 8 };
    expect(await scanned("?expand=levels")).toMatchObject(levels);
    expect(await scanned("?expand=validity,range,levels")).toMatchObject({ ...levels, stale: false });
    const history = await call("GET", "/api/signals/GBPUSD/H1?expand=levels", { key });
    expect(history.json[0]).toMatchObject(levels);
    expect((await call("GET", "/api/signals/GBPUSD/H1", { key })).json[0]).not.toHaveProperty("stop");
    for (const wrong of ["levels,all", "levels,", ",levels", "levels, range", ""])
      expect((await call("GET", `/api/scan?expand=${wrong}`, { key })).status, wrong).toBe(422);
  });
});

/** Enters everything into the ledger, with the outcomes. */
async function enterMarkets(): Promise<void> {
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
}

describe("a record in which all signals have own levels", () => {
  beforeAll(async () => {
    await storeMarket({
      symbol: "USDJPY",
      nCandles: 400,
      nSignals: 160,
      seed: 9,
      ahead: 150,
      levels: true,
      onlyDirections: true,
    });
    await enterMarkets();
  });

  it("states no skill, because there is no reference, and the verifier agrees", async () => {
    const record = (await call("GET", "/api/public/record")).json;
    expect(record.total.forecasts).toMatchObject({ enough: true, skill: null });
    expect(record.total.forecasts.brier).not.toBeNull();
    expect(record.months.map(({ skill }: { skill: unknown }) => skill)).toEqual(
      record.months.map(() => null),
    );
    const { total, items } = (await call("GET", "/api/public/calibration")).json;
    for (const who of ["model", "coin", "frequencies"])
      for (const quality of [total[who], items[0][who]])
        expect(quality, who).toMatchObject({ enough: true, skill: null });
    const { code, text } = await verifier.verify();
    expect(code, text).toBe(0);
  });
});

describe("signals with own levels", () => {
  beforeAll(async () => {
    await storeMarket({ symbol: "EURUSD", nCandles: 500, nSignals: 240, seed: 7, ahead: 200, levels: true });
    await storeMarket({ symbol: "XAUUSD", nCandles: 400, nSignals: 120, seed: 8, ahead: 100 });
    await enterMarkets();
  });

  it("signals with own levels are judged by these levels, under a separate rule version", async () => {
    const rows = await db().$client`
      select o.rule_version, g.stop is not null as own, count(*)::int as n,
             max(abs(o.barrier_distance - abs(o.entry_price - g.stop))) as off
        from outcomes o join signals g on g.id = o.signal_id
        join slots s on s.id = g.slot_id where s.symbol = 'EURUSD' group by 1, 2 order by 1`;
    expect(rows.map(({ rule_version, own }) => [rule_version, own])).toEqual([
      ["1", false],
      ["levels-1", true],
    ]);
    expect(rows[1]?.off).toBeLessThan(1e-12);
    const [open] = await db().$client`
      select count(*)::int as n from signals g join ledger_signals l on l.signal_id = g.id
        left join outcomes o on o.signal_id = g.id
       where g.stop is not null and l.outcome is not null and o.signal_id is null`;
    expect(open?.n).toBeGreaterThan(0);
  });

  it("signals with own levels are in the record with their rule, and the verifier recomputes them", async () => {
    const { json } = await call("GET", "/api/public/signals?symbol=EURUSD&limit=1000");
    const own = json.items.filter((item: { rule?: string }) => item.rule === "levels-1");
    expect(own.length).toBeGreaterThan(100);
    expect(own[0]).toMatchObject({ stop: expect.any(Number), horizon_candles: expect.any(Number) });
    const { code, text } = await verifier.verify();
    expect(text).toMatch(/Judged by rule 1: \d+\. By their own levels, rule levels-1: \d+\./);
    expect(code, text).toBe(0);
  });

  it("a stop that was moved afterwards is reported by the verifier", async () => {
    const { code, text } = await verifier.verifyWith((path, body) =>
      path.includes("signals?limit") ? body.replace(/"stop":(\d)/, '"stop":9$1') : body,
    );
    expect(code).toBe(1);
    expect(text).toMatch(/WRONG entry \d+ \(reveal signal\/\d+\): stop is stored as 9/);
  });
});
