import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, number } from "./columns";
import { readSetting } from "./settings";

const APPLIED = columns({
  migrations: number("count(*)::int"),
  /** Timestamp of the newest migration in ms, which the migrator compares. */
  newestMs: number("coalesce(max(created_at), 0)::float8"),
});

/** Number of applied migrations and timestamp of the newest; null: the database has never been migrated. */
export async function readAppliedMigrations(handle: DatabaseHandle) {
  const [table] = await handle.execute<{ found: string | null }>(
    sql`select to_regclass('drizzle.__drizzle_migrations')::text as found`,
  );
  if (!table?.found) return null;
  return APPLIED.one(handle, sql`select ${APPLIED.list} from drizzle.__drizzle_migrations`);
}

/**
 * The schema's floor: timestamp (ms) of the newest migration that a build must know to use the schema; 0: no applied
 * migration is breaking. A breaking migration stores its own timestamp as the floor.
 */
export async function readSchemaFloor(handle: DatabaseHandle): Promise<number> {
  return (await readSetting<{ ms: number }>(handle, "schema_floor"))?.ms ?? 0;
}
