import { isMainThread } from "node:worker_threads";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { applicationName, POOLED_APPLICATION_NAME } from "./application-name";
import { Breaker } from "./breaker";
import { embeddedDatabaseUrl } from "./embedded/cluster-file";
import { Pool, type PoolOptions } from "./pool";
import * as schema from "./schema";

export type Database = PostgresJsDatabase<typeof schema> & { $client: postgres.Sql };
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** The object that runs a query: the database (its connection pool) or a transaction. */
export type DatabaseHandle = Database | Transaction;

/** URL of the database: DATABASE_URL, or the URL of the embedded database from its cluster file. */
export function databaseUrl(): string {
  const url = env().databaseUrl ?? embeddedDatabaseUrl(env().dataDir);
  if (!url) throw new Error("The embedded database has not been started yet");
  return url;
}

/** URL without a pooler, for session locks, LISTEN and long statements: DATABASE_DIRECT_URL, else `databaseUrl()`. */
export function directDatabaseUrl(): string {
  return env().databaseDirectUrl ?? databaseUrl();
}

/** Kind of a process, which determines its number of connections: HTTP server, page process, worker. */
export type ProcessKind = "front" | "pages" | "worker";

/**
 * `short`: short reads and writes of requests. `heavy`: long ones, such as sums, lists, exports, ingest and bulk
 * actions. `keys`: key look-ups. `worker`: jobs and operator commands.
 */
export type PoolName = "short" | "heavy" | "keys" | "worker";

/**
 * Number of connections of each pool by kind of process; a pool connects at its first use. Measured under full load:
 * 25. The HTTP server uses 11 (10 and one for LISTEN), the page process 5 (without `keys`, which only sign-ins with a
 * key use), the worker 9 (`short` 2, `heavy` 1, `worker` 4, one for the leader's lock, one for LISTEN). Each thread of
 * the worker adds 2 while it produces signals or trains.
 *
 * Further ones: one for LISTEN in the page process while live pages are open; for a moment one or two for a health probe
 * (a statement on a new connection, and LISTEN in a process that does not listen otherwise); up to 3 for a backup.
 */
const CONNECTIONS: Record<ProcessKind, Record<Exclude<PoolName, "worker">, number>> = {
  front: { short: 6, heavy: 3, keys: 1 },
  pages: { short: 3, heavy: 2, keys: 1 },
  worker: { short: 2, heavy: 1, keys: 1 },
};
const WORKER_CONNECTIONS = 4;
const WORKER_THREAD_CONNECTIONS = 2;

/** Maximum number of connections of a web replica (HTTP server and page process), LISTEN included, without probes. */
export const WEB_CONNECTIONS = 18;
/** Connections of the worker, as counted above, while one of its threads produces signals and another one trains. */
export const WORKER_PROCESS_CONNECTIONS = 13;

const kind = () => processWide<{ of: ProcessKind }>("connection-share", () => ({ of: "front" }));

/** Sets the kind of this process. Call it before the first use of the database. */
export function setProcessKind(of: ProcessKind): void {
  kind().of = of;
}

/** Time limits that PostgreSQL enforces per connection: `statement_timeout` and `lock_timeout`. */
export interface ServerTimeouts {
  statementMs: number;
  lockMs: number;
}

/**
 * Time limits of each pool. `limitMs` is above `statementMs`, so that PostgreSQL ends a slow statement first, unless
 * the statement has waited for its connection. For `short`, `limitMs` is below the three seconds within which the API
 * promises to answer a write. `lockMs` is shorter, so that a statement on a locked table fails early; payments and
 * rotations, which wait for locked rows, raise it (`lockWithRaisedTimeout`).
 */
const LIMITS: Record<PoolName, ServerTimeouts & Omit<PoolOptions, "max">> = {
  short: {
    statementMs: 2_000,
    lockMs: 400,
    waitMs: 1_500,
    limitMs: 2_300,
    transactionMs: 2_300,
    prepare: true,
  },
  heavy: {
    statementMs: 5_000,
    lockMs: 2_000,
    waitMs: 2_000,
    limitMs: 6_000,
    transactionMs: 12_000,
    prepare: false,
  },
  // The pool has one connection: a key look-up may wait for the running statement before its own one starts.
  keys: {
    statementMs: 1_400,
    lockMs: 200,
    waitMs: 1_000,
    limitMs: 1_500,
    transactionMs: 1_500,
    prepare: true,
  },
  // Long limits, because no request waits for this pool. A worker that lost the database notices it by the lost leader
  // lock and ends these connections.
  worker: {
    statementMs: 120_000,
    lockMs: 10_000,
    waitMs: 120_000,
    limitMs: 600_000,
    transactionMs: 600_000,
    prepare: false,
  },
};

/** Time limits and number of connections of a pool in this process. TUNING may raise the limits, except those of `worker`. */
export function poolOptions(name: PoolName): ServerTimeouts & PoolOptions {
  const inWorker = isMainThread ? WORKER_CONNECTIONS : WORKER_THREAD_CONNECTIONS;
  const max = name === "worker" ? inWorker : CONNECTIONS[kind().of][name];
  const { prepare, ...limits } = LIMITS[name];
  const factor = name === "worker" ? 1 : env().databaseTimeoutFactor;
  return {
    statementMs: limits.statementMs * factor,
    lockMs: limits.lockMs * factor,
    waitMs: limits.waitMs * factor,
    limitMs: limits.limitMs * factor,
    transactionMs: limits.transactionMs * factor,
    max,
    prepare: prepare && !isPooled(),
  };
}

/**
 * Driver options for at most `max` direct connections, with time limits for connecting, statements, locks and idle
 * transactions. The driver waits 0.1 seconds before it connects again, instead of a growing delay.
 */
export function connectionOptions(
  max: number,
  { statementMs, lockMs }: ServerTimeouts = {
    statementMs: 5_000,
    lockMs: 2_000,
  },
): postgres.Options<Record<string, postgres.PostgresType>> {
  return {
    max,
    connect_timeout: 2,
    idle_timeout: 60,
    max_lifetime: 30 * 60,
    backoff: () => 0.1,
    onnotice: () => undefined,
    connection: {
      application_name: applicationName(),
      TimeZone: "UTC",
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: 2 * statementMs,
    },
  };
}

/** Whether DATABASE_URL points to a pooler: assumed if DATABASE_DIRECT_URL is set. */
function isPooled(): boolean {
  return env().databaseDirectUrl !== null;
}

/** A new client for `databaseUrl()`, which may point to a pooler. */
function connect(max: number, limits?: ServerTimeouts, planning = {}): postgres.Sql {
  const { connection, ...options } = connectionOptions(max, limits);
  if (!isPooled()) return postgres(databaseUrl(), { ...options, connection: { ...connection, ...planning } });
  // A pooler in transaction mode may keep neither prepared statements nor limits of a connection. With a pooler, the
  // database role sets the limits.
  return postgres(databaseUrl(), {
    ...options,
    prepare: false,
    connection: { application_name: POOLED_APPLICATION_NAME, TimeZone: "UTC" },
  });
}

/** Makes PostgreSQL plan prepared statements for their actual values: a generic plan may be slow for some values. */
const PLANNED_EACH_TIME = { plan_cache_mode: "force_custom_plan" };

const pools = () => processWide("database-pools", () => new Map<PoolName, Pool>());

function poolOf(name: PoolName): Pool {
  const found = pools().get(name);
  if (found) return found;
  const { statementMs, lockMs, ...options } = poolOptions(name);
  const limits = { statementMs, lockMs };
  const open = () =>
    name === "worker"
      ? postgres(directDatabaseUrl(), workerOptions(options.max, limits))
      : connect(options.max, limits, name === "short" ? PLANNED_EACH_TIME : {});
  const pool = new Pool(options, breaker(), open);
  pools().set(name, pool);
  return pool;
}

/** Options of the worker's connections: a background transaction may be idle between statements for `statementMs`. */
function workerOptions(max: number, limits: ServerTimeouts): ReturnType<typeof connectionOptions> {
  const { connection, ...options } = connectionOptions(max, limits);
  return {
    ...options,
    connection: { ...connection, idle_in_transaction_session_timeout: limits.statementMs },
  };
}

const databases = () => processWide("databases", () => new Map<PoolName, Database>());

function databaseOf(name: PoolName): Database {
  const found = databases().get(name);
  if (found) return found;
  const made = drizzle(poolOf(name).client, { schema });
  databases().set(name, made);
  return made;
}

/**
 * The database for short reads and writes of requests, or for `heavy` ones, which have separate connections and limits.
 * Callers may keep it, for example during a long download: broken connections are replaced between statements.
 */
export function db(purpose: "short" | "heavy" = "short"): Database {
  return databaseOf(purpose);
}

/** The database for background work, with separate connections that bypass the pooler. */
export function workerDb(): Database {
  return databaseOf("worker");
}

/** The connection pool for key look-ups. */
export function keyPool(): Pool {
  return poolOf("keys");
}

/** The circuit breaker that all pools of this process share. The read replica has a separate one. */
export function breaker(): Breaker {
  return processWide(
    "database-breaker",
    () =>
      new Breaker(probeDatabase, () => {
        // Connections that were idle when the database stopped answering are dead, too.
        for (const pool of pools().values()) pool.replace();
      }),
  );
}

/** Classes of error codes that show no usable server: 08, a pooler without a server; 57P, a server that starts or stops. */
const NO_SERVICE = /^(?:08|57P)/;

/** Sends a trivial statement over a new connection. Resolves if a running server answers, even with an error. */
export async function probeDatabase(): Promise<void> {
  const client = connect(1);
  try {
    await client`select 1`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || NO_SERVICE.test(error.code)) throw error;
  } finally {
    void client.end({ timeout: 0 }).catch(() => undefined);
  }
}

/** Closes the worker's connections at once, so that work in progress on them fails. The next `workerDb()` opens new ones. */
export async function abandonWorkerDb(): Promise<void> {
  await close("worker", 0);
}

/** Closes all pools of this process except the read replica's. Work in progress has two seconds to finish. */
export async function closePools(): Promise<void> {
  await Promise.allSettled([...pools().keys()].map((name) => close(name, 2)));
}

async function close(name: PoolName, seconds: number): Promise<void> {
  const pool = pools().get(name);
  pools().delete(name);
  databases().delete(name);
  await pool?.end(seconds);
}
