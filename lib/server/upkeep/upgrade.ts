import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { db } from "@/db/client";
import { defaultMigrationsFolder, migrateDatabase } from "@/db/migrate";
import { readAppliedMigrations, readSchemaFloor } from "@/db/queries/applied-migrations";
import { listTableSizes, type TableSize } from "@/db/queries/database-status";
import {
  BASELINE_RELEASE,
  isBaselineSchema,
  isBeforeBaseline,
  MIGRATIONS,
  schemaFloorOf,
} from "@/db/schema-guard";
import type { Env } from "@/lib/runtime/env";
import { SECOND_MS } from "@/lib/time";
import {
  CannotCreateDatabaseError,
  inScratchDatabase,
  listBackups,
  restoreBackup,
  withEitherPassphrase,
} from "./backup";
import type { CheckResult } from "./doctor";

const part = "upgrade";
/** Rows above which a table counts as large: full scans of smaller tables are fast. */
const LARGE_ROWS = 10_000;

/**
 * Predicts what starting this build does to the database at `url`, how long it takes, and whether an older build can
 * still be started afterwards. Changes nothing: the time is measured on a copy from the newest backup.
 */
export async function checkUpgrade(url: string, config: Env): Promise<CheckResult[]> {
  const applied = await readAppliedMigrations(db());
  if (applied === null || applied.migrations === 0)
    return [{ part, state: "ok", text: "the database is empty: the first start creates the schema" }];
  if (isBeforeBaseline(applied.newestMs)) {
    const advice = `Start release ${BASELINE_RELEASE} once, then this build.`;
    return [{ part, state: "wrong", text: `the schema is older than release ${BASELINE_RELEASE}`, advice }];
  }
  const newestMs = MIGRATIONS.at(-1)?.when ?? 0;
  if (applied.newestMs > newestMs) return [onNewerSchema(await readSchemaFloor(db()), newestMs)];
  const pending = await Promise.all(
    MIGRATIONS.filter(({ when }) => when > applied.newestMs).map(async ({ tag, when }) => {
      const sql = await readFile(join(defaultMigrationsFolder(), `${tag}.sql`), "utf8");
      return { tag, when, sql, floorMs: schemaFloorOf(sql) };
    }),
  );
  if (pending.length === 0) {
    const text = "the schema is current: nothing changes, and the previous build can be started";
    return [{ part, state: "ok", text }];
  }
  const sizes = await listTableSizes(db());
  const breaking = pending.filter(({ floorMs }) => floorMs !== null && floorMs > applied.newestMs);
  return [
    ...pending.map(({ tag, sql, floorMs }): CheckResult => {
      const isBreaking = floorMs !== null && floorMs > applied.newestMs;
      const text = `${tag} is to come${isBreaking ? ", a breaking migration" : ""}${largeTables(sql, sizes)}`;
      return { part, state: "look", text };
    }),
    await timedOnCopy(url, config, applied.newestMs),
    goingBack(applied.newestMs, breaking.length),
  ];
}

function onNewerSchema(floorMs: number, newestMs: number): CheckResult {
  const text = "the database has migrations of a newer build";
  if (floorMs <= newestMs)
    return { part, state: "ok", text: `${text}, none of them breaking: this build runs on it as it is` };
  const advice = "Start the newer build, or restore a backup from before it: docs/operations, Going back.";
  return { part, state: "wrong", text: `${text}, and one is breaking: this build does not start`, advice };
}

function goingBack(appliedMs: number, nBreaking: number): CheckResult {
  const goesBack = "going back";
  const advice = "Take a backup before the upgrade: it is the only way back.";
  if (isBaselineSchema(appliedMs)) {
    const text = `release ${BASELINE_RELEASE} does not start on the schema of a newer build`;
    return { part: goesBack, state: "look", text, advice };
  }
  if (nBreaking > 0) {
    const text = "the previous build does not start after the breaking migration";
    return { part: goesBack, state: "look", text, advice };
  }
  const text = "no migration is breaking: the previous build can be started again";
  return { part: goesBack, state: "ok", text };
}

/** The large tables that a migration names, with their sizes. */
function largeTables(sql: string, sizes: readonly TableSize[]): string {
  const named = sizes.filter(
    ({ name, rows }) => rows > LARGE_ROWS && new RegExp(`\\b${name}\\b`, "i").test(sql),
  );
  if (named.length === 0) return "";
  const items = named.map(
    ({ name, rows, bytes }) => `${name} (${Math.round(rows / 1_000)} thousand rows, ${megabytes(bytes)})`,
  );
  return `, which names ${items.join(", ")}`;
}

async function timedOnCopy(url: string, config: Env, appliedMs: number): Promise<CheckResult> {
  const { backup } = config;
  const duration = "duration";
  const unknown = (why: string, advice: string): CheckResult => ({
    part: duration,
    state: "look",
    text: `not measured: ${why}`,
    advice,
  });
  const [newest] = backup === null ? [] : await listBackups(backup.dir);
  if (backup === null || newest === undefined)
    return unknown("there is no backup", "npm run backup takes one.");
  try {
    return await inScratchDatabase(url, async (scratch) => {
      const startedAt = performance.now();
      const { tables } = await withEitherPassphrase(config, (passphrase) =>
        restoreBackup(join(backup.dir, newest), passphrase, scratch),
      );
      const restoredAt = performance.now();
      await migrateDatabase(scratch);
      const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
      const text =
        `${seconds(performance.now() - restoredAt)} for the migrations on a copy of ${rows} rows, restored from ` +
        `${newest} in ${seconds(restoredAt - startedAt)}; requests to a table wait during its change`;
      return { part: duration, state: "ok", text };
    });
  } catch (error) {
    if (error instanceof CannotCreateDatabaseError)
      return unknown("the role may not create databases", error.message);
    // A migration that fails on a copy would fail on the database.
    const text = `the test on a copy failed: ${error instanceof Error ? error.message : "unknown reason"}`;
    const advice = `Do not upgrade. The current schema is of ${new Date(appliedMs).toISOString()}.`;
    return { part: duration, state: "wrong", text, advice };
  }
}

const seconds = (ms: number) => `${(ms / SECOND_MS).toFixed(1)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
