import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { ADMIN_SECRET, testEnvironment } from "@/tests/support/database";
import { hasRedis, startRedis } from "@/tests/support/redis";
import { freePort, type RunningServer, startProcess, startServer, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CALLERS = 8;

interface Counts {
  asked: number;
  retried: number;
  failed: number;
  /** Tickets whose report was answered with 201. */
  tickets: Set<number>;
}

/**
 * Two replicas and a worker behind nginx over PostgreSQL and Redis, under load: both replicas restarted in turn, a
 * backup taken, the database destroyed and restored. No request fails that one retry does not cure, and nothing that was
 * acknowledged before the backup is lost.
 */
export async function disaster(): Promise<string[]> {
  const directory = temporaryDirectory("signal-operate-");
  process.env.TEST_DIRECTORY = directory;
  const lines: string[] = [];
  const embedded = await startEmbeddedDatabase(directory);
  const redis = hasRedis() ? await startRedis() : null;
  const variables = {
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
    MARKET_FEED: "off",
    TRUST_PROXY_HOPS: "1",
    DRAIN_DELAY_SECONDS: "1",
    LOG_LEVEL: "info",
    BACKUP_DIR: join(directory, "backups"),
    BACKUP_PASSPHRASE: "correct horse battery staple",
    BACKUP_EVERY_HOURS: "0",
  };
  const replica = (extra: Record<string, string> = {}) =>
    startServer(embedded.url, { ...variables, WORKER: "none", ...extra });
  const replicas = [await replica(), await replica()];
  const environment = { ...testEnvironment(embedded.url, variables), LOG_FILE: "" };
  const worker = await startProcess("worker.mjs", environment, 0, (output) =>
    output.includes("the worker leads"),
  );
  const proxy = await startNginx(directory, replicas);
  lines.push(
    `two replicas, a worker, ${redis ? "Redis, " : ""}${proxy ? "nginx" : "no nginx here: the first replica alone"}`,
  );
  const base = () => proxy?.url ?? replicas[0]?.url ?? "";

  const made = await fetch(`${base()}/admin/keys`, {
    method: "POST",
    headers: { "X-Admin-Secret": ADMIN_SECRET },
    body: JSON.stringify({ user_name: "Operator", plan_tier: "owner", rate_limit_per_min: 100_000 }),
  });
  const key: string = (await made.json()).api_key;

  const counts: Counts = { asked: 0, retried: 0, failed: 0, tickets: new Set() };
  const load = new AbortController();
  const callers = Array.from({ length: CALLERS }, (_, n) => callOn(n, base, key, counts, load.signal));
  for (const [at, running] of replicas.entries()) {
    const code = await running.stop();
    if (code !== 0) throw new Error(`a replica ended with ${code}`);
    replicas[at] = await replica({ PORT: String(running.port) });
  }
  await pause(1_000);
  load.abort();
  await Promise.all(callers);
  lines.push(
    `restarted in turn: ${counts.asked} requests, ${counts.retried} cured by one retry, ${counts.failed} failed, ${counts.tickets.size} reports acknowledged`,
  );
  if (counts.failed > 0) throw new Error(`${counts.failed} requests failed twice`);

  const run = (name: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, ".build", `${name}.mjs`), ...args],
      {
        encoding: "utf8",
        env: { PATH: process.env.PATH, ...environment } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
      },
    );
    return { status, stdout: stdout.trim(), stderr };
  };
  const backup = run("backup");
  if (backup.status !== 0) throw new Error(`no backup: ${backup.stderr}`);
  lines.push(`npm run backup: ${backup.stdout.replace(directory, "...")}`);
  const file = /^(\S+\.backup):/.exec(backup.stdout)?.[1] ?? "";

  const server = new URL(embedded.url);
  server.pathname = "/postgres";
  const admin = postgres(server.href, { max: 1, onnotice: () => undefined });
  await admin`drop database signals with (force)`;
  await waitUntil(async () => (await statusOf(`${base()}/api/health/ready`)) === 503, 10_000);
  const during = await statusOf(`${base()}/api/scan`, key);
  await admin`create database signals`;
  const restored = run("restore", file);
  if (restored.status !== 0) throw new Error(`not restored: ${restored.stderr}`);
  lines.push(`database dropped: a poll gets ${during}; npm run restore: ${restored.stdout}`);
  const from = performance.now();
  await waitUntil(async () => (await statusOf(`${base()}/api/scan`, key)) === 200, 30_000);
  lines.push(
    `polls are answered again ${Math.round(performance.now() - from)} ms after the restore, no process restarted`,
  );
  await admin.end();

  const sql = postgres(embedded.url, { max: 1 });
  const stored = await sql<{ ticket: string }[]>`select ticket::text from executions`;
  const there = new Set(stored.map(({ ticket }) => Number(ticket)));
  const lost = [...counts.tickets].filter((ticket) => !there.has(ticket));
  lines.push(
    `${counts.tickets.size} acknowledged reports, ${lost.length} lost, ${stored.length - there.size} doubled`,
  );
  if (lost.length > 0 || stored.length !== there.size)
    throw new Error(`lost: ${lost.slice(0, 10).join(", ")}`);
  // The worker takes the lead again by itself and probes.
  await waitUntil(
    async () =>
      (await sql`select 1 from health_probes where minute > now() - interval '2 minutes'`).length > 0,
    90_000,
  );
  await sql.end();

  lines.push(
    "npm run doctor:",
    ...run("doctor")
      .stdout.split("\n")
      .map((line) => `  ${line}`),
  );
  proxy?.stop();
  await Promise.all([...replicas, worker].map((running) => running.stop()));
  await redis?.stop();
  await embedded.stop();
  return lines;
}

/** Polls and reports in turn until told to stop; what fails is tried once more. */
async function callOn(
  caller: number,
  base: () => string,
  key: string,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const ticket = (caller + 1) * 1_000_000 + n;
    const isReport = n % 2 === 1;
    const ask = async () => {
      const answer = await fetch(`${base()}/api/${isReport ? "executions" : "scan"}`, {
        headers: { "X-API-Key": key },
        ...(isReport
          ? {
              method: "POST",
              body: JSON.stringify({
                ticket,
                symbol: "EURUSD",
                timeframe: "H1",
                signal: "BUY",
                entry_price: 1.1,
              }),
            }
          : {}),
      });
      await answer.text();
      return answer.status;
    };
    counts.asked++;
    let status = await ask().catch(() => 0);
    if (status !== 200 && status !== 201) {
      counts.retried++;
      await pause(200);
      status = await ask().catch(() => 0);
    }
    if (status !== 200 && status !== 201) counts.failed++;
    else if (isReport) counts.tickets.add(ticket);
    await pause(5);
  }
}

async function statusOf(url: string, key?: string): Promise<number> {
  const answer = await fetch(url, key === undefined ? {} : { headers: { "X-API-Key": key } }).catch(
    () => null,
  );
  await answer?.text();
  return answer?.status ?? 0;
}

const NGINX = "/usr/sbin/nginx";

/** nginx with the example of deploy/, without its TLS; null where there is none. */
async function startNginx(
  directory: string,
  replicas: readonly RunningServer[],
): Promise<{ url: string; stop(): void } | null> {
  if (spawnSync(NGINX, ["-v"]).status !== 0) return null;
  const port = await freePort();
  let site = readFileSync(join(root, "deploy/nginx.conf"), "utf8")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/^\s*ssl_certificate.*$/gm, "");
  for (const [at, { port: own }] of replicas.entries()) site = site.replace(`:${3001 + at} `, `:${own} `);
  const file = join(directory, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(directory, `nginx-${kind}`)};`,
  );
  writeFileSync(
    file,
    `daemon off; pid ${join(directory, "nginx.pid")}; error_log stderr crit;\nevents {}\nhttp { access_log off; ${temporary.join(" ")}\n${site}\n}\n`,
  );
  const child: ChildProcess = spawn(NGINX, ["-c", file, "-p", directory], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => (await statusOf(`${url}/api/health/live`)) === 200, 10_000);
  return { url, stop: () => void child.kill("SIGTERM") };
}
