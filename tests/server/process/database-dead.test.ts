import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signBody } from "@/lib/payments/signature";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";
import { type Database, makeKey } from "./built-server";

/** After a silence, until the connections in place of the silent ones are made. */
const SETTLED_MS = 500;

describe("a database that is there and dead", () => {
  let database: Database;
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
  /** A good request for every path that needs the database. */
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
    // Callers within a second share one reading, also one of before.
    await waitUntil(async () => {
      const health = await ask("/api/health", {});
      expect(health.ms).toBeLessThan(2_000);
      return health.body.status === "down" && health.body.db === "unavailable";
    }, 5_000);
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
  /** The first try may still meet a connection of before; it is bounded, and the next one passes. */
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

  it.each(["hang-up", "silence"] as const)(
    "is answered with 503 in time on every path when it accepts connections and meets them with: %s",
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

  it("is left alone on connections that fell silent, and found again on new ones", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    // More than one connection of each pool is open.
    await Promise.all(Array.from({ length: 8 }, () => ask("/admin/keys", { headers: admin })));
    proxy.welcome("silence");
    proxy.silence();
    await expectRefusals();
    // The silent connections stay as they are: nobody ever says that they are dead.
    proxy.welcome("pass");
    await expectRecovery();
    expect(server.output()).not.toContain('"status":500');
  });

  it("costs a caller a repeat of the look-up and no refusal when its connections fell silent alone", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    proxy.silence();
    const { answer, ms } = await ask("/api/account/me", { headers: { "X-API-Key": key } });
    expect(answer.status).toBe(200);
    // Nothing was said over the connection of before; in time for a balancer that asks nobody else after 1.5 s.
    expect(ms).toBeGreaterThan(500);
    expect(ms).toBeLessThan(1_500);
  });

  it("costs no report more than a second and a half when its connections fell silent alone", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    const report = (ticket: number) => {
      const body = { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };
      const init = { method: "POST", headers: { "X-API-Key": key }, body: JSON.stringify(body) };
      return ask("/api/executions", init);
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => report(n + 1)));
    // Others are answered over new connections meanwhile, so that nothing but the wait itself tells of the silence.
    let isOver = false;
    const others = Array.from({ length: 2 }, async () => {
      while (!isOver) await ask("/api/account/me", { headers: { "X-API-Key": key } });
    });
    proxy.silence();
    let slowestMs = 0;
    const reports = Array.from({ length: 6 }, async (_, n) => {
      for (let status = 503, tries = 0; status !== 201; tries++) {
        expect(tries).toBeLessThan(20);
        const { answer, ms } = await report(100 + n);
        status = answer.status;
        slowestMs = Math.max(slowestMs, ms);
      }
    });
    await Promise.all(reports);
    isOver = true;
    await Promise.all(others);
    // 0.5 s for the look-up of the key, or 0.7 s for a report that was under way, and never one after the other.
    expect(slowestMs).toBeLessThan(1_500);
    expect(slowestMs).toBeGreaterThan(500);
  });

  it("costs neither a report nor a payment a refusal when nobody else asks anything meanwhile", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    const pay = (id: string) => {
      const data = {
        ...{ id, status: "paid", paid_at: new Date().toISOString() },
        ...{ items: [{ productId: "3031367", name: "Signals", quantity: 1, amount: 49.9 }] },
        buyer: { name: "Ada Lovelace", email: `${id}@example.com` },
      };
      const body = JSON.stringify({ event: "payment.invoice_paid", data });
      const headers = { "x-signature": signBody(Buffer.from(body), WEBHOOK_SECRET) };
      return ask("/webhooks/payment", { method: "POST", body, headers });
    };
    // All connections for writes are open, and fall silent together.
    await Promise.all(Array.from({ length: 16 }, (_, n) => pay(`before-${n}`)));
    proxy.silence();
    const paid = await pay("silent");
    expect([paid.answer.status, paid.body.ok]).toEqual([200, true]);
    expect(paid.ms).toBeGreaterThan(500);
    expect(paid.ms).toBeLessThan(2_000);

    const report = { ticket: 77, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };
    const init = { method: "POST", headers: { "X-API-Key": key }, body: JSON.stringify(report) };
    // One that is being made at the moment of the silence would not fall silent, and the look-up would find nothing wrong.
    await waitUntil(async () => (await ask("/api/health/ready", {})).answer.status === 200, 5_000);
    await pause(SETTLED_MS);
    proxy.silence();
    const reported = await ask("/api/executions", init);
    expect([reported.answer.status, reported.body.action]).toEqual([201, "created"]);
    expect(reported.ms).toBeLessThan(2_000);
  });
});
