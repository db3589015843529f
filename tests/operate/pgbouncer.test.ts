import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listDisabledTimeouts } from "@/db/queries/database-status";
import { PoolerError, requireDirectConnection } from "@/db/require-direct";
import { signBody } from "@/lib/payments/signature";
import { ADMIN_SECRET, createDatabase, testEnvironment } from "@/tests/support/database";
import { paymentEvent, toBytes, WEBHOOK_SECRET } from "@/tests/support/payments";
import { hasPgbouncer, type RunningPgbouncer, startPgbouncer } from "@/tests/support/pgbouncer";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

// Skipped without pgbouncer; Debian's package is sufficient. TEST_POOLER=pgbouncer runs the whole suite through one.
describe.skipIf(!hasPgbouncer)("PgBouncer in transaction mode", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let proxy: TcpProxy;
  let pooler: RunningPgbouncer;
  let deaf: RunningPgbouncer;
  let server: RunningServer;
  const ROLE_LIMITS = {
    statement_timeout: "5s",
    lock_timeout: "1s",
    idle_in_transaction_session_timeout: "10s",
  };

  beforeAll(async () => {
    database = await createDatabase();
    const url = new URL(database.url);
    const sql = postgres(database.url, { max: 1 });
    for (const [limit, value] of Object.entries(ROLE_LIMITS))
      await sql.unsafe(
        `alter role ${decodeURIComponent(url.username)} in database ${url.pathname.slice(1)} set ${limit} = '${value}'`,
      );
    await sql.end();
    const opened = await openProxyTo(database.url);
    proxy = opened.proxy;
    pooler = await startPgbouncer(opened.through);
    deaf = await startPgbouncer(database.url, [
      "statement_timeout",
      "lock_timeout",
      "idle_in_transaction_session_timeout",
    ]);
    const addresses = { DATABASE_URL: pooler.through(database.url), DATABASE_DIRECT_URL: database.url };
    Object.assign(process.env, testEnvironment(database.url), addresses);
    server = await startServer(database.url, {
      ...addresses,
      MARKET_FEED: "demo",
      PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET,
      LOG_LEVEL: "info",
    });
  });

  afterAll(async () => {
    await server?.stop();
    await pooler?.stop();
    await deaf?.stop();
    await proxy?.cut();
    await database?.drop();
  });

  const admin = (path: string, body: unknown) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify(body),
    });

  /** Repeats a request up to 60 times while the answer is 503, as clients and platforms do. */
  async function untilAnswered(send: () => Promise<Response>): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const answer = await send();
      if (answer.status !== 503 || tries === 60) return answer;
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  async function makeKey(): Promise<string> {
    const made = await admin("/admin/keys", {
      user_name: "Tester",
      plan_tier: "owner",
      rate_limit_per_min: 100_000,
    });
    expect(made.status).toBe(201);
    return (await made.json()).api_key;
  }

  it("serves 200 reads and 100 reports sent at once, and a key rotation", { timeout: 120_000 }, async () => {
    const key = await makeKey();
    const call = (path: string, init: RequestInit = {}) =>
      untilAnswered(() => fetch(`${server.url}${path}`, { ...init, headers: { "X-API-Key": key } }));
    const paths = [
      "/api/scan",
      "/api/account/me",
      "/api/account/executions",
      "/api/performance",
      "/api/models",
    ];
    const reads = Array.from({ length: 200 }, (_, n) => call(paths[n % paths.length] ?? ""));
    const reports = Array.from({ length: 100 }, (_, n) =>
      call("/api/executions", {
        method: "POST",
        body: JSON.stringify({ ticket: (n % 50) + 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
      }),
    );
    const statuses = (await Promise.all([...reads, ...reports])).map((answer) => answer.status);
    expect(statuses.slice(0, 200).filter((status) => status !== 200)).toEqual([]);
    expect(statuses.slice(200).filter((status) => status !== 201)).toEqual([]);
    const listed = await (await call("/api/account/executions?limit=1000")).json();
    expect(listed.summary.n_total).toBe(50);

    const rotated = await fetch(`${server.url}/api/account/regenerate-key`, {
      method: "POST",
      headers: { "X-API-Key": key },
    });
    expect(rotated.status).toBe(200);
    expect((await call("/api/scan")).status).toBe(401);
  });

  it("creates one key for the same payment delivered ten times at once", { timeout: 120_000 }, async () => {
    const bytes = toBytes(paymentEvent({ id: `inv-${randomUUID()}` }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        untilAnswered(() =>
          fetch(`${server.url}/webhooks/payment`, {
            method: "POST",
            headers: { "x-signature": signBody(bytes, WEBHOOK_SECRET) },
            body: Buffer.from(bytes),
          }),
        ),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(new Set(bodies.map((body) => body.key_id)).size).toBe(1);
  });

  it("the worker leads and produces signals with a direct address beside the pooler, without an error", {
    timeout: 90_000,
  }, async () => {
    expect(server.output()).toContain("the worker leads");
    const sql = postgres(database.url, { max: 1 });
    try {
      await waitUntil(async () => (await sql`select 1 from signals limit 1`).length > 0, 60_000);
      await waitUntil(async () => (await sql`select 1 from health_probes limit 1`).length > 0, 25_000);
      const mails = await sql<{ sent: boolean }[]>`select sent_at is not null as sent from mail_outbox`;
      expect(mails.length).toBeGreaterThan(0);
    } finally {
      await sql.end();
    }
    expect(server.output()).not.toMatch(/08P01|26000|"level":"error"/);
  });

  it("the limits of the database role end long statements", async () => {
    const [row] = await db("heavy").execute<{ statement: string; lock: string }>(
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
    );
    expect(row).toEqual({ statement: "5s", lock: "1s" });
    expect(await listDisabledTimeouts(db())).toEqual([]);
    // PostgreSQL ends the statement after five seconds; on a busy machine the client's own deadline may end it first.
    await expect(db("heavy").execute("select pg_sleep(8)")).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^(?:57014|DEADLINE)$/) },
    });
  });

  it("answers 503 in time while PostgreSQL is down, and recovers", {
    timeout: 60_000,
  }, async () => {
    const key = await makeKey();
    const report = (ticket: number) =>
      fetch(`${server.url}/api/executions`, {
        method: "POST",
        headers: { "X-API-Key": key },
        body: JSON.stringify({ ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
      });
    expect((await report(1_001)).status).toBe(201);
    await proxy.cut();
    for (let n = 0; n < 5; n++) {
      const startedAt = performance.now();
      const answer = await report(1_002);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    await proxy.open();
    await waitUntil(async () => (await report(1_002)).status === 201, 15_000);
    expect(server.output()).not.toMatch(/"status":500|an unhandled rejection/);
  });

  it("names the variable to set when only a pooler address is configured", async () => {
    const refusing = requireDirectConnection(pooler.through(database.url), "DATABASE_URL");
    await expect(refusing).rejects.toThrow(PoolerError);
    await expect(refusing).rejects.toThrow(/DATABASE_DIRECT_URL/);
    // A pooler that drops the limits is detected by their absence.
    await expect(requireDirectConnection(deaf.through(database.url), "DATABASE_URL")).rejects.toThrow(
      PoolerError,
    );
    await expect(requireDirectConnection(database.url, "DATABASE_URL")).resolves.toBeUndefined();
  });
});
