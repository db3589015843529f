import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WEB_CONNECTIONS } from "@/db/client";
import { signBody } from "@/lib/payments/signature";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";
import { makeKey, type TestDatabase } from "./built-server";

describe("an unresponsive database", () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let server: RunningServer;
  let key: string;
  const WEBHOOK_SECRET = "test-webhook-secret-0123456789";
  beforeAll(async () => {
    database = await createDatabase();
    const opened = await openProxyTo(database.url);
    proxy = opened.proxy;
    server = await startServer(opened.through, { WORKER: "none", PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });
    key = await makeKey(server);
  });
  afterAll(async () => {
    await server.kill();
    await proxy.cut();
    await database.drop();
  });

  const delivery = JSON.stringify({ event: "payment.invoice_paid", data: { id: "i", status: "paid" } });
  const admin = { "X-Admin-Secret": ADMIN_SECRET };
  const ingest = (item: object) => ({
    method: "POST",
    headers: admin,
    body: JSON.stringify({ items: [item] }),
  });
  const slot = { symbol: "EURUSD", timeframe: "H1", ts: "2026-11-20T10:00:00Z" };
  /** Valid requests for paths that need the database. */
  const requests = (): [string, RequestInit][] => {
    const keyed = { headers: { "X-API-Key": key } };
    return [
      ["/api/scan", keyed],
      ["/api/signals/EURUSD/H1", keyed],
      ["/api/history/predictions", keyed],
      [
        "/api/executions",
        { ...keyed, method: "POST", body: '{"ticket":1,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}' },
      ],
      ["/api/account/me", keyed],
      ["/api/account/signals", keyed],
      ["/api/account/executions", keyed],
      ["/api/account/regenerate-key", { ...keyed, method: "POST" }],
      ["/api/ea-status", keyed],
      ["/api/status", keyed],
      ["/api/performance", keyed],
      ["/api/calibration", keyed],
      ["/api/models", keyed],
      ["/api/public/stats", {}],
      ["/admin/keys", { headers: admin }],
      ["/admin/keys", { method: "POST", headers: admin, body: '{"user_name":"Nobody"}' }],
      ["/admin/keys/1", { method: "DELETE", headers: admin }],
      ["/admin/monitoring-data", { headers: admin }],
      ["/admin/ingest/candles", ingest({ ...slot, open: 1, high: 1, low: 1, close: 1 })],
      [
        "/admin/ingest/models",
        ingest({
          symbol: "EURUSD",
          tf_code: "H1",
          model_v: "m",
          auc_wf: 0.5,
          pf_wf: 1,
          is_active: true,
          trained_at: slot.ts,
        }),
      ],
      [
        "/admin/ingest/signals",
        ingest({
          ...slot,
          signal: "BUY",
          confidence: 1,
          prob_buy: 1,
          prob_sell: 0,
          prob_no: 0,
          regime: "RANGE",
          expected_rr: 1,
          model_v: "m",
        }),
      ],
      ["/admin/ingest/features", ingest({ ...slot, model_v: "m", values: { a: 1 } })],
      [
        "/webhooks/payment",
        {
          method: "POST",
          body: delivery,
          headers: { "x-signature": signBody(Buffer.from(delivery), WEBHOOK_SECRET) },
        },
      ],
    ];
  };
  const ask = async (path: string, init: RequestInit) => {
    const startedAt = performance.now();
    const answer = await fetch(`${server.url}${path}`, init);
    return { answer, body: await answer.json(), ms: performance.now() - startedAt };
  };
  const expectRefusals = async () => {
    // Callers within a second or two share one reading, even one from before the database died.
    await waitUntil(async () => {
      const health = await ask("/api/health", {});
      expect(health.ms).toBeLessThan(2_000);
      return health.body.status === "down" && health.body.db === "unavailable";
    }, 5_000);
    await waitUntil(async () => (await ask("/api/public/stats", {})).answer.status === 503, 10_000);
    const ready = await ask("/api/health/ready", {});
    expect([ready.answer.status, ready.body.reason]).toEqual([503, "database_unavailable"]);
    expect(ready.ms).toBeLessThan(1_000);
    expect((await ask("/api/health/live", {})).answer.status).toBe(200);
    const outcomes = await Promise.all(
      requests().map(async ([path, init]) => ({
        name: `${init.method ?? "GET"} ${path}`,
        ...(await ask(path, init)),
      })),
    );
    for (const { name, answer, body, ms } of outcomes) {
      expect({ name, status: answer.status }).toEqual({ name, status: 503 });
      expect(body).toMatchObject({
        detail: expect.any(String),
        code: expect.stringMatching(/unavailable|unverifiable/),
      });
      expect(Number(answer.headers.get("retry-after")), name).toBeGreaterThanOrEqual(1);
      expect(ms, name).toBeLessThan(8_000);
    }
  };
  /** Waits until requests succeed again. The first ones may fail, because they still use a dead connection. */
  const expectRecovery = async () => {
    await waitUntil(
      async () => (await ask("/api/account/me", { headers: { "X-API-Key": key } })).answer.status === 200,
      10_000,
    );
    await waitUntil(async () => (await ask("/admin/keys", { headers: admin })).answer.status === 200, 10_000);
    expect((await ask("/admin/keys", { headers: admin })).body.count).toBe(1);
    await waitUntil(async () => (await ask("/api/health", {})).body.db === "ok", 5_000);
    await waitUntil(async () => (await ask("/api/health/ready", {})).answer.status === 200, 5_000);
  };

  it("the database gets no more connections under load than configured", {
    timeout: 60_000,
  }, async () => {
    const sql = postgres(database.url, { max: 1 });
    let most = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; await pause(50)) {
        const [row] = await sql<{ n: number }[]>`
          select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
        most = Math.max(most, row?.n ?? 0);
      }
    })();
    const reads = requests().filter(([path, { method }]) => !method || path === "/api/executions");
    for (let round = 0; round < 5; round++)
      await Promise.all([...reads, ...reads, ...reads, ...reads].map((one) => ask(...one)));
    isOver = true;
    await counting;
    await sql.end();
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(WEB_CONNECTIONS);
  });

  it.each(["hang-up", "silence"] as const)(
    "a database that meets new connections with %s causes 503 in time for 23 requests that need the database",
    { timeout: 60_000 },
    async (welcome) => {
      await expectRecovery();
      proxy.welcome(welcome);
      await proxy.cut();
      await proxy.open();
      await expectRefusals();
      proxy.welcome("pass");
      await expectRecovery();
      expect(server.output()).not.toContain('"status":500');
    },
  );

  it("silent connections to the database are not used again, and new ones are", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    // Each pool has more than one open connection.
    await Promise.all(Array.from({ length: 8 }, () => ask("/admin/keys", { headers: admin })));
    proxy.welcome("silence");
    proxy.silence();
    await expectRefusals();
    // The silent connections stay open: neither side learns that they are dead.
    proxy.welcome("pass");
    await expectRecovery();
    expect(server.output()).not.toContain('"status":500');
  });

  it("silent open connections cost a caller one or two refusals, each in time", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    const report = { ticket: 77, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };
    const init = { method: "POST", headers: { "X-API-Key": key }, body: JSON.stringify(report) };
    expect((await ask("/api/executions", init)).answer.status).toBe(201);
    proxy.silence();
    let refusals = 0;
    await waitUntil(async () => {
      const { answer, ms } = await ask("/api/executions", init);
      // The connection of the key look-up or the report.
      expect(ms).toBeLessThan(2_700);
      if (answer.status === 201) return true;
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      refusals++;
      return false;
    }, 10_000);
    expect(refusals).toBeGreaterThanOrEqual(1);
    expect(refusals).toBeLessThanOrEqual(2);
  });

  it("an unresponsive database under load causes 503 within three seconds, then at once; answers return within five", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    const asked: { at: number; ms: number; status: number }[] = [];
    let isOver = false;
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let n = 0; !isOver; n++) {
        const report = { ticket: 1_000 * caller + n, symbol: "EURUSD", timeframe: "H1", signal: "BUY" };
        const { answer, ms } =
          caller % 2 === 0
            ? await ask("/api/account/executions?days=1", { headers: { "X-API-Key": key } })
            : await ask("/api/executions", {
                method: "POST",
                headers: { "X-API-Key": key },
                body: JSON.stringify(report),
              });
        asked.push({ at: performance.now() - ms, ms, status: answer.status });
        await pause(20);
      }
    });
    await pause(1_000);
    proxy.welcome("silence");
    proxy.silence();
    const silentAt = performance.now();
    await pause(6_000);
    proxy.welcome("pass");
    const backAt = performance.now();
    await pause(6_000);
    isOver = true;
    await Promise.all(callers);
    expect(Math.max(...asked.map(({ ms }) => ms))).toBeLessThan(3_000);
    const refused = asked.filter(({ at }) => at > silentAt + 3_000 && at < backAt);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused.filter(({ status, ms }) => status !== 503 || ms > 1_000)).toEqual([]);
    const after = asked.filter(({ at }) => at > backAt + 5_000);
    expect(after.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    expect(server.output()).not.toContain('"status":500');
  });
});
