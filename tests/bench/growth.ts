import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abandonWorkerDb, workerDb } from "@/db/client";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { adminPaths, paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { forgetProcessValue } from "@/lib/runtime/process-wide";
import { WORKER_JOBS } from "@/lib/server/worker/jobs";
import { ADMIN_SECRET, testEnvironment } from "@/tests/support/database";
import { fillGrowth, SHORTEST_TIMEFRAME } from "./growth-data";
import { type BenchService, startBenchService } from "./service";

/**
 * Number of signals; executions and candles are half as many. GROWTH_SIGNALS sets others, such as `1000000,10000000`.
 */
const SIZES = (process.env.GROWTH_SIGNALS ?? "10000,1000000").split(",").map(Number);
const SUBSCRIBERS = 20_000;
const ROUNDS = 25;
const JOB_ROUNDS = 5;
const MAX_GROWTH = 1.3;
const MAX_PAGE_MS = 100;
/** Slowdown in milliseconds up to which a read counts as constant, because a shared machine is noisy. */
const NOISE_MS = 5;
/** Jobs that are not measured: they invent signals, train for minutes, or run as long as the worker leads. */
const LEFT_OUT = new Set(["demo-market", "training", "feeds"]);
/** GROWTH_DATA names a folder in which filled databases are kept for the next run. */
const KEPT = process.env.GROWTH_DATA;
/** GROWTH_ONLY is a regular expression that selects by name, such as `^job` or `/admin/models`. */
const ONLY = new RegExp(process.env.GROWTH_ONLY ?? "");

const READS = [
  "/api/scan",
  "/api/scan?expand=validity",
  `/api/signals/GRO01/${SHORTEST_TIMEFRAME}?limit=1000`,
  "/api/history/predictions",
  "/api/history/predictions?days=365",
  "/api/account/me",
  "/api/account/signals",
  "/api/account/signals?days=90&limit=500",
  "/api/account/executions",
  "/api/account/executions?days=365&limit=1000",
  "/api/ea-status?explain=true",
  "/api/status",
  "/api/performance",
  "/api/performance?days=365",
  "/api/calibration?days=30",
  "/api/calibration",
  "/api/calibration?days=365",
  "/api/calibration?expand=slots",
  "/api/models",
  "/api/health",
  "/api/public/stats",
];

const ADMIN_READS = [
  "/admin/keys",
  "/admin/keys?limit=100",
  "/admin/keys?q=person77",
  "/admin/monitoring-data",
];

/** Some public pages; bench/record.ts measures those of the public record. */
const PUBLIC_PAGES = [paths.home(), paths.status(), paths.docs(), paths.docs("reference"), paths.changelog()];

const PORTAL_PAGES = [
  paths.portal(),
  paths.portalSignals(),
  paths.portalSignalHistory(),
  paths.portalSignalHistory({ symbol: "GRO01", days: "90" }),
  paths.portalSlot("GRO01", SHORTEST_TIMEFRAME),
  paths.portalResults(),
  paths.portalResults({ days: "365" }),
  paths.portalExecutionList(),
  paths.portalExecutionList({ sort: "pnl" }),
  paths.portalExecutionList({ days: "365", symbol: "GRO01" }),
  paths.portalPosition(10),
  paths.portalKey(),
  paths.portalPayments(),
  paths.portalSetup(),
  paths.portalDelivery(),
  paths.portalSettings(),
];

const ADMIN_PAGES = [
  adminPaths.overview(),
  adminPaths.search({ q: "person77" }),
  adminPaths.subscribers(),
  adminPaths.subscribers({ q: "person77" }),
  adminPaths.subscriber(77),
  adminPaths.stopMany(),
  adminPaths.signals(),
  adminPaths.slot("GRO01", SHORTEST_TIMEFRAME),
  adminPaths.models(),
  adminPaths.model("GRO01", SHORTEST_TIMEFRAME),
  adminPaths.payments(),
  adminPaths.paymentWeeks(),
  adminPaths.platforms(),
  adminPaths.credits(),
  adminPaths.delivery(77),
  adminPaths.mail(),
  adminPaths.mailMessage(77),
  adminPaths.mailTemplates(),
  adminPaths.sendNotice(),
  adminPaths.outbound(),
  adminPaths.settings(),
  adminPaths.people(),
  adminPaths.plans(),
  adminPaths.products(),
  adminPaths.symbols(),
  adminPaths.settingsPage("brand"),
  adminPaths.texts(),
  adminPaths.calendars(),
  adminPaths.thresholds(),
  adminPaths.settingsPage("access"),
  adminPaths.feeds(),
  adminPaths.alerts(),
  adminPaths.operations(),
  adminPaths.audit(),
];

interface Measured {
  /** Median without the first request; null if a status was not 200. */
  p50Ms: number | null;
  p99Ms: number | null;
  firstMs: number;
  status: number;
  bytes: number;
}

/**
 * Measures API reads, pages and the worker's jobs with histories of growing size of the same slots and 20,000
 * subscribers. The state versions are raised before each request, as by a signal and an outcome, so that API answers
 * cached by version are not used; other answers and pages may come from short-lived caches.
 */
export async function benchGrowth(): Promise<string[]> {
  const lines: string[] = [];
  const tables: Map<string, Measured>[] = [];
  for (const size of SIZES) {
    const service = await startBenchService(
      { MARKET_FEED: "off", WORKER: "none", TRUST_PROXY_HOPS: "1" },
      keptDirectory(size),
    );
    try {
      const { filled, table } = await measureSize(service, size);
      tables.push(table);
      lines.push(filled, ...[...table].map(([name, measured]) => line(name, measured)), "");
    } finally {
      await service.stop();
    }
  }
  lines.push(...growth(tables));
  return lines;
}

async function measureSize(
  service: BenchService,
  size: number,
): Promise<{ filled: string; table: Map<string, Measured> }> {
  const { sql, server } = service;
  const startedAt = performance.now();
  const key = readKeptKey(size) ?? (await fill(sql, size));
  const [facts] = await sql<{ size: string; earliest: Date }[]>`
    select pg_size_pretty(pg_database_size(current_database())) as size, (select min(ts) from signals) as earliest`;
  const filled = `${size} signals since ${facts?.earliest.toISOString().slice(0, 10)}, ${size / 2} executions (a tenth of them of the measured subscriber), ${size / 2} candles: ${facts?.size}, ready in ${seconds(startedAt)} s`;
  process.stdout.write(`${filled}\n`);

  Object.assign(process.env, testEnvironment(service.databaseUrl, { LOG_LEVEL: "warn" }));
  const table = new Map<string, Measured>();
  const note = (name: string, measured: Measured) => {
    table.set(name, measured);
    process.stdout.write(`${line(name, measured)}\n`);
  };
  await measureJobs(note);

  const read = (path: string, headers: Record<string, string>) =>
    measure(
      () =>
        fetch(`${server.url}${path}`, {
          headers: { ...headers, "X-Forwarded-For": nextAddress() },
          redirect: "manual",
        }),
      () => moveVersions(sql),
    );
  const readAll = async (addresses: string[], headers: Record<string, string>, prefix = "") => {
    for (const path of addresses.filter((one) => ONLY.test(prefix + one)))
      note(prefix + path, await read(path, headers));
  };
  await readAll(READS, { "X-API-Key": key });
  await readAll(ADMIN_READS, { "X-Admin-Secret": ADMIN_SECRET });
  const visitor = { Accept: "text/html" };
  await readAll(PUBLIC_PAGES, visitor, "page ");
  const subscriber = await signIn(`${server.url}${paths.signInByKey()}`, { api_key: key });
  await readAll(PORTAL_PAGES, { ...visitor, Cookie: subscriber }, "page ");
  const operator = await signIn(`${server.url}${adminPaths.signInForm()}`, { secret: ADMIN_SECRET });
  await readAll(ADMIN_PAGES, { ...visitor, Cookie: operator }, "page ");
  return { filled, table };
}

let asked = 0;

/** Another client address for each request, because an address is limited to 600 pages a minute. */
function nextAddress(): string {
  asked++;
  return `198.18.${(asked >> 8) & 255}.${asked & 255}`;
}

function keptDirectory(size: number): string | undefined {
  if (KEPT === undefined) return undefined;
  const directory = join(KEPT, String(size));
  // An incompletely filled database is filled again.
  if (existsSync(directory) && readKeptKey(size) === null) rmSync(directory, { recursive: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}

const keyFile = (size: number) => (KEPT === undefined ? null : join(KEPT, String(size), "key"));

function readKeptKey(size: number): string | null {
  const file = keyFile(size);
  return file !== null && existsSync(file) ? readFileSync(file, "utf8") : null;
}

async function fill(sql: BenchService["sql"], size: number): Promise<string> {
  const key = await fillGrowth(sql, {
    signals: size,
    executions: size / 2,
    candles: size / 2,
    subscribers: SUBSCRIBERS,
  });
  const file = keyFile(size);
  if (file !== null) writeFileSync(file, key);
  return key;
}

async function measureJobs(note: (name: string, measured: Measured) => void): Promise<void> {
  const { signal } = new AbortController();
  for (const job of WORKER_JOBS) {
    if (LEFT_OUT.has(job.name) || !ONLY.test(`job ${job.name}`)) continue;
    const times: number[] = [];
    let failed = false;
    // The job `signals` would run in a thread, which keeps its connections to the first size's database.
    const run = async () => {
      if (job.name === "signals") await produceDueSignals(workerDb(), signal);
      else await job.run({ signal });
    };
    for (let round = 0; round <= JOB_ROUNDS && !failed; round++) {
      const at = performance.now();
      await run().catch((error: unknown) => {
        process.stderr.write(`job ${job.name}: ${String(error)}\n`);
        failed = true;
      });
      times.push(performance.now() - at);
    }
    note(`job ${job.name}`, summed(times, failed ? 500 : 200, 0));
  }
  // Each size has its own database, named in the environment.
  await abandonWorkerDb();
  forgetProcessValue("env", env());
}

async function measure(ask: () => Promise<Response>, before: () => Promise<void>): Promise<Measured> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    await before();
    const at = performance.now();
    const answer = await ask();
    bytes = (await answer.arrayBuffer()).byteLength;
    times.push(performance.now() - at);
    // Health is degraded in this bench, because no signals arrive.
    if (answer.status !== 200 && !answer.url.endsWith("/api/health"))
      return summed(times, answer.status, bytes);
  }
  return summed(times, 200, bytes);
}

function summed(times: number[], status: number, bytes: number): Measured {
  const [firstMs = 0, ...warm] = times;
  warm.sort((a, b) => a - b);
  const at = (share: number) => warm[Math.min(warm.length - 1, Math.floor(share * warm.length))] ?? firstMs;
  const answered = status === 200;
  return { p50Ms: answered ? at(0.5) : null, p99Ms: answered ? at(0.99) : null, firstMs, status, bytes };
}

/** Raises the versions that a new signal, outcome, model and report of the measured subscriber raise. */
async function moveVersions(sql: BenchService["sql"]): Promise<void> {
  await sql`update state_versions set signals = signals + 1, outcomes = outcomes + 1, models = models + 1`;
  await sql`update execution_versions set version = version + 1
    where subscription_id = (select id from subscriptions where user_name = 'bench 1')`;
}

function line(name: string, { p50Ms, p99Ms, firstMs, status, bytes }: Measured): string {
  const figure = (ms: number | null) => (ms === null ? "-" : ms.toFixed(1)).padStart(8);
  return `${name.padEnd(46)} p50 ${figure(p50Ms)}  p99 ${figure(p99Ms)}  first ${figure(firstMs)} ms  ${(bytes / 1000).toFixed(0).padStart(6)} kB${status === 200 ? "" : `  answered ${status}`}`;
}

function growth(tables: Map<string, Measured>[]): string[] {
  const lines: string[] = [];
  const [before, after] = tables.slice(-2);
  const last = tables.at(-1);
  const slow = [...(last ?? [])].filter(
    ([name, { p50Ms }]) => name.startsWith("page ") && (p50Ms ?? Number.POSITIVE_INFINITY) > MAX_PAGE_MS,
  );
  lines.push(`pages over ${MAX_PAGE_MS} ms: ${slow.map(([name]) => name.slice(5)).join(", ") || "none"}`);
  if (!before || !after) return lines;
  const grown = [...after].flatMap(([name, { p50Ms }]) => {
    const former = before.get(name)?.p50Ms ?? null;
    if (p50Ms === null) return [`${name} (not answered)`];
    if (former === null || p50Ms < former + NOISE_MS || p50Ms / former <= MAX_GROWTH) return [];
    return [`${name} (x ${(p50Ms / former).toFixed(2)})`];
  });
  lines.push(`grown by more than ${MAX_GROWTH} in the last step: ${grown.join(", ") || "none"}`);
  return lines;
}

async function signIn(url: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  if (cookies.length === 0) throw new Error(`the bench could not sign in at ${url}: ${answer.status}`);
  return cookies.join("; ");
}

const seconds = (sinceMs: number) => ((performance.now() - sinceMs) / 1000).toFixed(0);
