import { beforeAll, describe, expect, it } from "vitest";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import {
  hourCandles,
  hourlyCandleOpenTime,
  ingest,
  modelItem,
  signalItem,
} from "@/tests/support/market-data";
import { type FieldType, RESOURCES } from "./resources";

useDatabase();

let key = "";

beforeAll(async () => {
  ({ key } = await makeKey({
    email: "ada@example.com",
    expires_at: "2099-01-01T00:00:00Z",
    symbols_allowed: ["EURUSD"],
  }));
  await ingest("models", [modelItem("EURUSD")]);
  await ingest("candles", hourCandles("EURUSD", [{ open: 1, high: 2, low: 0.5, close: 1.5 }]));
  await ingest("signals", [signalItem({ ts: hourlyCandleOpenTime(0) })]);
  await call("POST", "/api/executions", {
    key,
    body: {
      ticket: 9,
      symbol: "EURUSD",
      timeframe: "H1",
      signal: "BUY",
      confidence: 0.5,
      opened_at: hourlyCandleOpenTime(1).toISOString(),
      closed_at: hourlyCandleOpenTime(0).toISOString(),
      entry_price: 1.1,
      exit_price: 1.2,
      pnl: 3,
      result: "TP",
    },
  });
});

const IS: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  timestamp: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  any: () => true,
};

describe("objects of the specification", () => {
  it.each(RESOURCES.map((resource) => [resource.name, resource] as const))(
    "%s has exactly its fields, in order, with their types",
    async (_name, { path, at, admin, fields }) => {
      const answered = await call("GET", path, admin ? { admin: true } : { key });
      const object = at(answered.json) as Record<string, unknown>;
      expect(Object.keys(object)).toEqual(Object.keys(fields));
      for (const [field, type] of Object.entries(fields)) {
        const value = object[field];
        const is = IS[type.replace("?", "") as FieldType];
        expect(
          (type.endsWith("?") && value === null) || is(value),
          `${field}: ${JSON.stringify(value)}`,
        ).toBe(true);
      }
    },
  );

  it("the list of executions has no number with an exponent, and no blanks between its JSON keys", async () => {
    const { text } = await call("GET", "/api/account/executions", { key });
    expect(text).not.toMatch(/[0-9]e[+-]?[0-9]/i);
    expect(text).not.toMatch(/": |, "/);
  });
});

describe("POST /admin/keys", () => {
  it("POST /admin/keys answers 201 with the key, its plan and the EA's configuration", async () => {
    const { status, json } = await call("POST", "/admin/keys", { admin: true, body: { user_name: "Bo" } });
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(["key_id", "api_key", "plan_tier", "_ea_config"]);
    expect(json.plan_tier).toBe("basic");
    expect(json.api_key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(json._ea_config).toEqual({ InpApiUrl: "https://signals.example.test", InpApiKey: json.api_key });
  });

  it("POST /admin/keys refuses an unknown plan, an invalid address, an end in the past and a blank name, naming the field", async () => {
    for (const [field, value] of [
      ["plan_tier", "gold"],
      ["email", "not an address"],
      ["expires_at", "2020-01-01T00:00:00Z"],
      ["user_name", " "],
    ]) {
      const body = { user_name: "Bo", [field ?? ""]: value };
      const { status, json } = await call("POST", "/admin/keys", { admin: true, body });
      expect([status, json.errors[0].loc], field).toEqual([422, ["body", field]]);
    }
  });
});

describe("GET /admin/keys", () => {
  it("GET /admin/keys lists active and inactive keys, newest first, without a whole key", async () => {
    const { keyId } = await makeKey();
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    const { json, text } = await call("GET", "/admin/keys", { admin: true });
    expect(json.count).toBe(json.keys.length);
    expect(json.keys[0]).toMatchObject({ key_id: keyId, active: false });
    expect(json.keys.at(-1).active).toBe(true);
    expect(text).not.toContain(key);
    const one = await call("GET", "/admin/keys?active=false&limit=1", { admin: true });
    expect(one.json.count).toBe(1);
  });
});

describe("GET /api/scan", () => {
  it("the scan of basic leaves out USDJPY and XAUUSD on M15, and reports the filter", async () => {
    await ingest("signals", [
      signalItem({ symbol: "USDJPY" }),
      signalItem({
        symbol: "XAUUSD",
        timeframe: "M15",
        ts: new Date(Math.floor(Date.now() / 900_000 - 1) * 900_000),
      }),
      signalItem({ symbol: "GBPUSD" }),
    ]);
    const basic = await call("GET", "/api/scan", { key: (await makeKey({ plan_tier: "basic" })).key });
    const slots = basic.json.items.map(
      (item: { symbol: string; timeframe: string }) => `${item.symbol}/${item.timeframe}`,
    );
    expect(slots).toEqual(["EURUSD/H1", "GBPUSD/H1"]);
    expect(basic.json).toMatchObject({ plan_tier: "basic", filtered_by_plan: true });
    const pro = await call("GET", "/api/scan", { key: (await makeKey()).key });
    expect(pro.json.items).toHaveLength(4);
    expect(pro.json.filtered_by_plan).toBe(false);
  });

  it("the scan filters by confidence after choosing the newest signal of each slot", async () => {
    const pro = (await makeKey()).key;
    await ingest("signals", [
      signalItem({ symbol: "AUDUSD", ts: hourlyCandleOpenTime(1), probs: [0.9, 0.05, 0.05] }),
      signalItem({ symbol: "AUDUSD", ts: hourlyCandleOpenTime(0), probs: [0.4, 0.3, 0.3] }),
    ]);
    const { json } = await call("GET", "/api/scan?min_confidence=0.45", { key: pro });
    expect(json.items.map((item: { symbol: string }) => item.symbol)).not.toContain("AUDUSD");
  });

  it("the scan adds the fields for the age of a signal on request", async () => {
    const { json } = await call("GET", "/api/scan?expand=validity", { key });
    expect(Object.keys(json.items[0]).slice(-4)).toEqual(["pred_id", "valid_until", "age_minutes", "stale"]);
  });

  it("the scan answers 304 until a signal arrives, and then the new one at once", async () => {
    const first = await call("GET", "/api/scan", { key });
    const ask = () =>
      call("GET", "/api/scan", { key, headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
    expect((await ask()).status).toBe(304);
    await ingest("signals", [signalItem({ ts: hourlyCandleOpenTime(0), model_v: "m9" })]);
    const after = await ask();
    expect(after.status).toBe(200);
    expect(after.json.items[0].model_v).toBe("m9");
  });
});

describe("GET /api/signals/{symbol}/{tf}", () => {
  it("the history of a slot is newest first, also for a slot in lower case, up to the limit, and [] without data", async () => {
    const pro = (await makeKey()).key;
    await ingest("signals", [
      signalItem({ ts: hourlyCandleOpenTime(5) }),
      signalItem({ ts: hourlyCandleOpenTime(3) }),
    ]);
    const { json } = await call("GET", "/api/signals/eurusd/h1", { key: pro });
    const times = json.map((item: { ts: string }) => item.ts);
    expect(times).toEqual(times.toSorted().reverse());
    expect((await call("GET", "/api/signals/EURUSD/H1?limit=1", { key: pro })).json).toHaveLength(1);
    expect((await call("GET", "/api/signals/NOSUCH/D1", { key: pro })).json).toEqual([]);
  });

  it("the history of a slot is 403 outside the plan and 422 for a malformed slot", async () => {
    const basic = (await makeKey({ plan_tier: "basic" })).key;
    const outside = await call("GET", "/api/signals/USDJPY/H1", { key: basic });
    expect([outside.status, outside.json.code]).toEqual([403, "slot_not_in_plan"]);
    expect((await call("GET", "/api/signals/EURUSD/H7", { key: basic })).status).toBe(422);
  });

  it("the history of a slot accepts a limit of 1000, and refuses 0 and 1001", async () => {
    for (const limit of ["0", "1001"])
      expect((await call("GET", `/api/signals/EURUSD/H1?limit=${limit}`, { key })).status).toBe(422);
    expect((await call("GET", "/api/signals/EURUSD/H1?limit=1000", { key })).status).toBe(200);
  });
});

describe("GET /api/health", () => {
  it("/api/health is 200 without reasons while ok, otherwise 503 with reasons", async () => {
    const { status, json } = await call("GET", "/api/health");
    expect(status).toBe(json.status === "ok" ? 200 : 503);
    if (json.status === "ok") expect(json.reasons).toBeNull();
    else expect(json.reasons.length).toBeGreaterThan(0);
    expect(json.api_version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("GET /api/account/executions", () => {
  it("/api/account/executions accepts days up to 365 and limits up to 1000, and refuses 0 and more", async () => {
    for (const query of ["days=0", "days=366", "limit=0", "limit=1001"])
      expect((await call("GET", `/api/account/executions?${query}`, { key })).status, query).toBe(422);
    expect((await call("GET", "/api/account/executions?days=365&limit=1000", { key })).status).toBe(200);
  });
});

describe("GET /api/ea-status?explain=true", () => {
  it("the diagnostics list refused reports, a shifted clock and slots outside the plan, each with a remedy", async () => {
    const mine = (await makeKey({ plan_tier: "basic" })).key;
    await call("POST", "/api/executions", { key: mine, body: { ticket: "x" } });
    await call("POST", "/api/executions", {
      key: mine,
      body: {
        ticket: 4,
        symbol: "USDJPY",
        timeframe: "H1",
        signal: "SELL",
        opened_at: new Date(Date.now() + 7_200_000).toISOString(),
      },
    });
    await call("GET", "/api/signals/BTCUSD/M5", { key: mine });
    const { json } = await call("GET", "/api/ea-status?explain=true", { key: mine });
    const codes = json.findings.map((finding: { code: string }) => finding.code);
    expect(codes.slice(0, 1)).toEqual(["reports_rejected"]);
    expect(codes).toEqual(expect.arrayContaining(["clock_skew", "plan_hides_symbols"]));
    const plan = json.findings.find((finding: { code: string }) => finding.code === "plan_hides_symbols");
    expect(plan.message).toContain("USDJPY");
    expect(plan.message).toContain("BTCUSD/M5");
    for (const finding of json.findings) expect(finding.fix.length).toBeGreaterThan(10);
  });
});

describe("POST /admin/ingest/signals", () => {
  it("refuses changed content for a known signal with 409 and stores none of the call", async () => {
    const known = signalItem({ symbol: "NZDUSD", ts: hourlyCandleOpenTime(2) });
    await ingest("signals", [known]);
    const body = {
      items: [signalItem({ symbol: "NZDUSD", ts: hourlyCandleOpenTime(1) }), { ...known, expected_rr: 9 }],
    };
    const { status, json } = await call("POST", "/admin/ingest/signals", { admin: true, body });
    expect([status, json.code]).toEqual([409, "signal_conflict"]);
    const history = await call("GET", "/api/signals/NZDUSD/H1", { key: (await makeKey()).key });
    expect(history.json).toHaveLength(1);
    expect(await ingest("signals", [known, known])).toEqual({ ok: true, accepted: 0, duplicates: 2 });
  });
});

describe("feature health", () => {
  it("the monitoring data has each feature's share of missing values and its drift from the training sample", async () => {
    const { recordFeatureDrift } = await import("@/lib/models/record-feature-drift");
    const { workerDb } = await import("@/db/client");
    const stats = {
      rsi: { edges: [30, 70], shares: [0.2, 0.6, 0.2] },
      vol: { edges: [1], shares: [0.5, 0.5] },
    };
    await ingest("models", [modelItem("EURUSD", "H1", { feature_stats: stats })]);
    await ingest(
      "features",
      Array.from({ length: 200 }, (_, i) => ({
        symbol: "EURUSD",
        tf_code: "H1",
        ts: hourlyCandleOpenTime(i).toISOString(),
        model_v: "m1",
        values: { rsi: i % 5 === 0 ? 20 : i % 5 === 1 ? 80 : 50, vol: i % 4 === 0 ? null : 9 },
      })),
    );
    await recordFeatureDrift(workerDb());
    const { json } = await call("GET", "/admin/monitoring-data", { admin: true });
    const of = (feature: string) =>
      json.feature_health.find((row: { feature: string }) => row.feature === feature);
    expect(of("rsi")).toMatchObject({ null_pct: 0, status: "ok", tf_code: "H1" });
    expect(of("vol")).toMatchObject({ null_pct: 25, status: "drifted" });
  });
});
