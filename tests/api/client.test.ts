import { describe, expect, it } from "vitest";
import { clientFor } from "@/tests/support/api-client";
import { ADMIN_SECRET, useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, signalItem } from "@/tests/support/market-data";

useDatabase();

describe("the typed client", () => {
  it("creates a key, ingests and reads a signal, reports a position and lists it", async () => {
    const admin = clientFor({ adminSecret: ADMIN_SECRET });
    const created = await admin.POST("/admin/keys", { body: { user_name: "Client", plan_tier: "pro" } });
    const apiKey = created.data?.api_key ?? "";
    const item = signalItem({ ts: hourlyCandleOpenTime(0) });
    const taken = await admin.POST("/admin/ingest/signals", { body: { items: [item] } });
    expect(taken.data).toEqual({ ok: true, accepted: 1, duplicates: 0 });

    const client = clientFor({ apiKey });
    const history = await client.GET("/api/signals/{symbol}/{tf}", {
      params: { path: { symbol: "EURUSD", tf: "H1" }, query: { limit: 1 } },
    });
    expect(history.data?.[0]).toMatchObject({ signal: "BUY", regime: "TREND_UP" });

    const report = await client.POST("/api/executions", {
      body: { ticket: 12, symbol: "EURUSD", timeframe: "H1", signal: "BUY", confidence: 0.5 },
    });
    expect(report.data).toMatchObject({ action: "created", ticket: 12 });
    const mine = await client.GET("/api/account/executions", { params: { query: { days: 1 } } });
    expect(mine.data?.executions[0]?.exec_id).toBe(report.data?.exec_id);
  });

  it("returns a refused call as an error with its status and code, and without data", async () => {
    const { data, error, response } = await clientFor({}).GET("/api/account/me");
    expect(data).toBeUndefined();
    expect([response.status, error?.code]).toEqual([401, "key_missing"]);
  });
});
