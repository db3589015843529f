import type { Handle } from "./client";
import journal from "./migrations/meta/_journal.json" with { type: "json" };
import { readAppliedMigrations } from "./queries/applied-migrations";

const newest = journal.entries.reduce((a, b) => (b.when > a.when ? b : a));

/** The database has had migrations that this build does not know. */
export class SchemaTooNewError extends Error {
  constructor(applied: { migrations: number; newestMs: number }) {
    super(
      `the database's schema is newer than this build. The build knows ${journal.entries.length} migrations, ` +
        `the newest "${newest.tag}" of ${instant(newest.when)}; the database has had ${applied.migrations}, ` +
        `the newest of ${instant(applied.newestMs)}. Start a build that knows it.`,
    );
    this.name = "SchemaTooNewError";
  }
}

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Throws SchemaTooNewError when another build has taken the schema further than this one knows. */
export async function requireKnownSchema(handle: Handle): Promise<void> {
  const applied = await readAppliedMigrations(handle);
  if (applied !== null && applied.newestMs > newest.when) throw new SchemaTooNewError(applied);
}

/** Whether the database has had every migration of this build. */
export async function isSchemaCurrent(handle: Handle): Promise<boolean> {
  const applied = await readAppliedMigrations(handle);
  return applied !== null && applied.newestMs >= newest.when;
}
