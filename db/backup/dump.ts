import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import { listStoredTables, quotedNameList, quoteIdentifier, type StoredTable } from "./tables";

export interface TableChecksum {
  /** Number of rows. */
  rows: number;
  /** SHA-256 over the rows in key order, in COPY's text format. */
  sha256: string;
}

/** Row counts and checksums of all tables, and the last values of all sequences, which are read after the tables. */
export interface DatabaseChecksums {
  tables: Record<string, TableChecksum>;
  /** The last value of each sequence; null: unused. */
  sequences: Record<string, string | null>;
}

/** The first line of a backup. */
export interface BackupHeader {
  format: 1;
  takenAt: string;
  /** Number of applied migrations and timestamp of the newest one (ms). */
  migrations: { count: number; newestMs: number };
}

/** A JSON line of a backup: the first line, the line before a table's rows, or the last line with the checksums. */
export type BackupLine =
  | BackupHeader
  | { table: string; columns: string[] }
  | { contents: DatabaseChecksums };

/** The line after the last row of a table. */
export const END_OF_ROWS = "\\.\n";

/** Writes the next bytes of a backup. It is called again only after its promise has resolved. */
export type WriteBytes = (bytes: Buffer) => Promise<void>;

/**
 * Writes a backup of the schema `public`: a head, then each table as a line followed by its rows in COPY format, then
 * the checksums, which it also returns. All rows are of one snapshot; sequences have no snapshot, so their values may
 * be newer. It blocks only ACCESS EXCLUSIVE locks, such as those of schema changes, and only these block it.
 */
export async function dumpDatabase(client: postgres.Sql, write: WriteBytes): Promise<DatabaseChecksums> {
  const say = (line: BackupLine) => write(Buffer.from(`${JSON.stringify(line)}\n`));
  return inSnapshot(client, async (tx) => {
    const [moment] = await tx<{ takenAt: Date; count: number; newestMs: string }[]>`
      select now() as "takenAt", count(*)::int as count, max(created_at) as "newestMs" from drizzle.__drizzle_migrations`;
    if (moment === undefined) throw new Error("the database has no schema");
    await say({
      format: 1,
      takenAt: moment.takenAt.toISOString(),
      migrations: { count: moment.count, newestMs: Number(moment.newestMs) },
    });
    const contents = await readContents(tx, async (table, rows) => {
      await say({ table: table.name, columns: table.columns });
      for await (const bytes of rows) await write(bytes);
      await write(Buffer.from(END_OF_ROWS));
    });
    await say({ contents });
    return contents;
  });
}

/** Counts and hashes all rows of the schema `public` as of one snapshot, for comparison with a backup. */
export async function checksumDatabase(client: postgres.Sql): Promise<DatabaseChecksums> {
  return inSnapshot(client, (tx) =>
    readContents(tx, async (_, rows) => {
      for await (const _bytes of rows);
    }),
  );
}

/**
 * Counts and hashes all rows that the transaction sees, including uncommitted ones that it has written. `columns` is the
 * backup's column order by table: the hashes depend on it, and this database's order may differ.
 */
export async function checksumInTransaction(
  tx: postgres.TransactionSql,
  columns: ReadonlyMap<string, string[]>,
): Promise<DatabaseChecksums> {
  await tx.unsafe(AS_WRITTEN);
  return readContents(
    tx,
    async (_, rows) => {
      for await (const _bytes of rows);
    },
    columns,
  );
}

/** Throws if row counts, checksums or sequences differ. If tables differ, the message names them. */
export function requireSameContents(backup: DatabaseChecksums, found: DatabaseChecksums): void {
  const names = new Set([...Object.keys(backup.tables), ...Object.keys(found.tables)]);
  const differing = [...names].filter((name) => !isDeepStrictEqual(backup.tables[name], found.tables[name]));
  if (differing.length > 0)
    throw new Error(`The restored tables differ from the backup: ${differing.join(", ")}`);
  if (!isDeepStrictEqual(backup.sequences, found.sequences))
    throw new Error("The restored sequences differ from the backup.");
}

/** Settings on which the text form of values depends. `row_security = off` makes a hidden row an error instead of a gap. */
const AS_WRITTEN =
  "set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; " +
  "set local bytea_output = 'hex'; set local extra_float_digits = 1; set local row_security = off";

async function inSnapshot<T extends object>(
  client: postgres.Sql,
  read: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  const result = await client.begin("isolation level repeatable read read only", async (tx) => {
    await tx.unsafe(AS_WRITTEN);
    // Wrapped in an object, because the driver unwraps arrays.
    return { value: await read(tx) };
  });
  return result.value;
}

async function readContents(
  tx: postgres.TransactionSql,
  take: (table: StoredTable, rows: AsyncIterable<Buffer>) => Promise<void>,
  ordered?: ReadonlyMap<string, string[]>,
): Promise<DatabaseChecksums> {
  const tables: Record<string, TableChecksum> = {};
  for (const table of await listStoredTables(tx)) {
    const sum = { rows: 0, hash: createHash("sha256") };
    const wanted = ordered?.get(table.name) ?? [];
    // A column that is missing in the backup must show as a difference.
    const columns = isDeepStrictEqual(wanted.toSorted(), table.columns.toSorted()) ? wanted : table.columns;
    const copy = `copy (select ${quotedNameList(columns)} from ${quoteIdentifier(table.name)} order by ${quotedNameList(table.key)}) to stdout`;
    const rows = await tx.unsafe(copy).readable();
    await take(table, countRows(rows, sum));
    // The driver (3.4.9) pauses its socket while its buffer is full, and resumes it on the next read. If the stream ended
    // during such a pause, no read follows, and the next statement would hang.
    rows._read(0);
    tables[table.name] = { rows: sum.rows, sha256: sum.hash.digest("hex") };
  }
  const sequences = await tx<{ name: string; last: string | null }[]>`
    select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public' order by 1`;
  return { tables, sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) };
}

const NEWLINE = 10;

async function* countRows(
  rows: AsyncIterable<Buffer>,
  sum: { rows: number; hash: ReturnType<typeof createHash> },
): AsyncGenerator<Buffer> {
  for await (const bytes of rows) {
    sum.hash.update(bytes);
    // COPY escapes line breaks inside values as \n, so each of these ends a row.
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) sum.rows++;
    yield bytes;
  }
}
