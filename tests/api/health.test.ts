import { beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { writeSetting } from "@/db/queries/settings";
import { DEFAULT_HEALTH_THRESHOLDS } from "@/lib/market/assess-slots";
import { processWide } from "@/lib/runtime/process-wide";
import { settingInForce } from "@/lib/settings/registry";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

// Callers within a second share one result; each test starts with a new one.
beforeEach(() => {
  processWide<{ value: unknown }>("shared.health", () => ({ value: null })).value = null;
});

const HOUR_MS = 3_600_000;

describe("GET /api/health", () => {
  it("/api/health is degraded on an empty system, and any origin reads the whole body without a key", async () => {
    const answer = await call("GET", "/api/health");
    expect(answer.status).toBe(503);
    expect(answer.text).toBe(
      '{"status":"degraded","api_version":"1.3.0","db":"ok","last_prediction":null,"last_candle":null,' +
        '"pred_lag_minutes":null,"btc_lag_minutes":null,"stale_pred_count":0,"total_active_slots":0,' +
        '"reasons":["no_active_slots: no slot has an active model"]}',
    );
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("/api/health is 200 and ok without reasons once signals arrive", async () => {
    const ts = new Date(Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS).toISOString();
    const slot = { symbol: "BTCUSD", timeframe: "H1" };
    const items = {
      models: { ...slot, model_v: "m-1", is_active: true, trained_at: ts },
      candles: { ...slot, ts, open: 1, high: 2, low: 1, close: 1.5 },
      signals: {
        ...slot,
        ts,
        signal: "NO_TRADE",
        confidence: 0.5,
        prob_buy: 0.25,
        prob_sell: 0.25,
        prob_no: 0.5,
        regime: "RANGE",
        expected_rr: 0,
        model_v: "m-1",
      },
    };
    for (const [kind, item] of Object.entries(items)) {
      const made = await call("POST", `/admin/ingest/${kind}`, { admin: true, body: { items: [item] } });
      expect(made.status, made.text).toBe(200);
    }
    // The result is cached for a second.
    await expect.poll(async () => (await call("GET", "/api/health")).status, { timeout: 5_000 }).toBe(200);
    const answer = await call("GET", "/api/health");
    expect(answer.json).toMatchObject({ status: "ok", reasons: null, total_active_slots: 1 });
    expect(answer.json.last_candle).toBe(`${ts.slice(0, 19)}Z`);
  });

  it("the health thresholds are the operator's valid values, and the default in place of an invalid one", async () => {
    const stored = async (value: unknown) => {
      await writeSetting(db(), "health_thresholds", value);
      return settingInForce(db(), "health");
    };
    expect(await stored({ downLagFactor: 8, downLagMinutes: "an hour", degradedStaleShare: null })).toEqual({
      ...DEFAULT_HEALTH_THRESHOLDS,
      downLagFactor: 8,
    });
    expect(await stored("strict")).toEqual(DEFAULT_HEALTH_THRESHOLDS);
  });

  it("300 requests of one address to /api/health are never answered with 429", async () => {
    const headers = { "x-client-address": "203.0.113.240" };
    for (let n = 0; n < 300; n++)
      expect((await call("GET", "/api/health", { headers })).status).not.toBe(429);
  });
});
