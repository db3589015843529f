import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";
import { embeddedDatabaseUrl } from "./embedded-address";
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

/** The pool of this process, opened on first use. */
export function db(): Database {
  return processWide("database", () => drizzle(postgres(databaseUrl(), connectionOptions(10)), { schema }));
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
