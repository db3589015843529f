import type { DatabaseHandle } from "./client";
import journal from "./migrations/meta/_journal.json" with { type: "json" };
import { readAppliedMigrations, readSchemaFloor } from "./queries/applied-migrations";

const newest = journal.entries.reduce((a, b) => (b.when > a.when ? b : a));
const baseline = journal.entries.reduce((a, b) => (b.when < a.when ? b : a));

/** The migrations of this build, oldest first, each with its timestamp in ms. */
export const MIGRATIONS: readonly { tag: string; when: number }[] = journal.entries.toSorted(
  (a, b) => a.when - b.when,
);

/** The last release that upgrades older installations. Its final schema is the baseline, the first migration of this build. */
export const BASELINE_RELEASE = "1.2.0";

/** Thrown when the database has a breaking migration that this build does not know. */
export class SchemaTooNewError extends Error {
  constructor(floorMs: number) {
    super(
      `the database's schema is newer than this build can use. The newest migration of this build is "${newest.tag}" ` +
        `of ${instant(newest.when)}; the schema needs a build with the migration of ${instant(floorMs)}. Start such a build, ` +
        "or restore a backup from before the upgrade: docs/operations, Going back.",
    );
    this.name = "SchemaTooNewError";
  }
}

/** Thrown when the database's schema is older than the first migration of this build. */
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

/**
 * Throws SchemaTooNewError or SchemaTooOldError if this build can neither use nor upgrade the schema. It can use a schema
 * with newer migrations unless one is breaking: such a migration stores itself as the schema's floor (readSchemaFloor).
 */
export async function requireKnownSchema(handle: DatabaseHandle): Promise<void> {
  const applied = await readAppliedMigrations(handle);
  if (applied === null || applied.migrations === 0) return;
  if (applied.newestMs > newest.when) {
    const floorMs = await readSchemaFloor(handle);
    if (floorMs > newest.when) throw new SchemaTooNewError(floorMs);
    return;
  }
  if (isBeforeBaseline(applied.newestMs)) throw new SchemaTooOldError(applied.newestMs);
}

/** Whether a schema whose newest migration has this timestamp (ms) is older than the first migration of this build. */
export const isBeforeBaseline = (newestMs: number) => newestMs < baseline.when;

/** The schema of the database compared with this build. */
export interface SchemaState {
  /** `newer`: another release has upgraded it; `older`: migrations of this build are pending. */
  state: "current" | "newer" | "older";
  /** Number of applied migrations. */
  migrations: number;
  /** The newest migration of this build. */
  newest: string;
}

export async function readSchemaState(handle: DatabaseHandle): Promise<SchemaState> {
  const applied = (await readAppliedMigrations(handle)) ?? { migrations: 0, newestMs: 0 };
  const state =
    applied.newestMs > newest.when ? "newer" : applied.newestMs < newest.when ? "older" : "current";
  return { state, migrations: applied.migrations, newest: newest.tag };
}

/** Whether a schema whose newest migration has this timestamp (ms) is the final one of release 1.2.0. */
export const isBaselineSchema = (newestMs: number) => newestMs === baseline.when;

/** Whether the database has every migration of this build. */
export async function isSchemaCurrent(handle: DatabaseHandle): Promise<boolean> {
  const applied = await readAppliedMigrations(handle);
  return applied !== null && applied.newestMs >= newest.when;
}

/** The schema floor that a migration's SQL sets, as a timestamp in ms; null: none, so older builds can use the schema. */
export function schemaFloorOf(migration: string): number | null {
  const [, ms] = /'schema_floor',\s*'\{"ms": (\d+)\}'/.exec(migration) ?? [];
  return ms === undefined ? null : Number(ms);
}
