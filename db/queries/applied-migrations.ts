import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { columns, number } from "./columns";
import { readSetting } from "./settings";

const APPLIED = columns({
  migrations: number("count(*)::int"),
  /** Instant of the newest migration in ms, by which the migrator goes. */
  newestMs: number("coalesce(max(created_at), 0)::float8"),
});

/** The migrations that the database has had; null when it never had one. */
export async function readAppliedMigrations(handle: Handle) {
  const [table] = await handle.execute<{ found: string | null }>(
    sql`select to_regclass('drizzle.__drizzle_migrations')::text as found`,
  );
  if (!table?.found) return null;
  return APPLIED.one(handle, sql`select ${APPLIED.list} from drizzle.__drizzle_migrations`);
}

/**
 * Instant (ms) of the newest migration that a build must know to use the schema; 0 before there was a breaking migration.
 * A breaking migration writes it itself, so that the two cannot part.
 */
export async function readSchemaFloor(handle: Handle): Promise<number> {
  return (await readSetting<{ ms: number }>(handle, "schema_floor"))?.ms ?? 0;
}
