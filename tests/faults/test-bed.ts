import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import {
  type EmbeddedDatabase,
  isEmbeddedDatabaseDown,
  pickFreePort,
  startEmbeddedDatabase,
} from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { sha256 } from "@/lib/runtime/secrets";
import { makeKeys } from "@/tests/bench/service";
import { testEnvironment } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import { type RunningRedis, startRedis } from "@/tests/support/redis";
import type { RunOptions } from "@/tests/support/run-named";
import { type RunningServer, startProcess, startServer, waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { type Attempt, JournalledClient, MAX_RESPONSE_MS } from "./journal";
import { PAYMENT_SECRET, PaymentSender } from "./payment-sender";

const CLIENTS = 4;
/** Maximum time in milliseconds from the end of a fault until the service is ready and accepts reports. */
const READY_MS = 5_000;
const GIVE_UP_MS = 60_000;
/** Maximum number of entries in each printed list: late answers, repeated requests, injected faults. */
const MAX_LISTED = 5;
/** Maximum time for PostgreSQL to exit; after five seconds it kills its own processes. */
const STOPPED_WITHIN_MS = 15_000;
/** Number of lines of each log that are printed when a service does not recover. */
const LINES_TOLD = 12;

export interface TestBedOptions {
  instances?: number;
  redis?: boolean;
  /** Whether the background jobs run in a separate process. */
  worker?: boolean;
  /** For a shared machine: late answers and recoveries are printed but do not fail the run. */
  isPatient?: boolean;
  /** Additional environment variables of the instance with this index. */
  environmentOf?: (instance: number) => Record<string, string>;
}

/**
 * Instances of the built server over one PostgreSQL, which each of them reaches through its own network proxy, with
 * trading clients and a payment platform that keep journals.
 */
export class TestBed {
  readonly dice: Dice;
  readonly servers: RunningServer[] = [];
  readonly proxies: TcpProxy[] = [];
  readonly #restarts = new Map<number, () => Promise<RunningServer>>();
  #clients: JournalledClient[] = [];
  #payer: PaymentSender | null = null;
  #owners: number[] = [];
  #slowestReadyMs = 0;
  #lateReady = 0;
  #recoveries = 0;
  #heedsRetryAfter = false;
  #worker: RunningServer | null = null;
  /** Times in which PostgreSQL, which all instances share, was stopped or suspended. */
  readonly #outages: { from: number; until: number }[] = [];
  /** Times of the faults that `inject` ran, for descriptions of failures. */
  readonly #injected: { from: number; until: number; name: string }[] = [];
  redis: RunningRedis | null = null;

  private constructor(
    readonly directory: string,
    readonly database: EmbeddedDatabase,
    readonly sql: postgres.Sql,
    readonly options: RunOptions,
    readonly isPatient: boolean,
  ) {
    this.dice = new Dice(options.seed);
  }

  static async open(options: RunOptions, wish: TestBedOptions = {}): Promise<TestBed> {
    const directory = temporaryDirectory("signal-faults-");
    process.env.TEST_DIRECTORY = directory;
    const database = await startEmbeddedDatabase(directory);
    await migrateDatabase(database.url);
    // This process reads the database directly and may have to reconnect after a fault.
    const sql = postgres(database.url, { max: 2, onnotice: () => undefined, connect_timeout: 5 });
    const bed = new TestBed(directory, database, sql, options, wish.isPatient ?? false);
    if (wish.redis) bed.redis = await startRedis();
    for (let n = 0; n < (wish.instances ?? 1); n++) await bed.#addServer(n, wish);
    if (wish.worker) await bed.restartWorker();
    return bed;
  }

  async #addServer(n: number, wish: TestBedOptions): Promise<void> {
    const { proxy, through } = await openProxyTo(this.database.url);
    const port = String(await pickFreePort());
    const start = () =>
      startServer(through, {
        PORT: port,
        LOG_LEVEL: "warn",
        LOG_FILE: join(this.directory, `server-${n}.log`),
        PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
        MARKET_FEED: "off",
        TRUST_PROXY_HOPS: "1",
        ...(wish.worker ? { WORKER: "none" } : {}),
        ...(this.redis ? { REDIS_URL: this.redis.url } : {}),
        ...wish.environmentOf?.(n),
      });
    this.#restarts.set(n, start);
    this.proxies.push(proxy);
    this.servers.push(await start());
  }

  /** Starts the instance with this index again, on its former port. */
  async restart(n: number): Promise<void> {
    const start = this.#restarts.get(n);
    if (start) this.servers[n] = await start();
  }

  /** Stops an instance with SIGTERM and starts it again. Throws unless it exits with 0. */
  async restartCleanly(n: number): Promise<void> {
    const code = await this.servers[n]?.stop();
    if (code !== 0) throw new Error(`the process ended with ${code}`);
    await this.restart(n);
  }

  async killAndRestart(n: number): Promise<void> {
    await this.servers[n]?.kill();
    await this.restart(n);
  }

  /** Kills the worker, if any, and starts another. */
  async restartWorker(): Promise<void> {
    await this.#worker?.kill();
    const environment = testEnvironment(this.database.url, {
      LOG_LEVEL: "warn",
      LOG_FILE: join(this.directory, "worker.log"),
      MARKET_FEED: "off",
    });
    this.#worker = await startProcess("worker.mjs", environment, 0, () => true);
  }

  /** Process id of PostgreSQL's postmaster. */
  #postmaster(): number {
    const [pid] = readFileSync(join(this.directory, "postgres/postmaster.pid"), "utf8").split("\n");
    return Number(pid);
  }

  /** Stops PostgreSQL immediately, as in a power cut, and starts it after `downMs`. */
  async stopDatabase(downMs: number): Promise<void> {
    await this.#whileAway(async () => {
      // SIGQUIT is its immediate shutdown: no checkpoint, and recovery from the WAL at the next start.
      process.kill(this.#postmaster(), "SIGQUIT");
      await pause(downMs);
      // Waits for the exit, because a process with a pending signal would look alive.
      await waitUntil(async () => isEmbeddedDatabaseDown(this.directory), STOPPED_WITHIN_MS);
      await startEmbeddedDatabase(this.directory);
    });
  }

  /** Suspends all processes of PostgreSQL for `ms` milliseconds: connections stay open without answers. */
  async hangDatabase(ms: number): Promise<void> {
    const postmaster = this.#postmaster();
    const children = () => childrenOf(postmaster);
    await this.#whileAway(async () => {
      for (const pid of [postmaster, ...children()]) signal(pid, "SIGSTOP");
      await pause(ms);
      for (const pid of [...children(), postmaster]) signal(pid, "SIGCONT");
    });
  }

  async #whileAway(fault: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await fault();
    this.#outages.push({ from, until: performance.now() });
  }

  /**
   * Starts the trading clients and the payment platform, and waits for the first acknowledged report. `address` returns
   * the server for an attempt. With `heedRetryAfter` they wait for Retry-After before a repetition.
   */
  async begin(
    address = (turn: number) => this.servers[turn % this.servers.length]?.url ?? "",
    heedRetryAfter = false,
  ): Promise<void> {
    this.#heedsRetryAfter = heedRetryAfter;
    const keys = await makeKeys(this.sql, CLIENTS, "owner");
    await this.sql`update api_keys set rate_limit_per_min = 100000`;
    const rows = await this.sql<{ id: number }[]>`select subscription_id as id from api_keys order by id`;
    this.#owners = rows.map(({ id }) => id);
    this.#clients = keys.map((key) => new JournalledClient(address, key, heedRetryAfter));
    this.#payer = new PaymentSender(address, heedRetryAfter);
    for (const client of [...this.#clients, this.#payer]) client.start();
    await this.#waitForReports();
  }

  /** Creates a key with a new subscription. */
  async makeKey(): Promise<string> {
    const [key = ""] = await makeKeys(this.sql, 1, "owner");
    return key;
  }

  /** Sets a key's end to the database's time plus this interval, such as "-1 minute". */
  async endKey(key: string, interval: string): Promise<void> {
    await this.sql`
      update api_keys set expires_at = now() + ${interval}::text::interval where key_hash = ${sha256(key)}`;
  }

  /**
   * Repeats a fault and waits for the recovery after each: `--rounds` times or for `--minutes`, whichever ends first,
   * or `usual` times without either, an hour at most without `--minutes`. `inject` resolves at the end of the fault.
   * Returns the number of rounds.
   */
  async repeat(usual: number, inject: (round: number) => Promise<void>): Promise<number> {
    const { rounds, minutes } = this.options;
    const until = performance.now() + (minutes ?? 60) * 60_000;
    const most = rounds ?? (minutes === null ? usual : Number.POSITIVE_INFINITY);
    let round = 0;
    for (; round < most && (round === 0 || performance.now() < until); round++) {
      await pause(100 + this.dice.below(400));
      await inject(round);
      await this.#recover();
    }
    return round;
  }

  /** Runs a fault and records its name and times. */
  async inject(name: string, fault: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await fault();
    this.#injected.push({ from, until: performance.now(), name });
  }

  /** Describes an attempt, with the faults during it or within five seconds before. */
  #describe({ from, until, outcome }: Attempt): string {
    const around = this.#injected
      .filter((fault) => fault.from < until && fault.until > from - READY_MS)
      .map((fault) => `${fault.name} from ${seconds(fault.from - from)} to ${seconds(fault.until - from)}`);
    return `${outcome} after ${Math.round(until - from)} ms (${around.join(", ") || "no fault"})`;
  }

  /**
   * Waits until every instance is ready and, with trading clients, until a further report is acknowledged. Records the
   * time until then; with clients that wait for Retry-After, only the time until the instances are ready.
   */
  async #recover(): Promise<void> {
    const from = performance.now();
    await Promise.all(this.servers.map(({ url }) => this.#waitForReady(url)));
    const readyMs = performance.now() - from;
    if (this.#clients.length > 0) await this.#waitForReports();
    const ms = this.#heedsRetryAfter ? readyMs : performance.now() - from;
    this.#recoveries++;
    this.#slowestReadyMs = Math.max(this.#slowestReadyMs, ms);
    if (ms > READY_MS) this.#lateReady++;
  }

  async #waitForReady(url: string): Promise<void> {
    const until = performance.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => null,
      );
      if (answer?.status === 200) return;
      if (performance.now() > until) {
        const said = answer === null ? "no answer" : `${answer.status} ${await answer.text()}`;
        throw new Error(
          `an instance is not ready a minute after the fault: ${said}\n${this.#surroundings()}`,
        );
      }
      await pause(50);
    }
  }

  /** Context for a failed recovery: the last faults, and the ends of the logs. */
  #surroundings(): string {
    const lastFaults = this.#injected.slice(-MAX_LISTED).map(({ name }) => name);
    const logs = ["postgres.log", ...this.servers.map((_, n) => `server-${n}.log`)].map((file) => {
      const lines = readFileSync(join(this.directory, file), "utf8").trimEnd().split("\n");
      return `${file}:\n${lines.slice(-LINES_TOLD).join("\n")}`;
    });
    const state = isEmbeddedDatabaseDown(this.directory) ? "is down" : "runs";
    return [`PostgreSQL ${state}; latest ${lastFaults.join(", ") || "no named fault"}`, ...logs].join("\n");
  }

  async #waitForReports(): Promise<void> {
    const acknowledged = () => this.#clients.reduce((sum, client) => sum + client.acknowledged, 0);
    const before = acknowledged();
    const until = performance.now() + GIVE_UP_MS;
    while (acknowledged() <= before) {
      if (performance.now() > until)
        throw new Error(`no report is accepted a minute after the fault\n${this.#surroundings()}`);
      await pause(20);
    }
  }

  /**
   * Stops the clients and compares their journals with the tables. Throws when something was lost, duplicated or
   * stuck, an answer was too late, or the service was not ready in time. Returns the lines to print.
   */
  async judge(what: string): Promise<string[]> {
    const senders = [...this.#clients, ...(this.#payer ? [this.#payer] : [])];
    await Promise.all(senders.map((sender) => sender.stop()));
    for (const [n, client] of this.#clients.entries()) await client.judge(this.sql, this.#owners[n] ?? 0);
    await this.#payer?.judge(this.sql);
    const waits = senders.map((sender) => sender.waits);
    const sum = (count: (one: (typeof waits)[number]) => number) =>
      waits.reduce((n, one) => n + count(one), 0);
    const longest = waits.reduce((most, one) => (one.longestMs > most.longestMs ? one : most));
    const reports = this.#clients.reduce((n, client) => n + client.acknowledged, 0);
    const late = waits.flatMap((one) => one.lateOnes);
    const lines = [
      what,
      `${reports} reports and ${this.#payer?.acknowledged ?? 0} payments acknowledged: 0 lost, 0 doubled, no mail stuck`,
      `${sum((one) => one.attempts)} attempts, ${sum((one) => one.failed)} failed and repeated, ${sum((one) => one.repeatedTwice.length)} requests needed more than one repetition (at most ${Math.max(...waits.map((one) => one.mostRepeats))}), ${this.#neededTwoRepeats.length} of them with PostgreSQL there`,
      `answers over ${MAX_RESPONSE_MS} ms: ${late.length} (longest ${Math.round(longest.longestMs)} ms: ${longest.longest})`,
      ...(this.#recoveries === 0
        ? []
        : [
            `ready again after ${Math.round(this.#slowestReadyMs)} ms at most, over ${READY_MS} ms: ${this.#lateReady} of ${this.#recoveries}`,
          ]),
      ...late.slice(0, MAX_LISTED).map((one) => `late: ${this.#describe(one)}`),
      ...(this.servers.length > 1 ? this.#neededTwoRepeats.slice(0, MAX_LISTED) : []).map(
        (failures) =>
          `needed a second repetition: ${failures
            .slice(0, MAX_LISTED)
            .map((one) => this.#describe(one))
            .join("; then ")}`,
      ),
    ];
    if (!this.isPatient && (late.length > 0 || this.#lateReady > 0)) throw new Error(lines.join("\n"));
    return lines;
  }

  /**
   * Whether every report and payment was acknowledged at its first or second attempt. Requests do not count if all their
   * failures fell into a time without PostgreSQL or the five seconds after it.
   */
  get oneRepeatWasEnough(): boolean {
    return this.#neededTwoRepeats.length === 0;
  }

  get #neededTwoRepeats(): Attempt[][] {
    const wasAway = (attempt: Attempt) =>
      this.#outages.some(({ from, until }) => attempt.from < until + READY_MS && attempt.until > from);
    const things = [...this.#clients, ...(this.#payer ? [this.#payer] : [])].flatMap(
      ({ waits }) => waits.repeatedTwice,
    );
    return things.filter((failures) => !failures.every(wasAway));
  }

  async close(): Promise<void> {
    for (const client of [...this.#clients, ...(this.#payer ? [this.#payer] : [])]) await client.stop();
    await this.sql.end({ timeout: 2 });
    for (const server of this.servers) await server.kill();
    await this.#worker?.kill();
    for (const proxy of this.proxies) await proxy.cut();
    await this.redis?.stop();
    await this.database.stop();
  }
}

/** Runs a scenario with a new set of processes, and stops them at its end. */
export async function withTestBed(
  options: RunOptions,
  wish: TestBedOptions,
  play: (bed: TestBed) => Promise<string[]>,
): Promise<string[]> {
  const bed = await TestBed.open(options, wish);
  try {
    return await play(bed);
  } finally {
    await bed.close();
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function childrenOf(pid: number): number[] {
  try {
    return execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
      .split("\n")
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended in the meantime.
  }
}
