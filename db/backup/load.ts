import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { defaultMigrationsFolder, migrateDatabase } from "@/db/migrate";
import { deleteBackupState } from "@/db/queries/backup-state";
import * as schema from "@/db/schema";
import { BASELINE_RELEASE, isBeforeBaseline } from "@/db/schema-guard";
import {
  type BackupHeader,
  type BackupLine,
  checksumInTransaction,
  type DatabaseChecksums,
  requireSameContents,
} from "./dump";
import { readPieces } from "./read-pieces";
import { listStoredTables, quotedNameList, quoteIdentifier } from "./tables";

/** Thrown when the target database is not empty: a restore never overwrites data. */
export class DatabaseNotEmptyError extends Error {
  constructor() {
    super("The database is not empty. Restore into an empty one, created with createdb.");
    this.name = "DatabaseNotEmptyError";
  }
}

/** Thrown when this build does not know the newest migration of a backup. */
export class UnknownMigrationError extends Error {
  constructor(newestMs: number) {
    super(
      `This build does not know the newest migration of the backup, made ${new Date(newestMs).toISOString()}. ` +
        "Restore it with the newest release that its database was used with, or a newer one.",
    );
    this.name = "UnknownMigrationError";
  }
}

/**
 * Restores a backup into an empty database: first its schema, then all rows in one transaction, with triggers disabled,
 * because they would count the rows again. If the result differs from the backup's checksums, it throws and leaves only
 * the schema with the rows that migrations insert. Processes of the service may be running and waiting for the database
 * meanwhile. Returns the backup's first line and checksums.
 */
export async function loadDatabase(
  url: string,
  client: postgres.Sql,
  bytes: AsyncIterable<Buffer>,
): Promise<{ head: BackupHeader; contents: DatabaseChecksums }> {
  await requireEmpty(client);
  const pieces = readPieces(bytes);
  try {
    return await loadPieces(url, client, pieces);
  } finally {
    // Closes the backup file, even if it was not read to its end.
    await pieces.return(undefined);
  }
}

async function loadPieces(
  url: string,
  client: postgres.Sql,
  pieces: Pieces,
): Promise<{ head: BackupHeader; contents: DatabaseChecksums }> {
  const head = await firstLine(pieces);
  await migrateAsOf(url, head);
  const { contents } = await client.begin(async (tx) => {
    const tables = (await listStoredTables(tx)).map(({ name }) => name);
    for (const table of tables) await tx.unsafe(`alter table ${quoteIdentifier(table)} disable trigger user`);
    // The migrations have inserted rows, which the backup also contains.
    await tx.unsafe(`truncate ${quotedNameList(tables)}`);
    const columns = new Map<string, string[]>();
    const found = await loadTables(tx, pieces, columns);
    // An unused sequence starts at 1 again.
    for (const [name, last] of Object.entries(found.sequences))
      await tx`select setval(${quoteIdentifier(name)}::regclass, ${last ?? "1"}::bigint, ${last !== null})`;
    // Checks deferred constraints now, because a table with pending checks cannot be altered.
    await tx`set constraints all immediate`;
    for (const table of tables) await tx.unsafe(`alter table ${quoteIdentifier(table)} enable trigger user`);
    // Still in the transaction, before processes that wait for the database can change it.
    requireSameContents(found, await checksumInTransaction(tx, columns));
    return { contents: found };
  });
  await client.unsafe("analyze");
  return { head, contents };
}

async function requireEmpty(client: postgres.Sql): Promise<void> {
  const [found] = await client<{ n: number }[]>`
    select count(*)::int as n from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm') and n.nspname in ('public', 'drizzle')`;
  if (found?.n !== 0) throw new DatabaseNotEmptyError();
}

type Pieces = ReturnType<typeof readPieces>;

async function firstLine(pieces: Pieces): Promise<BackupHeader> {
  const { value } = await pieces.next();
  const line: unknown = value !== undefined && "line" in value ? JSON.parse(value.line) : null;
  if (typeof line !== "object" || line === null || !("format" in line) || line.format !== 1)
    throw new Error("This is not a backup of this service, or one of a newer version.");
  // `dumpDatabase` wrote the line, and the caller has authenticated the file.
  return line as BackupHeader;
}

/** Loads the rows of all tables. Adds each table's columns, in the backup's order, to `columns`. Returns the checksums. */
async function loadTables(
  tx: postgres.TransactionSql,
  pieces: Pieces,
  columns: Map<string, string[]>,
): Promise<DatabaseChecksums> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) throw new Error("The backup is truncated: its last line is missing.");
    if (!("line" in value)) throw new Error("The backup has rows without a table.");
    // `dumpDatabase` wrote the line, and the caller has authenticated the file.
    const line = JSON.parse(value.line) as BackupLine;
    if ("contents" in line) return line.contents;
    if (!("table" in line)) throw new Error("The backup has a line of unknown kind.");
    columns.set(line.table, line.columns);
    const copy = await tx
      .unsafe(`copy ${quoteIdentifier(line.table)} (${quotedNameList(line.columns)}) from stdin`)
      .writable();
    const stored = finished(copy);
    // Awaited below. Until then a failure must not count as an unhandled rejection.
    stored.catch(() => undefined);
    for await (const piece of rowsOf(pieces))
      if (!copy.write(piece)) await Promise.race([once(copy, "drain"), stored]);
    copy.end();
    await stored;
  }
}

async function* rowsOf(pieces: Pieces): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done || "line" in value) throw new Error("The backup is truncated within a table.");
    if ("end" in value) return;
    yield value.rows;
  }
}

/** Migrates the database to the schema of the backup. Throws if this build does not have exactly that schema. */
async function migrateAsOf(url: string, { migrations }: BackupHeader): Promise<void> {
  const folder = defaultMigrationsFolder();
  const journal = JSON.parse(readFileSync(join(folder, "meta/_journal.json"), "utf8")) as {
    entries: { when: number; tag: string }[];
  };
  const entries = journal.entries.filter(({ when }) => when <= migrations.newestMs);
  // Compared by time and not by number of migrations: release 1.2.0 has 75 migrations in place of the baseline.
  if (isBeforeBaseline(migrations.newestMs))
    throw new Error(
      `The backup is older than release ${BASELINE_RELEASE}. Restore it with release ${BASELINE_RELEASE}, then start this build.`,
    );
  if (entries.at(-1)?.when !== migrations.newestMs) throw new UnknownMigrationError(migrations.newestMs);
  const part = mkdtempSync(join(tmpdir(), "signal-migrations-"));
  try {
    mkdirSync(join(part, "meta"));
    for (const { tag } of entries) cpSync(join(folder, `${tag}.sql`), join(part, `${tag}.sql`));
    writeFileSync(join(part, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrateDatabase(url, part);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Deletes from a loaded backup what it says about backups: that is the state of the installation that made it. */
export async function deleteLoadedBackupState(client: postgres.Sql): Promise<void> {
  await deleteBackupState(drizzle(client, { schema }));
}
