import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { freePort, type RunningServer, startProcess, waitUntil } from "@/tests/support/server";
import { type TcpProxy, tcpProxy } from "@/tests/support/tcp-proxy";

describe("the worker", () => {
  describe("behind a network that falls silent", () => {
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let proxy: TcpProxy;
    let worker: RunningServer;
    beforeEach(async () => {
      database = await createDatabase();
      const upstream = new URL(database.url);
      proxy = tcpProxy(await freePort(), { host: upstream.hostname, port: Number(upstream.port) });
      await proxy.open();
      const through = new URL(database.url);
      through.port = String(proxy.port);
      const environment = { ...testEnvironment(through.href), LOG_FILE: "", MARKET_FEED: "off" };
      worker = await startProcess("worker.mjs", environment, 0, (output) =>
        output.includes("the worker leads"),
      );
    });
    afterEach(async () => {
      await worker.kill();
      await proxy.cut();
      await database.drop();
    });
    const terms = () => worker.output().split('"the worker leads"').length - 1;

    it("takes the lead again on a new connection when its own fell silent", { timeout: 60_000 }, async () => {
      proxy.silence();
      await waitUntil(async () => terms() > 1, 20_000, worker.output);
      const sql = postgres(database.url, { max: 1 });
      await sql`delete from health_probes`;
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 15_000, worker.output);
      await sql.end();
      expect(await worker.stop()).toBe(0);
    });

    it("takes it again too when connections fall silent while its jobs record that they failed", {
      timeout: 60_000,
    }, async () => {
      const sql = postgres(database.url, { max: 2 });
      await sql.begin(async (tx) => {
        await tx`lock table job_runs`;
        proxy.silence();
        const waiting = () =>
          sql`select 1 from pg_locks where relation = 'job_runs'::regclass and not granted`;
        await waitUntil(async () => (await waiting()).length > 0, 20_000, worker.output);
        proxy.silence();
      });
      await waitUntil(async () => terms() > 1, 25_000, worker.output);
      await sql`delete from health_probes`;
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 15_000, worker.output);
      await sql.end();
      expect(await worker.stop()).toBe(0);
    });
  });

  it("runs apart from a server without one, leads alone, and hands over after kill -9", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    const environment = { ...testEnvironment(database.url), LOG_FILE: "", MARKET_FEED: "off" };
    const startWorker = () =>
      startProcess("worker.mjs", environment, 0, (output) =>
        output.includes("the worker waits for its turn"),
      );
    const leads = (worker: RunningServer) => worker.output().includes('"the worker leads"');
    const first = await startWorker();
    await waitUntil(async () => leads(first), 5_000);
    const second = await startWorker();
    try {
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 10_000, first.output);
      expect(leads(second)).toBe(false);
      await first.kill();
      await waitUntil(async () => leads(second), 10_000, second.output);
      expect(await second.stop()).toBe(0);
    } finally {
      await first.kill();
      await second.kill();
      await sql.end();
      await database.drop();
    }
  });
});
