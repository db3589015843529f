import type { Handle } from "./client";
import journal from "./migrations/meta/_journal.json" with { type: "json" };
import { readAppliedMigrations } from "./queries/applied-migrations";

const newest = journal.entries.reduce((a, b) => (b.when > a.when ? b : a));
const baseline = journal.entries.reduce((a, b) => (b.when < a.when ? b : a));

/** The release whose schema the baseline is: it upgrades every older installation, and no later release does. */
export const BASELINE_RELEASE = "1.2.0";

/** The database has had migrations that this build does not know. */
export class SchemaTooNewError extends Error {
  constructor(appliedMs: number) {
    super(
      `the database's schema is newer than this build. The newest migration that the build knows is "${newest.tag}" ` +
        `of ${instant(newest.when)}; the newest of the database is of ${instant(appliedMs)}. Start a build that knows it.`,
    );
    this.name = "SchemaTooNewError";
  }
}

/** The database has a schema older than the first migration of this build. */
export class SchemaTooOldError extends Error {
  constructor(appliedMs: number) {
    super(
      `the database's schema of ${instant(appliedMs)} is older than release ${BASELINE_RELEASE}. ` +
        `Start release ${BASELINE_RELEASE} once, then this build.`,
    );
    this.name = "SchemaTooOldError";
  }
}

const instant = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Throws SchemaTooNewError or SchemaTooOldError when this build can neither use nor upgrade the schema. */
export async function requireKnownSchema(handle: Handle): Promise<void> {
  const applied = await readAppliedMigrations(handle);
  if (applied === null || applied.migrations === 0) return;
  if (applied.newestMs > newest.when) throw new SchemaTooNewError(applied.newestMs);
  if (isBeforeBaseline(applied.newestMs)) throw new SchemaTooOldError(applied.newestMs);
}

/** Whether a schema of this instant (ms) is older than the first migration of this build. */
export const isBeforeBaseline = (newestMs: number) => newestMs < baseline.when;

/** The schema of the database beside the one of this build. */
export interface SchemaState {
  /** `newer`: another release has upgraded it; `older`: migrations of this build wait for a start. */
  state: "current" | "newer" | "older";
  /** Migrations that the database has had. */
  migrations: number;
  /** The newest migration of this build. */
  newest: string;
}

/** Compares the schema of the database with this build. */
export async function readSchemaState(handle: Handle): Promise<SchemaState> {
  const applied = (await readAppliedMigrations(handle)) ?? { migrations: 0, newestMs: 0 };
  const state =
    applied.newestMs > newest.when ? "newer" : applied.newestMs < newest.when ? "older" : "current";
  return { state, migrations: applied.migrations, newest: newest.tag };
}

/** Whether the database has had every migration of this build. */
export async function isSchemaCurrent(handle: Handle): Promise<boolean> {
  const applied = await readAppliedMigrations(handle);
  return applied !== null && applied.newestMs >= newest.when;
}
