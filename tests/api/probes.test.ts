import { beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { markStopping } from "@/lib/health/read-readiness";
import { processWide } from "@/lib/runtime/process-wide";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ TUNING: "timeout-factor=1" });

const state = () =>
  processWide<{ isStopping: boolean; hasSeenSchema: boolean }>("readiness", () => {
    throw new Error("nobody has asked yet");
  });

// Concurrent callers share one result; each test starts with a new one.
beforeEach(() => {
  processWide<{ value: unknown }>("shared.readiness-of-database", () => ({ value: null })).value = null;
});

async function timed(path: string) {
  const startedAt = performance.now();
  const answer = await call("GET", path);
  return { ...answer, ms: performance.now() - startedAt };
}

describe("GET /api/health/live", () => {
  it("300 requests to /api/health/live are all answered with 200, and so is HEAD", async () => {
    for (let i = 0; i < 300; i++)
      expect(await call("GET", "/api/health/live")).toMatchObject({ status: 200, text: '{"live":true}' });
    expect(await call("HEAD", "/api/health/live")).toMatchObject({ status: 200, text: "" });
  });
});

describe("GET /api/health/ready", () => {
  it("300 requests to /api/health/ready are all 200 on an empty system, where /api/health is 503", async () => {
    expect((await call("GET", "/api/health")).status).toBe(503);
    for (let i = 0; i < 300; i++)
      expect(await call("GET", "/api/health/ready")).toMatchObject({
        status: 200,
        text: '{"ready":true,"reason":null}',
      });
    expect(await call("HEAD", "/api/health/ready")).toMatchObject({ status: 200, text: "" });
  });

  it("/api/health/ready is 503 while keys cannot be looked up, and 200 afterwards", async () => {
    expect((await call("GET", "/api/health/ready")).status).toBe(200);
    const other = connectDirectly(1);
    await other.begin(async (tx) => {
      await tx`lock table api_keys in access exclusive mode`;
      await new Promise((done) => setTimeout(done, 250));
      const asked = timed("/api/health/ready");
      let isTold = false;
      const told = asked.then(() => {
        isTold = true;
      });
      expect((await call("GET", "/api/health/live")).status).toBe(200);
      expect(isTold, "one that asks no database answers first").toBe(false);
      await told;
      const answer = await asked;
      expect(answer).toMatchObject({
        status: 503,
        text: '{"ready":false,"reason":"database_unavailable"}',
      });
      expect(answer.ms).toBeLessThan(2_000);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    });
    await other.end();
    await expect.poll(async () => (await call("GET", "/api/health/ready")).status).toBe(200);
  });

  it("/api/health/ready is 503 while the newest migration has not run, and 200 afterwards", async () => {
    state().hasSeenSchema = false;
    await db().$client`
      update drizzle.__drizzle_migrations set created_at = -created_at
       where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    await expect
      .poll(async () => (await call("GET", "/api/health/ready")).json)
      .toEqual({ ready: false, reason: "schema_not_current" });
    await db().$client`update drizzle.__drizzle_migrations set created_at = abs(created_at)`;
    await expect.poll(async () => (await call("GET", "/api/health/ready")).status).toBe(200);
  });

  it("/api/health/ready is 503 with the reason stopping once the process is marked as stopping", async () => {
    markStopping();
    const { status, json } = await call("GET", "/api/health/ready");
    state().isStopping = false;
    expect([status, json]).toEqual([503, { ready: false, reason: "stopping" }]);
  });
});
