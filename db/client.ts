import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { forget, processWide } from "@/lib/runtime/process-wide";
import { embeddedDatabaseUrl } from "./embedded/address";
import { limited } from "./limited-client";
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

/**
 * Connection options shared by every pool of the service. Everything that can hang has a limit, and an
 * unreachable server is tried again at once on the next query instead of after a growing pause.
 */
export function connectionOptions(max: number): postgres.Options<Record<string, postgres.PostgresType>> {
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
      statement_timeout: 5_000,
      lock_timeout: 2_000,
      idle_in_transaction_session_timeout: 10_000,
    },
  };
}

/** Longer than the server lets a statement run, and well inside the patience of trading clients. */
const REQUEST_LIMIT_MS = 6_500;
/** What goes on over a pool that was given up has this long to end. */
const FAREWELL_SECONDS = 5;

interface RequestPool {
  database: Database;
  prepared: Database;
}

/** The pool that answers requests, opened on first use, and anew after its connections fell silent. */
function requestPool(): RequestPool {
  return processWide("request-pool", () => {
    const client = postgres(databaseUrl(), connectionOptions(10));
    const giveUp = () => {
      if (forget("request-pool", pool)) void client.end({ timeout: FAREWELL_SECONDS }).catch(() => undefined);
    };
    const inTime = limited(client, REQUEST_LIMIT_MS, giveUp);
    const pool = {
      database: drizzle(inTime, { schema }),
      prepared: drizzle(preparing(inTime), { schema }),
    };
    return pool;
  });
}

/** The pool of this process. Ask for it at every use: after a silence of the database it is another one. */
export function db(): Database {
  return requestPool().database;
}

/**
 * The same with statements that each connection prepares once, for short transactions of fixed texts: one round trip for
 * each instead of two, and those sent together do not wait for each other. Not for statements whose text grows with
 * their data: every text stays prepared as long as its connection lives.
 */
export function preparedDb(): Database {
  return requestPool().prepared;
}

/** A pool for long statements of background work, apart from the one that answers requests. */
export function workerDb(): Database {
  return processWide("worker-database", () => {
    const options = connectionOptions(4);
    return drizzle(
      postgres(databaseUrl(), {
        ...options,
        connection: {
          ...options.connection,
          statement_timeout: 120_000,
          lock_timeout: 10_000,
          idle_in_transaction_session_timeout: 120_000,
        },
      }),
      { schema },
    );
  });
}

/** Ends whatever waits for an answer over the worker's pool; the next use opens another one. */
export async function abandonWorkerDb(): Promise<void> {
  const database = workerDb();
  forget("worker-database", database);
  await database.$client.end({ timeout: 0 });
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
