import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { type RunningServer, startProcess, waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Whether this test may listen on port 53 and replace the list of name servers for one process, as root on Linux may. */
const canMount =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "true"]).status === 0;
const MOUNT_AND_RUN = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
/** 127.0.0.77:53 as the remote address in /proc/net/udp. */
const SENT_TO_NAME_SERVER = " 4D00007F:0035 01 ";

describe("the worker", () => {
  describe.concurrent("on a network that becomes silent", () => {
    interface Stage {
      sql: postgres.Sql;
      proxy: TcpProxy;
      worker: RunningServer;
      /** Number of times the worker became leader. */
      terms(): number;
    }
    /** `it` with a leading worker that has its own database and network proxy. */
    const itOnStage = it.extend<{ stage: Stage }>({
      stage: async ({ task: _ }, use) => {
        const database = await createDatabase();
        const { proxy, through } = await openProxyTo(database.url);
        const environment = { ...testEnvironment(through), LOG_FILE: "", MARKET_FEED: "off" };
        const worker = await startProcess("worker.mjs", environment, 0, (output) =>
          output.includes("the worker leads"),
        );
        const sql = postgres(database.url, { max: 2 });
        const terms = () => worker.output().split('"the worker leads"').length - 1;
        await use({ sql, proxy, worker, terms });
        await worker.kill();
        await sql.end();
        await proxy.cut();
        await database.drop();
      },
    });

    itOnStage(
      "a worker becomes leader again on a new connection when its own falls silent",
      { timeout: 90_000 },
      async ({ stage: { sql, proxy, worker, terms } }) => {
        proxy.silence();
        await waitUntil(async () => terms() > 1, 20_000, worker.output);
        await sql`delete from health_probes`;
        await waitUntil(
          async () => (await sql`select 1 from health_probes`).length > 0,
          15_000,
          worker.output,
        );
        expect(await worker.stop()).toBe(0);
      },
    );

    itOnStage(
      "a worker becomes leader again when connections fall silent while its jobs record that they failed",
      { timeout: 90_000 },
      async ({ stage: { sql, proxy, worker, terms } }) => {
        await sql.begin(async (tx) => {
          await tx`lock table job_runs`;
          proxy.silence();
          const isWaitedFor = async () =>
            (await listLocks(sql)).some(({ table, granted }) => table === "job_runs" && !granted);
          await waitUntil(isWaitedFor, 20_000, worker.output);
          proxy.silence();
        });
        await waitUntil(async () => terms() > 1, 25_000, worker.output);
        await sql`delete from health_probes`;
        await waitUntil(
          async () => (await sql`select 1 from health_probes`).length > 0,
          15_000,
          worker.output,
        );
        expect(await worker.stop()).toBe(0);
      },
    );
  });

  it.runIf(canMount)(
    "a worker ends within five seconds after SIGTERM while no name server answers",
    { timeout: 60_000 },
    async () => {
      // Bound and never read: every question waits for its timeout.
      const nameServer = createSocket("udp4");
      nameServer.bind(53, "127.0.0.77");
      await once(nameServer, "listening");
      const resolver = join(temporaryDirectory("signal-resolver-"), "resolv.conf");
      writeFileSync(resolver, "nameserver 127.0.0.77\nsearch a.test b.test\noptions ndots:5\n");
      const environment = {
        ...testEnvironment("postgres://u:p@database.test/x"),
        LOG_FILE: "",
        MARKET_FEED: "off",
      };
      const worker = spawn(
        "unshare",
        ["-m", "sh", "-c", MOUNT_AND_RUN, resolver, process.execPath, join(root, ".build/worker.mjs")],
        { cwd: root, env: { ...environment, PATH: process.env.PATH, NODE_ENV: "production" } },
      );
      let output = "";
      worker.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      const ended = once(worker, "exit");
      try {
        const isAsking = () => readFileSync("/proc/net/udp", "utf8").includes(SENT_TO_NAME_SERVER);
        await waitUntil(
          async () => isAsking(),
          20_000,
          () => output,
        );
        const stoppedAt = performance.now();
        worker.kill("SIGTERM");
        await ended;
        expect(performance.now() - stoppedAt).toBeLessThan(5_000);
        expect(output).toContain('"stopping"');
      } finally {
        worker.kill("SIGKILL");
        nameServer.close();
      }
    },
  );

  it("the worker clears the stored failure of a job after its next success", {
    timeout: 60_000,
  }, async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    await sql`insert into job_runs (job, last_started_at, last_finished_at, last_error_code, n_runs, n_errors)
              values ('signals', now(), now(), 'database_unavailable', 1, 1)`;
    const environment = { ...testEnvironment(database.url), LOG_FILE: "", MARKET_FEED: "off" };
    const worker = await startProcess("worker.mjs", environment, 0, (output) =>
      output.includes("the worker leads"),
    );
    const isCleared = async () => {
      const [row] = await sql`select last_error_code from job_runs where job = 'signals'`;
      return row?.last_error_code === null;
    };
    await waitUntil(isCleared, 20_000, worker.output);
    await worker.kill();
    await sql.end();
    await database.drop();
  });

  it("a worker runs without a server, leads alone, and is replaced as leader after kill -9", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    const environment = { ...testEnvironment(database.url), LOG_FILE: "", MARKET_FEED: "off" };
    const startWorker = async () => {
      const port = await pickFreePort();
      return startProcess("worker.mjs", { ...environment, WORKER_PORT: String(port) }, port, (output) =>
        output.includes("the worker waits for the leader's lock"),
      );
    };
    const probe = async (worker: RunningServer, path: string) => {
      const answer = await fetch(`${worker.url}${path}`);
      return [answer.status, await answer.json()];
    };
    const leads = (worker: RunningServer) => worker.output().includes('"the worker leads"');
    const first = await startWorker();
    await waitUntil(async () => leads(first), 5_000);
    const second = await startWorker();
    try {
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 10_000, first.output);
      expect(leads(second)).toBe(false);
      const ready = { ready: true, reason: null };
      expect(await probe(first, "/api/health/ready")).toEqual([200, { ...ready, leads: true }]);
      expect(await probe(second, "/api/health/ready")).toEqual([200, { ...ready, leads: false }]);
      expect(await probe(second, "/api/health/live")).toEqual([200, { live: true }]);
      expect((await fetch(`${first.url}/admin/keys`)).status).toBe(404);
      const figures = await (await fetch(`${first.url}/metrics`)).text();
      expect(figures).toContain("sds_worker_leads 1");
      expect(figures).toContain("sds_database_up 1");
      expect(figures).toMatch(/^process_resident_memory_bytes \d/m);
      await first.kill();
      await waitUntil(async () => leads(second), 10_000, second.output);
      expect(await probe(second, "/api/health/ready")).toEqual([200, { ...ready, leads: true }]);
      expect(await second.stop()).toBe(0);
    } finally {
      await first.kill();
      await second.kill();
      await sql.end();
      await database.drop();
    }
  });
});
