import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { PassThrough, Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import postgres from "postgres";
import { type DatabaseChecksums, dumpDatabase, requireSameContents } from "@/db/backup/dump";
import { deleteLoadedBackupState, loadDatabase, UnknownMigrationError } from "@/db/backup/load";
import { readPieces } from "@/db/backup/read-pieces";
import { connectionOptions } from "@/db/client";
import type { BackupState, RestoreDrillState } from "@/db/queries/backup-state";
import type { Env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { seal, UnsealError, unseal } from "./sealed-file";

const ENDING = ".backup";
/** No statement timeout: dumps and restores take as long as they need. */
const WITHOUT_END = { statementMs: 0, lockMs: 10_000 };

export interface BackupOptions {
  dir: string;
  passphrase: string;
  /** Number of backup files to keep; older ones are deleted after a successful backup. */
  keep: number;
}

/**
 * Writes a backup of the database at `url`, verifies it, and deletes the oldest files beyond `keep`. It is verified
 * by restoring it into a scratch database, or by reading it back if the role may not create one or this build lacks a
 * migration of the database. A backup that fails is deleted, and the error is thrown.
 */
export async function takeBackup(
  url: string,
  { dir, passphrase, keep }: BackupOptions,
): Promise<BackupState> {
  const startedAt = performance.now();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const takenAt = new Date().toISOString();
  const path = join(dir, `signals-${takenAt.replace(/[-:]|\.\d+/g, "")}${ENDING}`);
  const draft = `${path}.unfinished`;
  try {
    const contents = await writeBackup(url, draft, passphrase);
    const proof = await proveBackup(url, draft, passphrase, contents);
    await rename(draft, path);
    await deleteOldest(dir, keep);
    const sums = Object.values(contents.tables);
    return {
      takenAt,
      file: basename(path),
      dir: resolve(dir),
      bytes: (await stat(path)).size,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      tables: sums.length,
      rows: sums.reduce((sum, { rows }) => sum + rows, 0),
      proof,
    };
  } finally {
    await rm(draft, { force: true });
  }
}

/** Restores a backup into an empty database and compares the contents with those at the time of the backup. */
export async function restoreBackup(
  path: string,
  passphrase: string,
  url: string,
): Promise<DatabaseChecksums> {
  return withClient(url, async (client) => {
    const { contents } = await loadDatabase(url, client, plainBytes(path, passphrase));
    return contents;
  });
}

/**
 * Restores a backup into an empty database that a service will use. The state of backups in it is deleted: it tells of the
 * former installation's folder, and the service takes its own first backup.
 */
export async function restoreService(
  path: string,
  passphrase: string,
  url: string,
): Promise<DatabaseChecksums> {
  const contents = await restoreBackup(path, passphrase, url);
  await withClient(url, deleteLoadedBackupState);
  return contents;
}

/**
 * Disaster drill: restores a backup into a scratch database on the server of `url`, compares the two, and drops it.
 * Throws CannotCreateDatabaseError if the role may not create databases.
 */
export async function drillRestore(
  path: string,
  passphrase: string,
  url: string,
): Promise<RestoreDrillState> {
  return inScratchDatabase(url, async (scratch) => {
    const startedAt = performance.now();
    const { tables } = await restoreBackup(path, passphrase, scratch);
    return {
      at: new Date().toISOString(),
      file: basename(path),
      rows: Object.values(tables).reduce((sum, { rows }) => sum + rows, 0),
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    };
  });
}

/** Opens a backup with the current passphrase or an alternate, because the passphrase may have been rotated since. */
export async function withEitherPassphrase<T>(
  { backup, alternates }: Env,
  open: (passphrase: string) => Promise<T>,
): Promise<T> {
  const former = alternates.BACKUP_PASSPHRASE;
  let failure: unknown = new Error("Set BACKUP_PASSPHRASE to the passphrase of the backup.");
  for (const passphrase of backup === null ? [] : [backup.passphrase, ...former]) {
    try {
      return await open(passphrase);
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The backup files of a folder, newest first. */
export async function listBackups(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names
    .filter((name) => name.endsWith(ENDING))
    .toSorted()
    .reverse();
}

async function writeBackup(url: string, path: string, passphrase: string): Promise<DatabaseChecksums> {
  const plain = new PassThrough();
  const written = pipeline(
    plain,
    createGzip({ level: 4 }),
    (bytes: AsyncIterable<Buffer>) => seal(bytes, passphrase),
    createWriteStream(path, { mode: 0o600, flush: true }),
  );
  // A write failure ends the reading and is thrown below.
  written.catch(() => undefined);
  try {
    const contents = await withClient(url, (client) =>
      dumpDatabase(client, (bytes) => send(plain, bytes, written)),
    );
    plain.end();
    await written;
    return contents;
  } catch (error) {
    plain.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
}

/** Writes bytes, and waits while the buffer of the stream is full. */
async function send(to: Writable, bytes: Buffer, end: Promise<void>): Promise<void> {
  if (to.write(bytes)) return;
  const drained = new Promise<void>((done) => to.once("drain", done));
  await Promise.race([drained, end]);
}

async function proveBackup(
  url: string,
  path: string,
  passphrase: string,
  contents: DatabaseChecksums,
): Promise<BackupState["proof"]> {
  try {
    requireSameContents(
      contents,
      await inScratchDatabase(url, (scratch) => restoreBackup(path, passphrase, scratch)),
    );
    return "restored";
  } catch (error) {
    // An older build on a newer schema has no migrations to restore with.
    if (!(error instanceof CannotCreateDatabaseError || error instanceof UnknownMigrationError)) throw error;
    requireSameContents(contents, await readBack(path, passphrase));
    return "read back";
  }
}

/** Thrown if the database role may not create databases. */
export class CannotCreateDatabaseError extends Error {
  constructor() {
    super("The role may not create databases: alter role signals createdb");
    this.name = "CannotCreateDatabaseError";
  }
}

/**
 * Creates an empty database on the server of `url`, calls `use` with its address, and drops it. Throws CannotCreateDatabaseError if
 * the role may not create databases.
 */
export async function inScratchDatabase<T>(url: string, use: (scratchUrl: string) => Promise<T>): Promise<T> {
  const name = `signals_backup_${randomBytes(4).toString("hex")}`;
  return withClient(url, async (client) => {
    try {
      await client.unsafe(`create database ${name}`);
    } catch (error) {
      if (!(error instanceof postgres.PostgresError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
      throw new CannotCreateDatabaseError();
    }
    try {
      const scratch = new URL(url);
      scratch.pathname = `/${name}`;
      return await use(scratch.href);
    } finally {
      await client.unsafe(`drop database if exists ${name} with (force)`);
    }
  });
}

const INSUFFICIENT_PRIVILEGE = "42501";

/** The contents that the last line of a backup states. Reading it decrypts every piece of the file. */
async function readBack(path: string, passphrase: string): Promise<DatabaseChecksums> {
  let last = "";
  for await (const piece of readPieces(plainBytes(path, passphrase))) if ("line" in piece) last = piece.line;
  // The cast is right: `dumpDatabase` wrote this line, and it is authenticated.
  return (JSON.parse(last) as { contents: DatabaseChecksums }).contents;
}

async function* plainBytes(path: string, passphrase: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const source = Readable.from(unseal(file, passphrase));
    const gunzip = createGunzip();
    // A failure of either stream ends both, and is thrown where the bytes are read.
    const flown = pipeline(source, gunzip);
    flown.catch(() => undefined);
    yield* gunzip;
    await flown;
  } finally {
    await file.close();
  }
}

/**
 * Deletes all but the newest `keep` backups. A file that cannot be deleted is only logged, because an error here would
 * leave the good new backup unrecorded, and the next one would be taken at once.
 */
async function deleteOldest(dir: string, keep: number): Promise<void> {
  for (const name of (await listBackups(dir)).slice(keep))
    await rm(join(dir, name)).catch((error) =>
      log("error", "could not delete an old backup", { error: errorFacts(error) }),
    );
}

async function withClient<T>(url: string, use: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const client = postgres(url, { ...connectionOptions(1, WITHOUT_END), max_lifetime: null });
  try {
    return await use(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}
