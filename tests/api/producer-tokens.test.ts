import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { issueProducerToken, revokeProducerToken } from "@/lib/access/producer-tokens";
import { SlotList } from "@/lib/admin/form-fields";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

const COMMAND = { kind: "command" } as const;
const signal = (more: object = {}) => ({
  symbol: "EURUSD",
  timeframe: "H1",
  ts: "2026-11-20T10:00:00Z",
  model_v: "gbt-7",
  signal: "BUY",
  confidence: 0.52,
  prob_buy: 0.52,
  prob_sell: 0.2,
  prob_no: 0.28,
  regime: "TREND_UP",
  expected_rr: 1.5,
  ...more,
});
const model = (more: object = {}) => ({
  symbol: "EURUSD",
  timeframe: "H1",
  model_v: "gbt-7",
  is_active: true,
  trained_at: "2026-11-01T00:00:00Z",
  ...more,
});

describe("a producer token", () => {
  let token: string;
  beforeAll(async () => {
    token = await issueProducerToken(db(), { name: "my gpu", slots: ["EURUSD/H1"] }, COMMAND);
  });
  const send = (
    what: string,
    items: unknown[],
    headers: Record<string, string> = { "X-Producer-Token": token },
  ) => call("POST", `/admin/ingest/${what}`, { headers, body: JSON.stringify({ items }) });

  it("a producer token may send signals, models, features and candles of its slots", async () => {
    expect(await send("models", [model()])).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect(await send("signals", [signal()])).toMatchObject({ status: 200, json: { accepted: 1 } });
    const features = {
      symbol: "EURUSD",
      timeframe: "H1",
      ts: signal().ts,
      model_v: "gbt-7",
      values: { rsi: 50 },
    };
    expect(await send("features", [features])).toMatchObject({ status: 200, json: { accepted: 1 } });
    const candle = { symbol: "EURUSD", timeframe: "H1", ts: signal().ts, open: 1, high: 2, low: 1, close: 2 };
    expect(await send("candles", [candle])).toMatchObject({ status: 200, json: { accepted: 1 } });
  });

  it("a producer token gets 403 for another slot, and nothing of the call is stored", async () => {
    const items = [signal({ ts: "2026-11-20T12:00:00Z" }), signal({ symbol: "XAUUSD" })];
    expect(await send("signals", items)).toMatchObject({
      status: 403,
      json: { code: "slot_not_in_token", detail: expect.stringContaining("items.1") },
    });
    const [row] = await db().execute(
      "select count(*)::int as n from signals where ts = '2026-11-20T12:00:00Z'",
    );
    expect(row?.n).toBe(0);
  });

  it("a producer token gets 401 at /admin/keys and /admin/monitoring-data, and 403 in the administrator's header", async () => {
    const headers = { "X-Producer-Token": token };
    for (const path of ["/admin/keys", "/admin/monitoring-data"])
      expect((await call("GET", path, { headers })).status).toBe(401);
    expect((await send("signals", [], { "X-Admin-Secret": token })).status).toBe(403);
  });

  it("a producer token in another header gets 401 that names the header for it", async () => {
    const { status, json } = await send("signals", [signal()], { Authorization: `Bearer ${token}` });
    expect(status).toBe(401);
    expect(json).toMatchObject({
      code: "admin_secret_missing",
      detail: expect.stringContaining("X-Producer-Token"),
    });
  });

  it("a producer token gets 409 for a changed signal of the same candle and model, and the first signal stays", async () => {
    const changed = signal({ signal: "SELL", prob_buy: 0.2, prob_sell: 0.52 });
    expect(await send("signals", [changed])).toMatchObject({
      status: 409,
      json: { code: "signal_conflict" },
    });
    expect(await send("signals", [signal()])).toMatchObject({ status: 200, json: { duplicates: 1 } });
  });

  it("a producer token may check signals without storing them", async () => {
    const ts = "2026-11-20T13:00:00Z";
    const check = (more: object) => send("signals?check=true", [signal({ ts, ...more })]);
    expect(await check({})).toMatchObject({ status: 200, json: { accepted: 1, duplicates: 0 } });
    expect(await check({})).toMatchObject({ status: 200, json: { accepted: 1, duplicates: 0 } });
    expect((await check({ prob_no: 0.9 })).status).toBe(422);
    expect((await send("signals?check=maybe", [])).status).toBe(422);
    const changed = signal({ signal: "SELL", prob_buy: 0.2, prob_sell: 0.52 });
    expect((await send("signals?check=true", [changed])).status).toBe(409);
  });

  it("a producer token is named in the audit log for its changes", async () => {
    const rows = await db().execute(
      "select action, actor, details from admin_audit where action like 'ingest.%' order by id",
    );
    expect(rows.map(({ action }) => action)).toEqual(["ingest.models", "ingest.signals"]);
    expect(rows[1]).toMatchObject({
      actor: expect.stringMatching(/^producer-token\/\d+$/),
      details: { name: "my gpu", accepted: 1, slots: ["EURUSD/H1"] },
    });
  });

  it("a producer token stops working at once when revoked, and its name can be reused", async () => {
    await expect(
      issueProducerToken(db(), { name: "my gpu", slots: ["EURUSD/H1"] }, COMMAND),
    ).rejects.toThrow();
    const [row] = await db().execute<{ id: number }>("select id from producer_tokens where name = 'my gpu'");
    await revokeProducerToken(db(), row?.id ?? 0, COMMAND);
    expect(await send("signals", [signal()])).toMatchObject({
      status: 401,
      json: { code: "producer_token_invalid" },
    });
    await expect(revokeProducerToken(db(), row?.id ?? 0, COMMAND)).rejects.toThrow();
    await issueProducerToken(db(), { name: "my gpu", slots: ["EURUSD/H1"] }, COMMAND);
  });
});

describe("the slots field of the form", () => {
  it("the field for slots accepts lower case, commas, semicolons and lines between slots, and keeps each slot once", () => {
    expect(SlotList.parse("eurusd/h1, XAUUSD/M15\nEURUSD/H1;BTCUSD/D1")).toEqual([
      "EURUSD/H1",
      "XAUUSD/M15",
      "BTCUSD/D1",
    ]);
  });

  it.each(["", "EURUSD", "EURUSD/H5", "/H1", "EURUSD/H1/x"])("the field for slots refuses %j", (text) => {
    expect(() => SlotList.parse(text)).toThrow();
  });
});
