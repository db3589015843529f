import { isMainThread } from "node:worker_threads";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { Breaker } from "./breaker";
import { embeddedDatabaseUrl } from "./embedded/address";
import { Pool, type PoolOptions } from "./pool";
import * as schema from "./schema";

export type Database = PostgresJsDatabase<typeof schema> & { $client: postgres.Sql };
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** What a query takes: the pool, or the transaction it belongs to. */
export type Handle = Database | Transaction;

/** Address of the database in force: DATABASE_URL, else what the embedded database recorded at its start. */
export function databaseUrl(): string {
  const url = env().databaseUrl ?? embeddedDatabaseUrl(env().dataDir);
  if (!url) throw new Error("The embedded database has not been started yet");
  return url;
}

/** Address without a pooler in between, for what belongs to one connection: a lock, listening, long statements. */
export function directDatabaseUrl(): string {
  return env().databaseDirectUrl ?? databaseUrl();
}

/** Which process this is, for the number of its connections. */
export type ConnectionShare = "front" | "pages" | "worker";

/** `short`: reads and writes of requests. `heavy`: sums, lists, exports, ingest. `keys`: the look-up of keys. */
export type PoolName = "short" | "heavy" | "keys" | "worker";

/**
 * Connections of each process. One installation takes 25: the front 11 (10 and one that listens), the pages 5, the worker 9
 * (7, one that holds its lead and one that listens). Each thread of the worker takes 2 more while it makes signals or trains,
 * and a process that suspects the database one for a moment. Measured under load with everything in use: 25.
 */
const CONNECTIONS: Record<ConnectionShare, Record<Exclude<PoolName, "worker">, number>> = {
  front: { short: 6, heavy: 3, keys: 1 },
  pages: { short: 3, heavy: 2, keys: 1 },
  worker: { short: 2, heavy: 1, keys: 1 },
};
const WORKER_CONNECTIONS = 4;
const WORKER_THREAD_CONNECTIONS = 2;

/** The most that a web replica takes, and that the worker takes with its threads. */
export const WEB_CONNECTIONS = 16;
export const WORKER_PROCESS_CONNECTIONS = 13;

const share = () => processWide<{ of: ConnectionShare }>("connection-share", () => ({ of: "front" }));

/** Says which process this is. To be called before the first use of the database. */
export function setConnectionShare(of: ConnectionShare): void {
  share().of = of;
}

/** Limits that PostgreSQL keeps for each connection. */
export interface ServerLimits {
  statementMs: number;
  lockMs: number;
}

/**
 * The limit for an answer is a little more than the longest statement, and for a request's short reads and writes below the
 * three seconds within which everything is answered. A lock is waited for briefly, so that a locked table shows at once; a
 * transaction that waits for rows says so (`raiseLockTimeout`).
 */
const LIMITS: Record<PoolName, ServerLimits & Omit<PoolOptions, "max">> = {
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
  // A call may wait for the statement under way and then for its own.
  keys: {
    statementMs: 1_400,
    lockMs: 200,
    waitMs: 1_000,
    limitMs: 1_500,
    transactionMs: 1_500,
    prepare: true,
  },
  // No request waits for it. A worker that lost the database is found by its lead and ends these connections.
  worker: {
    statementMs: 120_000,
    lockMs: 10_000,
    waitMs: 120_000,
    limitMs: 600_000,
    transactionMs: 600_000,
    prepare: false,
  },
};

/** The limits of a pool and its connections in this process. */
export function poolOptions(name: PoolName): ServerLimits & PoolOptions {
  const inWorker = isMainThread ? WORKER_CONNECTIONS : WORKER_THREAD_CONNECTIONS;
  const max = name === "worker" ? inWorker : CONNECTIONS[share().of][name];
  return { ...LIMITS[name], max, prepare: LIMITS[name].prepare && !isPooled() };
}

/**
 * Connection options shared by every pool of the service. Everything that can hang has a limit, and an
 * unreachable server is tried again at once on the next query instead of after a growing pause.
 */
export function connectionOptions(
  max: number,
  { statementMs, lockMs }: ServerLimits = {
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
      application_name: "signal-delivery-service",
      TimeZone: "UTC",
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: 2 * statementMs,
    },
  };
}

/** A direct address beside the ordinary one says that the ordinary one leads to a pooler. */
function isPooled(): boolean {
  return env().databaseDirectUrl !== null;
}

/** A client of the ordinary address. */
function connect(max: number, limits?: ServerLimits, planning = {}): postgres.Sql {
  const { connection, ...options } = connectionOptions(max, limits);
  if (!isPooled()) return postgres(databaseUrl(), { ...options, connection: { ...connection, ...planning } });
  // A pooler in transaction mode keeps neither names of statements nor limits of a connection: the role has the limits.
  const { application_name, TimeZone } = { TimeZone: "UTC", ...connection };
  return postgres(databaseUrl(), {
    ...options,
    prepare: false,
    connection: { application_name, TimeZone },
  });
}

/** Prepared statements of any kind: a plan that was made without the values may not suit them. */
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

/** Work between two statements of a background transaction may take as long as a statement. */
function workerOptions(max: number, limits: ServerLimits): ReturnType<typeof connectionOptions> {
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
 * The database: for short reads and writes of requests, or for `heavy` ones, which have connections and limits apart. It may
 * be kept: a download of minutes outlives connections that are replaced between two of its statements.
 */
export function db(purpose: "short" | "heavy" = "short"): Database {
  return databaseOf(purpose);
}

/** The database for background work, with connections apart from those of requests and past a pooler. */
export function workerDb(): Database {
  return databaseOf("worker");
}

/** The connection for the look-up of keys. */
export function keyPool(): Pool {
  return poolOf("keys");
}

/** Whether the database answers, as far as this process has seen. */
export function breaker(): Breaker {
  return processWide(
    "database-breaker",
    () =>
      new Breaker(probeDatabase, () => {
        // Idle connections are as dead as the busy ones.
        for (const pool of pools().values()) pool.replace();
      }),
  );
}

/** Answers of a pooler without a server, and of a server that stops or starts. */
const NO_SERVICE = /^(?:08|57P)/;

/** Asks the database one trivial thing over a new connection. Any answer of a running server will do. */
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

/** Ends all work that waits for an answer over the worker's connections; the next use opens others. */
export async function abandonWorkerDb(): Promise<void> {
  await close("worker", 0);
}

/** Ends every pool of this process, with a moment for what is under way. */
export async function closePools(): Promise<void> {
  await Promise.allSettled([...pools().keys()].map((name) => close(name, 2)));
}

async function close(name: PoolName, seconds: number): Promise<void> {
  const pool = pools().get(name);
  pools().delete(name);
  databases().delete(name);
  await pool?.end(seconds);
}
