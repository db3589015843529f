import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { forget, processWide } from "@/lib/runtime/process-wide";
import { isPagesThread } from "@/lib/runtime/processes";
import { askTwice } from "./ask-twice";
import { Breaker } from "./breaker";
import { embeddedDatabaseUrl } from "./embedded/address";
import { guarding } from "./guarded-transaction";
import { type ClientLimits, limited } from "./limited-client";
import { pooledClient, type ServerLimits } from "./pooled-client";
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

/** What a connection is for. Each purpose has a pool of its own, so that none can take another's connections. */
export type Purpose = "writes" | "reads" | "statistics" | "pages" | "ingest";

interface PoolOptions extends ClientLimits, ServerLimits {
  /**
   * Each connection prepares a text once and plans it anew each time, so that there is no plan for values that it was not
   * made for (decision 344). Not where texts grow with their data: each stays prepared as long as its connection lives.
   */
  isPrepared?: boolean;
}

/** Early enough to be asked once more, or by a balancer of another instance, which it asks within 1.5 s. */
const LIMIT_IN_DOUBT_MS = 700;

/**
 * The pools of the thread that answers the interface. With those of the thread that makes pages (11, below), the look-up of
 * keys (2), probes (2), live pages (1) and the worker with its threads (14) a process takes at most 52 connections, and one
 * whose worker waits for its turn 39: two of them fit into PostgreSQL's default of 100.
 *
 * A lock is waited for briefly, so that a locked table is told at once; what waits for rows that others write says so
 * (`waitPatiently`). A wait for a place is bounded by time more than by number, because a thousand writes at once are
 * done within it. `limitMs` ends what the breaker cannot see: a connection that fell silent alone. It is a little more
 * than the longest statement, and below three seconds for whatever a trading client or a reader waits for.
 */
const POOLS: Record<Purpose, PoolOptions> = {
  /** Reports, payments, keys, sign-ins, what an administrator changes. */
  writes: {
    places: 8,
    waiting: 2_000,
    waitMs: 2_000,
    statementMs: 1_800,
    lockMs: 400,
    limitMs: 2_300,
    limitInDoubtMs: LIMIT_IN_DOUBT_MS,
  },
  /** Answers to trading clients that cost next to nothing. */
  reads: {
    places: 6,
    waiting: 1_000,
    waitMs: 1_500,
    statementMs: 2_000,
    lockMs: 300,
    limitMs: 2_300,
    limitInDoubtMs: LIMIT_IN_DOUBT_MS,
    isPrepared: true,
  },
  /** Whatever sums up or lists long stretches. */
  statistics: { places: 4, waiting: 100, waitMs: 2_000, statementMs: 5_000, lockMs: 300, limitMs: 6_000 },
  /** Who may see a page. */
  pages: {
    places: 2,
    waiting: 200,
    waitMs: 1_500,
    statementMs: 2_000,
    lockMs: 300,
    limitMs: 2_300,
    isPrepared: true,
  },
  /** The operator's own pipeline: few and large. */
  ingest: { places: 2, waiting: 20, waitMs: 2_000, statementMs: 25_000, lockMs: 10_000, limitMs: 27_000 },
};

/** The same for what pages show and forms change, in the thread that makes them. */
const PLACES_OF_PAGES: Record<Purpose, number> = { writes: 2, reads: 2, statistics: 2, pages: 4, ingest: 1 };

/** What the pool of a purpose may do in this thread. */
export function poolOptions(purpose: Purpose): PoolOptions {
  return isPagesThread() ? { ...POOLS[purpose], places: PLACES_OF_PAGES[purpose] } : POOLS[purpose];
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

/**
 * A client for short statements and transactions, through the pooler where one stands in between. `isPlannedAnew`: for the
 * values of each time, although it is prepared.
 */
export function connect(max: number, limits: ServerLimits, isPlannedAnew = false): postgres.Sql {
  const { connection, ...others } = connectionOptions(max, limits);
  const options = {
    ...others,
    connection: { ...connection, ...(isPlannedAnew && { plan_cache_mode: "force_custom_plan" }) },
  };
  if (!isPooled()) return postgres(databaseUrl(), options);
  return pooledClient(postgres(databaseUrl(), pooledOptions(options)), limits);
}

/** Who names a direct address beside the ordinary one says that the ordinary one leads to a pooler. */
function isPooled(): boolean {
  return env().databaseDirectUrl !== null;
}

/** No names for statements and no limits at the start: a pooler in transaction mode can keep neither. */
function pooledOptions(options: ReturnType<typeof connectionOptions>): typeof options {
  const { application_name, TimeZone } = { TimeZone: "UTC", ...options.connection };
  return { ...options, prepare: false, connection: { application_name, TimeZone } };
}

/** What goes on over a pool that was given up has this long to end. */
const FAREWELL_SECONDS = 5;

interface Pool {
  client: postgres.Sql;
  end(): Promise<void>;
}

const pools = () => processWide("database-pools", () => new Map<Purpose, Pool>());

/** The pool for a purpose, opened on first use, and anew after its connections were given up. */
function poolFor(purpose: Purpose): Pool {
  const found = pools().get(purpose);
  if (found) return found;
  const { statementMs, lockMs, isPrepared, ...limits } = poolOptions(purpose);
  const client = connect(limits.places, { statementMs, lockMs }, isPrepared);
  const giveUp = () => {
    if (pools().get(purpose) !== pool) return;
    pools().delete(purpose);
    void client.end({ timeout: FAREWELL_SECONDS }).catch(() => undefined);
  };
  const pool: Pool = {
    client: limited(client, limits, breaker(), giveUp),
    end: () => client.end({ timeout: 2 }),
  };
  // Tells the new client how its values are to be read, as it did with the one before.
  drizzle(client, { schema });
  pools().set(purpose, pool);
  return pool;
}

/** The client of a purpose: at each use the one whose connections are in force. */
function clientFor(purpose: Purpose): postgres.Sql {
  return new Proxy(poolFor(purpose).client, {
    get: (_, name) => Reflect.get(poolFor(purpose).client, name),
    apply: (_, self, args) => Reflect.apply(poolFor(purpose).client, self, args),
  });
}

interface Databases {
  database: Database;
  prepared: Database;
}

function databasesFor(purpose: Purpose): Databases {
  const known = processWide("databases", () => new Map<Purpose, Databases>());
  const found = known.get(purpose);
  if (found) return found;
  const client = clientFor(purpose);
  const prepared = drizzle(preparing(client), { schema });
  const databases = {
    database: poolOptions(purpose).isPrepared ? prepared : drizzle(client, { schema }),
    prepared,
  };
  known.set(purpose, databases);
  return databases;
}

/**
 * The database for a purpose. It may be kept: a download that goes on for minutes outlives connections that were given
 * up between two of its statements. Who answers anything but a page says the purpose.
 */
export function db(purpose: Purpose = "pages"): Database {
  return databasesFor(purpose).database;
}

/**
 * The pool for writes with statements that each connection prepares once, for short transactions of fixed texts. Not for
 * statements whose text grows with their data: every text stays prepared as long as its connection lives.
 */
export function preparedDb(): Database {
  return databasesFor("writes").prepared;
}

/** Whether the database answers, as far as this process knows. */
export function breaker(): Breaker {
  return processWide("database-breaker", () => new Breaker(databaseProbe()));
}

/** Answers of a server that is going down, starting or not there yet. */
const NO_SERVICE = new Set(["57P01", "57P02", "57P03"]);

/** After so long without an answer a new connection is asked as well: the kept one may have fallen silent alone. */
const ASK_ANEW_MS = 250;

/** Asks the least that there is, over a connection that is kept while it answers, and over a new one when it is late. */
function databaseProbe(): (tooLate: AbortSignal) => Promise<boolean> {
  let kept: postgres.Sql | null = null;
  const open = () => {
    const options = isPooled() ? pooledOptions(connectionOptions(1)) : connectionOptions(1);
    return postgres(databaseUrl(), { ...options, idle_timeout: 0 });
  };
  return async (tooLate) => {
    const older = kept ?? open();
    kept = older;
    const askedAt = performance.now();
    const asked = askTwice(older, open, ASK_ANEW_MS, isAnswered);
    const drop = () => {
      asked.giveUp();
      kept = null;
    };
    tooLate.addEventListener("abort", drop, { once: true });
    try {
      const { answer, client } = await asked.answered;
      if (!tooLate.aborted) kept = client;
      // Whatever else was open then may be as silent.
      if (client !== older) breaker().noteSilence(askedAt);
      return answer;
    } finally {
      tooLate.removeEventListener("abort", drop);
    }
  };
}

/** Any error of the server's own is an answer of it. */
async function isAnswered(client: postgres.Sql): Promise<true> {
  try {
    await client`select 1`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || NO_SERVICE.has(error.code)) throw error;
  }
  return true;
}

/** A pool for long statements of background work, apart from those that answer requests. */
export function workerDb(): Database {
  return processWide("worker-database", () => {
    const options = connectionOptions(WORKER_CONNECTIONS, { statementMs: 120_000, lockMs: 10_000 });
    const client = postgres(directDatabaseUrl(), {
      ...options,
      connection: { ...options.connection, idle_in_transaction_session_timeout: 120_000 },
    });
    return drizzle(guarding(client), { schema });
  });
}

const WORKER_CONNECTIONS = 4;

/** Ends whatever waits for an answer over the worker's pool; the next use opens another one. */
export async function abandonWorkerDb(): Promise<void> {
  const database = workerDb();
  forget("worker-database", database);
  await database.$client.end({ timeout: 0 });
}

/** Ends every pool of this process, with a moment for what is under way. */
export async function closePools(): Promise<void> {
  await Promise.allSettled([
    ...[...pools().values()].map((pool) => pool.end()),
    workerDb().$client.end({ timeout: 2 }),
  ]);
}

function preparing<S extends postgres.Sql | postgres.TransactionSql>(client: S): S {
  return new Proxy(client, {
    get(target, name) {
      if (name === "unsafe") {
        const unsafe: postgres.Sql["unsafe"] = (text, values, options) =>
          target.unsafe(text, values, { ...options, prepare: true });
        return unsafe;
      }
      if (name === "begin" && "begin" in target) {
        return <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>) =>
          target.begin((tx) => run(preparing(tx)));
      }
      return Reflect.get(target, name);
    },
  });
}
