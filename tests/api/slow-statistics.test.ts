import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePools } from "@/db/client";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { ingest, signalItem } from "@/tests/support/market-data";

useDatabase({ TUNING: "timeout-factor=1" });

describe("a statistic that exceeds its time limit", () => {
  let sql: postgres.Sql;
  beforeAll(async () => {
    await ingest("signals", [signalItem()]);
    sql = connectDirectly(1);
    // Every query of the outcomes exceeds the time limit.
    await sql.unsafe(`
      alter table outcomes rename to outcomes_away;
      create function slow_outcomes() returns setof outcomes_away language plpgsql as
        $$ begin perform pg_sleep(60); return query select * from outcomes_away; end $$;
      create view outcomes as select * from slow_outcomes()`);
  });
  afterAll(async () => {
    await closePools();
    await sql.end();
  });
  const calibration = (key: string, days: number) => call("GET", `/api/calibration?days=${days}`, { key });

  it("a statistic over its time limit is then refused at once, also for other keys and periods; other requests are answered", async () => {
    const { key } = await makeKey();
    const other = await makeKey();
    const slow = calibration(key, 30);
    await new Promise((done) => setTimeout(done, 100));
    const second = await calibration(key, 7);
    expect(second.status).toBe(429);
    expect(second.json.detail).toContain("still being computed");
    const report = { ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" };
    expect((await call("POST", "/api/executions", { key, body: report })).status).toBe(201);
    expect((await call("GET", "/api/account/executions", { key: other.key })).status).toBe(200);

    const first = await slow;
    expect(first.status).toBe(503);
    expect(first.json).toMatchObject({
      code: "figures_too_slow",
      detail: expect.stringContaining("over 30 days"),
    });
    const startedAt = performance.now();
    for (const [asker, days] of [
      [key, 30],
      [other.key, 30],
      [key, 365],
    ] as const) {
      const again = await calibration(asker, days);
      expect(again.json.code).toBe("figures_too_slow");
      expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(30);
    }
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});
