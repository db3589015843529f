import { beforeAll, describe, expect, it } from "vitest";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase();

let pro = "";
let basic = "";

beforeAll(async () => {
  pro = (await makeKey()).key;
  basic = (await makeKey({ plan_tier: "basic" })).key;
  await ingest("models", [modelItem("EURUSD"), modelItem("USDJPY"), modelItem("EURUSD", "H4")]);
  await ingest("signals", [
    signalItem({ ts: hourlyCandleOpenTime(0) }),
    signalItem({ ts: hourlyCandleOpenTime(1), signal: "SELL", regime: "RANGE" }),
    signalItem({ ts: hourlyCandleOpenTime(2), signal: "NO_TRADE" }),
    signalItem({ symbol: "USDJPY", ts: hourlyCandleOpenTime(0) }),
    signalItem({ ts: hourlyCandleOpenTime(24 * 8) }),
  ]);
});

describe("GET /api/account/signals", () => {
  it("/api/account/signals lists BUY and SELL signals of the last seven days in scope, newest first", async () => {
    const { json } = await call("GET", "/api/account/signals", { key: basic });
    expect(Object.keys(json)).toEqual(["count", "days", "signals"]);
    expect(json).toMatchObject({ count: 2, days: 7 });
    expect(json.signals.map((signal: { signal: string }) => signal.signal)).toEqual(["BUY", "SELL"]);
    expect(Object.keys(json.signals[0])).toEqual([
      "symbol",
      "timeframe",
      "signal",
      "confidence",
      "prob_buy",
      "prob_sell",
      "prob_no",
      "regime",
      "expected_rr",
      "ts",
      "model_v",
      "created_at",
    ]);
  });

  it("/api/account/signals includes NO_TRADE on request, and respects the limit", async () => {
    const all = await call("GET", "/api/account/signals?include_no_trade=true&days=90", { key: pro });
    expect(all.json.count).toBe(5);
    const two = await call("GET", "/api/account/signals?limit=2", { key: pro });
    expect(two.json.count).toBe(2);
  });

  it("/api/account/signals refuses invalid days, limits and flags with 422", async () => {
    for (const query of [
      "days=0",
      "days=91",
      "limit=501",
      "limit=0",
      "days=1&days=2",
      "include_no_trade=1",
    ]) {
      const answered = await call("GET", `/api/account/signals?${query}`, { key: pro });
      expect(answered.status, query).toBe(422);
      expect(answered.json.errors[0].loc[0]).toBe("query");
    }
  });
});

describe("GET /api/history/predictions", () => {
  it("/api/history/predictions counts the signals of the symbol and days asked, with their regimes", async () => {
    const { json } = await call("GET", "/api/history/predictions?symbol=eurusd&days=1", { key: pro });
    const n = json.items.reduce((sum: number, item: { n_total: number }) => sum + item.n_total, 0);
    expect(n).toBe(3);
    expect(json.count).toBe(json.items.length);
    const regimes = json.items.map((item: { regimes: object }) => item.regimes);
    expect(Object.assign({}, ...regimes)).toHaveProperty("RANGE");
  });

  it("/api/history/predictions answers an empty list to a filter outside the scope", async () => {
    const { status, json } = await call("GET", "/api/history/predictions?symbol=USDJPY", { key: basic });
    expect(status).toBe(200);
    expect(json).toEqual({ days: 7, count: 0, items: [] });
  });

  it("/api/history/predictions includes a new signal in the next request", async () => {
    const before = await call("GET", "/api/history/predictions?tf_code=H4", { key: pro });
    await ingest("signals", [
      signalItem({ timeframe: "H4", ts: new Date(Math.floor(Date.now() / 14_400_000 - 1) * 14_400_000) }),
    ]);
    const after = await call("GET", "/api/history/predictions?tf_code=H4", { key: pro });
    expect([before.json.count, after.json.count]).toEqual([0, 1]);
  });
});

describe("GET /api/models", () => {
  it("/api/models lists the champions, and answers 304 until one changes", async () => {
    const first = await call("GET", "/api/models", { key: basic });
    expect(first.json.count).toBe(3);
    const tag = first.headers.get("etag") ?? "";
    const again = await call("GET", "/api/models", { key: basic, headers: { "If-None-Match": tag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(again.headers.get("X-RateLimit-Limit")).toBe("60");
    await ingest("models", [modelItem("EURUSD", "H1", { model_v: "m2" })]);
    const changed = await call("GET", "/api/models", { key: basic, headers: { "If-None-Match": tag } });
    expect(changed.status).toBe(200);
    expect(changed.json.models[0]).toMatchObject({ symbol: "EURUSD", tf_code: "H1", model_v: "m2" });
    expect(changed.json.count).toBe(3);
  });
});

describe("GET /api/public/stats", () => {
  it("/api/public/stats answers anyone, from any origin, with an ETag", async () => {
    const { status, headers, json } = await call("GET", "/api/public/stats");
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cache-control")).toBe("public, max-age=30");
    expect(json).toMatchObject({ active_models: 3, monitored_pairs: 2, uptime_pct_30d: 100 });
    expect(json.total_signals_24h).toBeGreaterThanOrEqual(4);
    const tag = headers.get("etag") ?? "";
    const again = await call("GET", "/api/public/stats", { headers: { "If-None-Match": tag } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

describe("GET /api/ea-status", () => {
  it("/api/ea-status counts the slots in scope, and the current call as activity", async () => {
    const { json } = await call("GET", "/api/ea-status", { key: basic });
    expect(json).toMatchObject({ online: true, mins_since: 0, account: { name: "Tester", tier: "basic" } });
    expect(json.slot_coverage.expected).toBe(2);
    expect(json).not.toHaveProperty("findings");
  });
});

describe("GET /api/status", () => {
  it("/api/status lists every component, the slots and the key's remaining requests", async () => {
    const { status, json } = await call("GET", "/api/status", { key: basic });
    expect(status).toBe(200);
    expect(json.components.map((component: { name: string }) => component.name)).toEqual([
      "database",
      "predictions",
      "candles",
      "mail",
      "worker",
      "rate_limit",
    ]);
    expect(json.slots).toHaveLength(3);
    expect(json.key).toMatchObject({ plan_tier: "basic", rate_limit_per_min: 60 });
    expect(json.key.remaining).toBeLessThan(60);
  });
});

describe("GET /admin/monitoring-data", () => {
  it("/admin/monitoring-data counts clients and signals and lists the models", async () => {
    const { status, json } = await call("GET", "/admin/monitoring-data", { admin: true });
    expect(status).toBe(200);
    expect(json.window_hours).toBe(24);
    expect(json.ea_health).toMatchObject({ total: 2, online: 2 });
    const { total, BUY, SELL, NO_TRADE } = json.signal_distribution;
    expect(BUY + SELL + NO_TRADE).toBe(total);
    expect(json.signal_distribution.confidence_histogram).toHaveLength(10);
    expect(json.models).toHaveLength(3);
  });
});

describe("diagnostics for requests with a broker's symbol name", () => {
  const findings = async (key: string) =>
    (await call("GET", "/api/ea-status?explain=true", { key })).json.findings as {
      code: string;
      message: string;
      fix: string;
    }[];

  it("a request with a broker's symbol name adds a diagnostic with the requested and the matching slot", async () => {
    const { key } = await makeKey();
    expect((await call("GET", "/api/signals/EURUSDm/H1", { key })).json).toEqual([]);
    expect((await call("GET", `/api/signals/${encodeURIComponent("EURUSD.£")}/H4`, { key })).status).toBe(
      422,
    );
    const found = (await findings(key)).find(({ code }) => code === "unknown_slots");
    expect(found?.message).toContain("EURUSDM/H1");
    expect(found?.fix).toContain("EURUSD/H1 instead of EURUSDM/H1");
    expect(found?.fix).toContain("EURUSD/H4 instead of EURUSD.£/H4");
  });

  it("the diagnostic for a broker's symbol name also appears when the plan excludes that name, without blaming the plan", async () => {
    const { key } = await makeKey({ plan_tier: "basic" });
    expect((await call("GET", "/api/signals/EURUSDm/H1", { key })).status).toBe(403);
    const found = await findings(key);
    expect(found.find(({ code }) => code === "unknown_slots")?.fix).toContain("EURUSD/H1");
    expect(found.map(({ code }) => code)).not.toContain("plan_hides_symbols");
  });

  it("the diagnostic for unknown slots names requested slots without any match, and appears for no existing slot", async () => {
    const { key } = await makeKey();
    await call("GET", "/api/signals/EURUSD/H1", { key });
    expect((await findings(key)).map(({ code }) => code)).not.toContain("unknown_slots");
    await call("GET", "/api/signals/EURUSD/M1", { key });
    await call("GET", "/api/signals/NOSUCH/H1", { key });
    const found = (await findings(key)).find(({ code }) => code === "unknown_slots");
    expect(found?.message).toContain("EURUSD/M1, NOSUCH/H1");
  });
});
