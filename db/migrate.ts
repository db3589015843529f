import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { ADVISORY_LOCKS } from "./advisory-locks";
import { withGuardedTransactions } from "./guarded-transaction";
import * as schema from "./schema";
import { requireKnownSchema } from "./schema-guard";

/**
 * Applies all pending migrations of the folder. Throws SchemaTooNewError or SchemaTooOldError if this build can neither
 * use nor upgrade the schema. If several processes call it at once, an advisory lock lets one after the other migrate.
 */
export async function migrateDatabase(
  url: string,
  migrationsFolder = defaultMigrationsFolder(),
): Promise<void> {
  const lock = postgres(url, {
    max: 1,
    connect_timeout: 5,
    backoff: () => 0.25,
    onnotice: () => undefined,
    // With a pooler, the database role has time limits for requests, which migrations exceed.
    connection: { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });
  try {
    await lock`select pg_advisory_lock(${ADVISORY_LOCKS.migration})`;
    const handle = drizzle(withGuardedTransactions(lock), { schema });
    await requireKnownSchema(handle);
    await migrate(handle, { migrationsFolder });
    // The folder may contain newer migrations than the build, if it was updated without a new build.
    await requireKnownSchema(handle);
  } finally {
    await lock.end({ timeout: 5 });
  }
}

/** The folder with the migrations. `../db` is correct from the source in `db/` and from the built server's folder. */
export function defaultMigrationsFolder(): string {
  return fileURLToPath(new URL("../db/migrations", import.meta.url));
}
