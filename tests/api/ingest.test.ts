import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const ingest = (kind: string, items: unknown) =>
  call("POST", `/admin/ingest/${kind}`, { admin: true, body: { items } });
const hour = (n: number) => new Date(Date.UTC(2026, 0, 5, n)).toISOString();

const candle = (symbol: string, n: number, extra: Record<string, unknown> = {}) => ({
  symbol,
  timeframe: "H1",
  ts: hour(n),
  open: 1.1,
  high: 1.2,
  low: 1.0,
  close: 1.15,
  ...extra,
});
const signal = (symbol: string, n: number, extra: Record<string, unknown> = {}) => ({
  symbol,
  timeframe: "H1",
  signal: "BUY",
  confidence: 0.61,
  prob_buy: 0.61,
  prob_sell: 0.2,
  prob_no: 0.19,
  regime: "trend_up",
  expected_rr: 1.5,
  ts: hour(n),
  model_v: "m-1",
  ...extra,
});
const model = (symbol: string, model_v: string, extra: Record<string, unknown> = {}) => ({
  symbol,
  timeframe: "H1",
  model_v,
  auc_wf: 0.55,
  pf_wf: 1.2,
  is_active: true,
  trained_at: "2026-01-01T00:00:00Z",
  ...extra,
});

const countOf = async (table: string, symbol: string) => {
  const [row] =
    await sql`select count(*)::int as n from ${sql(table)} t join slots s on s.id = t.slot_id where s.symbol = ${symbol}`;
  return row?.n;
};

describe("POST /admin/ingest/models", () => {
  it("a model without is_active and trained_at is refused with 422, each named as required", async () => {
    const { trained_at: _, is_active: __, ...item } = model("ABCUSD", "m-1");
    const answer = await ingest("models", [item]);
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map(({ loc, msg }: { loc: unknown[]; msg: string }) => [loc[3], msg])).toEqual([
      ["is_active", "is required"],
      ["trained_at", "is required"],
    ]);
  });
});

describe("POST /admin/ingest/candles", () => {
  it("counts repeated candles as duplicates, within one call and in a second call", async () => {
    const items = [candle("AAAUSD", 1), candle("AAAUSD", 2), candle("AAAUSD", 2), candle("aaausd ", 1)];
    expect((await ingest("candles", items)).json).toEqual({ ok: true, accepted: 2, duplicates: 2 });
    expect((await ingest("candles", items)).json).toEqual({ ok: true, accepted: 0, duplicates: 4 });
    expect(await countOf("candles", "AAAUSD")).toBe(2);
  });

  it("replaces a candle with changed values and counts it as accepted", async () => {
    await ingest("candles", [candle("BBBUSD", 1)]);
    expect((await ingest("candles", [candle("BBBUSD", 1, { close: 1.16, volume: 7 })])).json.accepted).toBe(
      1,
    );
    const [row] =
      await sql`select close, volume from candles c join slots s on s.id = c.slot_id where s.symbol = 'BBBUSD'`;
    expect(row).toEqual({ close: 1.16, volume: 7 });
  });

  it("accepts the field tf_code in place of timeframe", async () => {
    const { timeframe, ...rest } = candle("CCCUSD", 1);
    expect((await ingest("candles", [{ ...rest, tf_code: timeframe }])).json.accepted).toBe(1);
  });

  it("stores nothing of a call with one invalid item, and names the item's index and field", async () => {
    const answer = await ingest("candles", [candle("DDDUSD", 1), candle("DDDUSD", 2, { high: 0.5 })]);
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toEqual([
      { loc: ["body", "items", 1, "high"], msg: "is below open or close", type: "value_error" },
    ]);
    expect(await countOf("candles", "DDDUSD")).toBe(0);
  });

  it.each([
    ["ts", { ts: "2026-02-30T00:00:00Z" }],
    ["ts", { ts: "" }],
    ["timeframe", { timeframe: "H5" }],
    ["symbol", { symbol: "EUR USD" }],
    ["symbol", { symbol: 7 }],
    ["open", { open: "1.1" }],
    ["low", { low: 1.13 }],
    ["low", { low: -1 }],
    ["volume", { volume: -1 }],
    ["close", { close: undefined }],
  ])("a candle with an invalid %s is refused: %j", async (field, extra) => {
    const answer = await ingest("candles", [candle("EEEUSD", 1, extra)]);
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map((error: { loc: unknown[] }) => error.loc[3])).toContain(field);
  });

  it("refuses candles and signals that open in the future, as sent by a broker's clock that is ahead", async () => {
    const ts = new Date(Date.now() + 3 * 3_600_000).toISOString();
    for (const [kind, item] of [
      ["candles", candle("LLLUSD", 1, { ts })],
      ["signals", signal("LLLUSD", 1, { ts })],
    ] as const) {
      const answer = await ingest(kind, [item]);
      expect(answer).toMatchObject({ status: 422, json: { errors: [{ loc: ["body", "items", 0, "ts"] }] } });
    }
  });

  it("a flat weekend candle is stored once in idle_candles; a weekend candle that moved, or of crypto, in candles", async () => {
    const saturday = { ts: "2026-01-10T10:00:00Z" };
    const flat = { open: 1.1, high: 1.1, low: 1.1, close: 1.1 };
    const items = [candle("EURNOK", 1), candle("EURNOK", 2, { ...saturday, ...flat })];
    expect((await ingest("candles", items)).json).toEqual({ ok: true, accepted: 2, duplicates: 0 });
    expect((await ingest("candles", items)).json).toEqual({ ok: true, accepted: 0, duplicates: 2 });
    expect([await countOf("candles", "EURNOK"), await countOf("idle_candles", "EURNOK")]).toEqual([1, 1]);
    await ingest("candles", [candle("EURNOK", 2, saturday)]);
    expect(await countOf("candles", "EURNOK")).toBe(2);
    await ingest("candles", [candle("BTCIDR", 2, { ...saturday, ...flat })]);
    expect(await countOf("candles", "BTCIDR")).toBe(1);
  });

  it("treats a candle stamped one second past the minute as the candle of that minute", async () => {
    await ingest("candles", [candle("MMMUSD", 1)]);
    const late = candle("MMMUSD", 1, { ts: hour(1).replace("00.000Z", "01.000Z") });
    expect((await ingest("candles", [late])).json).toEqual({ ok: true, accepted: 0, duplicates: 1 });
    expect(await countOf("candles", "MMMUSD")).toBe(1);
  });

  it("refuses an off-grid candle that overlaps another, and accepts a broker's own grid", async () => {
    await ingest("candles", [candle("NNNUSD", 1)]);
    const at = (ts: string, extra = {}) => candle("NNNUSD", 0, { ts, ...extra });
    const answer = await ingest("candles", [candle("NNNUSD", 2), at("2026-01-05T01:20:00Z")]);
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toEqual([
      {
        loc: ["body", "items", 1, "ts"],
        msg: "opens too near to the candle of 2026-01-05T01:00:00Z: send the opening time of the candle",
        type: "value_error",
      },
    ]);
    expect((await ingest("candles", [at("2026-01-05T01:30:00Z")])).status).toBe(422);
    expect(await countOf("candles", "NNNUSD")).toBe(1);
    const days = ["2026-01-04T22:00:00Z", "2026-01-05T22:00:00Z", "2026-01-06T21:00:00Z"];
    const broker = await ingest(
      "candles",
      days.map((ts) => at(ts, { timeframe: "D1" })),
    );
    expect(broker.json).toEqual({ ok: true, accepted: 3, duplicates: 0 });
  });

  it("accepts 5000 items but not 5001", async () => {
    const items = Array.from({ length: 5001 }, (_, n) => candle("FFFUSD", n));
    expect((await ingest("candles", items)).status).toBe(422);
    expect((await ingest("candles", items.slice(0, 5000))).json).toEqual({
      ok: true,
      accepted: 5000,
      duplicates: 0,
    });
  });

  it("accepts bodies up to 8 MiB and answers 413 beyond", async () => {
    const padded = (bytes: number) => {
      const body = JSON.stringify({ items: [candle("GGGUSD", 1)] });
      return `${body}${" ".repeat(bytes - body.length)}`;
    };
    const send = (body: string) => call("POST", "/admin/ingest/candles", { admin: true, body });
    expect((await send(padded(8 * 1024 * 1024))).status).toBe(200);
    expect((await send(padded(8 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it.each([{}, { items: null }, { items: {} }, []])(
    "an ingest refuses the body %j with 422",
    async (body) => {
      expect((await call("POST", "/admin/ingest/candles", { admin: true, body })).status).toBe(422);
    },
  );

  it("accepts an empty list", async () => {
    expect((await ingest("candles", [])).json).toEqual({ ok: true, accepted: 0, duplicates: 0 });
  });

  it("requires the administrator secret", async () => {
    for (const kind of ["candles", "models", "signals"]) {
      expect((await call("POST", `/admin/ingest/${kind}`, { body: { items: [] } })).status).toBe(401);
    }
  });
});

describe("POST /admin/ingest/signals", () => {
  it("stores a signal once, counts duplicates and upper-cases the regime", async () => {
    const items = [signal("AAAUSD", 1), signal("AAAUSD", 2), signal("AAAUSD", 1)];
    expect((await ingest("signals", items)).json).toEqual({ ok: true, accepted: 2, duplicates: 1 });
    expect((await ingest("signals", items)).json).toEqual({ ok: true, accepted: 0, duplicates: 3 });
    const [row] =
      await sql`select regime, closes_at from signals g join slots s on s.id = g.slot_id where s.symbol = 'AAAUSD' order by ts limit 1`;
    expect(row).toEqual({ regime: "TREND_UP", closes_at: new Date(hour(2)) });
    expect(await countOf("signals", "AAAUSD")).toBe(2);
  });

  it("answers 409 to changed content of a known signal and rolls everything back", async () => {
    await ingest("signals", [signal("BBBUSD", 1)]);
    const answer = await ingest("signals", [
      signal("BBBUSD", 2),
      signal("NEWUSD", 1),
      signal("BBBUSD", 1, { confidence: 0.62 }),
    ]);
    expect(answer).toMatchObject({ status: 409, json: { code: "signal_conflict" } });
    expect(answer.json.detail).toMatch(
      /^A signal of BBBUSD H1 at \d{4}-\d\d-\d\dT\d\d:00:00Z by the model \S+ is known/,
    );
    expect(await countOf("signals", "BBBUSD")).toBe(1);
    expect(await sql`select 1 from slots where symbol = 'NEWUSD'`).toHaveLength(0);
  });

  it("answers 409 to two contradicting signals in one call and stores neither", async () => {
    const answer = await ingest("signals", [signal("CCCUSD", 1), signal("CCCUSD", 1, { signal: "SELL" })]);
    expect(answer.status).toBe(409);
    expect(await countOf("signals", "CCCUSD")).toBe(0);
  });

  it("treats another model's signal of the same candle as a separate signal", async () => {
    await ingest("signals", [signal("DDDUSD", 1)]);
    expect(
      (await ingest("signals", [signal("DDDUSD", 1, { model_v: "m-2", signal: "SELL" })])).json.accepted,
    ).toBe(1);
  });

  it("stores a model version with quotes, control characters and an emoji as sent, and the text null as the regime NULL", async () => {
    const model_v = 'a"b\\c\nd\te{},f\u{1F600}';
    await ingest("signals", [signal("EEEUSD", 1, { model_v, regime: "null" })]);
    const [row] =
      await sql`select model_v, regime from signals g join slots s on s.id = g.slot_id where s.symbol = 'EEEUSD'`;
    expect(row).toEqual({ model_v, regime: "NULL" });
  });

  it("stores each signal once when ten concurrent calls bring the same new slots and signals", async () => {
    const items = Array.from({ length: 20 }, (_, n) => signal(`Z${String.fromCharCode(65 + n)}USD`, 1));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => ingest("signals", n % 2 ? items : items.toReversed())),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    expect(answers.reduce((sum, answer) => sum + answer.json.accepted, 0)).toBe(20);
  });

  it.each([
    ["signal", { signal: "HOLD" }],
    ["confidence", { confidence: 1.01 }],
    ["prob_no", { prob_no: 0.5 }],
    ["regime", { regime: " " }],
    ["model_v", { model_v: "" }],
    ["expected_rr", { expected_rr: -1 }],
  ])("a signal with an invalid %s is refused: %j", async (field, extra) => {
    const answer = await ingest("signals", [signal("HHHUSD", 1, extra)]);
    expect(answer.json.errors[0].loc).toEqual(["body", "items", 0, field]);
  });
});

describe("POST /admin/ingest/models", () => {
  it("registers models, counts duplicates, and an active one replaces the champion", async () => {
    const first = model("AAAUSD", "m-1");
    expect((await ingest("models", [first])).json).toEqual({ ok: true, accepted: 1, duplicates: 0 });
    expect((await ingest("models", [first])).json).toEqual({ ok: true, accepted: 0, duplicates: 1 });
    await ingest("models", [model("AAAUSD", "m-2")]);
    const rows =
      await sql`select model_v from models m join slots s on s.id = m.slot_id where s.symbol = 'AAAUSD' and is_active`;
    expect(rows).toEqual([{ model_v: "m-2" }]);
  });

  it("makes the last of several active models of a slot the champion", async () => {
    await ingest("models", [
      model("BBBUSD", "m-1"),
      model("BBBUSD", "m-2"),
      model("BBBUSD", "m-3", { is_active: false }),
    ]);
    const rows =
      await sql`select model_v, is_active from models m join slots s on s.id = m.slot_id where s.symbol = 'BBBUSD' order by 1`;
    expect(rows).toEqual([
      { model_v: "m-1", is_active: false },
      { model_v: "m-2", is_active: true },
      { model_v: "m-3", is_active: false },
    ]);
  });

  it("leaves one champion under concurrent promotions", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => ingest("models", [model("CCCUSD", `m-${n}`)])),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    const [row] =
      await sql`select count(*)::int as n from models m join slots s on s.id = m.slot_id where s.symbol = 'CCCUSD' and is_active`;
    expect(row?.n).toBe(1);
  });

  it("stores no model of a call with one invalid model", async () => {
    const answer = await ingest("models", [model("DDDUSD", "m-1"), model("DDDUSD", "m-2", { auc_wf: 2 })]);
    expect(answer.json.errors[0].loc).toEqual(["body", "items", 1, "auc_wf"]);
    expect(await countOf("models", "DDDUSD")).toBe(0);
  });
});
