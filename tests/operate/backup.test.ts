import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checksumDatabase } from "@/db/backup/dump";
import { DatabaseNotEmptyError } from "@/db/backup/load";
import { readPieces } from "@/db/backup/read-pieces";
import { db, workerDb } from "@/db/client";
import {
  deleteBackupState,
  readBackupHistory,
  readRestoreDrillState,
  writeBackupState,
} from "@/db/queries/backup-state";
import { backupAge, backupPlan } from "@/lib/health/backup-age";
import { readGauges } from "@/lib/health/read-gauges";
import { env } from "@/lib/runtime/env";
import { listBackups, restoreBackup, restoreService, takeBackup } from "@/lib/server/upkeep/backup";
import { takeDueBackup } from "@/lib/server/upkeep/scheduled-backup";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, testEnvironment, useDatabase } from "@/tests/support/database";
import { deliver, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { withDatabase } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

const root = fileURLToPath(new URL("../..", import.meta.url));
const passphrase = "correct horse battery staple";
const dir = temporaryDirectory("signal-backups-");
const made: string[] = [];
let sql: postgres.Sql;

/** An empty database of the suite's server. */
async function emptyDatabase(): Promise<string> {
  const name = `empty_${randomUUID().slice(0, 8)}`;
  await sql.unsafe(`create database ${name}`);
  made.push(name);
  return withDatabase(process.env.DATABASE_URL ?? "", name);
}

beforeAll(async () => {
  sql = connectDirectly();
  const { key } = await makeKey({ email: "ada@example.com" });
  for (let ticket = 1; ticket <= 30; ticket++)
    await call("POST", "/api/executions", {
      key,
      body: { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 },
    });
  await deliver(paymentEvent());
  // More rows than the driver reads at once, in one of the first tables and in a later one.
  await sql`insert into settings (name, value) select 'long/' || n, to_jsonb(repeat('x', 200)) from generate_series(1, 5000) n`;
  await sql`insert into admin_audit (actor, action, target) select 'worker', repeat('y', 100), n::text
            from generate_series(1, 5000) n`;
  // Values that break text formats: line breaks, tabs, backslashes, the end mark, other alphabets, the empty string.
  for (const notes of ["a\nb\tc\\d", "\\.", "\\.\n\\.", "鍵 ключ", "", "\r\n"])
    await sql`insert into settings (name, value) values (${`odd/${notes}`}, ${sql.json({ notes })})`;
});
afterAll(async () => {
  for (const name of made) await sql.unsafe(`drop database if exists ${name} with (force)`);
  await sql.end();
});

const address = () => process.env.DATABASE_URL ?? "";

describe("a backup", () => {
  it("a backup restores the same rows, sums and sequences into an empty database", async () => {
    const former = {
      file: "former.backup",
      takenAt: "2026-01-01T00:00:00Z",
      bytes: 1,
      seconds: 1,
      tables: 1,
      rows: 1,
    };
    await writeBackupState(workerDb(), { ...former, proof: "restored" });
    const state = await takeBackup(address(), { dir, passphrase, keep: 3 });
    expect(state).toMatchObject({ proof: "restored", dir });
    expect(state.rows).toBeGreaterThan(60);

    const target = await emptyDatabase();
    const contents = await restoreBackup(join(dir, state.file), passphrase, target);
    expect(contents.tables.executions?.rows).toBe(30);
    const client = postgres(target, { max: 1, onnotice: () => undefined });
    try {
      expect(await checksumDatabase(client)).toEqual(await checksumDatabase(sql));
      // Sums maintained by triggers are restored, not counted a second time, and the triggers work again.
      const [days] = await client`select sum(n_total)::int as n from execution_days`.catch(() => [
        { n: null },
      ]);
      const [wanted] = await sql`select sum(n_total)::int as n from execution_days`.catch(() => [
        { n: null },
      ]);
      expect(days).toEqual(wanted);
      const [off] =
        await client`select count(*)::int as n from pg_trigger where not tgisinternal and tgenabled = 'D'`;
      expect(off?.n).toBe(0);
      const [next] = await client`select nextval('executions_id_seq')::int as id`;
      expect(next?.id).toBeGreaterThan(30);
    } finally {
      await client.end();
    }
    await deleteBackupState(workerDb());
  });

  it("a restored service knows nothing of the former installation's backups, and takes its own first one", async () => {
    const [name = ""] = await listBackups(dir);
    const target = await emptyDatabase();
    await restoreService(join(dir, name), passphrase, target);
    const client = postgres(target, { max: 1, onnotice: () => undefined });
    try {
      const kept =
        await client`select name from settings where name like '%backup%' or name like '%restore%'`;
      expect(kept.map(({ name: setting }) => setting)).toEqual([]);
    } finally {
      await client.end();
    }
  });

  it("a backup is unreadable without its passphrase, and the error says so", async () => {
    const [name = ""] = await listBackups(dir);
    const bytes = readFileSync(join(dir, name));
    expect(bytes.includes("ada@example.com")).toBe(false);
    const target = await emptyDatabase();
    await expect(restoreBackup(join(dir, name), "another passphrase", target)).rejects.toThrow(/passphrase/);

    const changed = join(dir, "changed");
    writeFileSync(changed, bytes);
    const middle = Math.floor(bytes.length / 2);
    writeFileSync(
      changed,
      Buffer.concat([
        bytes.subarray(0, middle),
        Buffer.from([bytes[middle]! ^ 1]),
        bytes.subarray(middle + 1),
      ]),
    );
    await expect(restoreBackup(changed, passphrase, target)).rejects.toThrow(/changed/);
    truncateSync(changed, middle);
    await expect(restoreBackup(changed, passphrase, target)).rejects.toThrow(/changed|truncated/);
    writeFileSync(changed, "something else entirely, long enough to be read");
    await expect(restoreBackup(changed, passphrase, target)).rejects.toThrow(/not a backup/);
  });

  it("a backup is not restored over existing data", async () => {
    const [name = ""] = await listBackups(dir);
    await expect(restoreBackup(join(dir, name), passphrase, address())).rejects.toThrow(
      DatabaseNotEmptyError,
    );
  });

  it("a backup is deleted when newer ones exceed the number to keep", async () => {
    const own = join(dir, "kept");
    mkdirSync(own);
    for (const day of ["01", "02", "03"]) writeFileSync(join(own, `signals-202601${day}T000000Z.backup`), "");
    const { file } = await takeBackup(address(), { dir: own, passphrase, keep: 2 });
    expect(readdirSync(own).toSorted()).toEqual(["signals-20260103T000000Z.backup", file]);
  });

  it("a backup is taken although an old file cannot be deleted, and the others are deleted", async () => {
    const own = join(dir, "stuck");
    // A folder cannot be deleted like a file.
    for (const year of ["2024", "2025", "2026"])
      if (year === "2025") mkdirSync(join(own, `signals-${year}0101T000000Z.backup`), { recursive: true });
      else {
        mkdirSync(own, { recursive: true });
        writeFileSync(join(own, `signals-${year}0101T000000Z.backup`), "");
      }
    const { file } = await takeBackup(address(), { dir: own, passphrase, keep: 1 });
    expect(readdirSync(own).toSorted()).toEqual(["signals-20250101T000000Z.backup", file]);
  });

  it("the first backup is late once the worker failed to take it", async () => {
    const file = join(dir, "not-a-folder");
    writeFileSync(file, "");
    Object.assign(env(), { backup: { dir: file, passphrase } });
    const age = async () => backupAge(backupPlan(), await readBackupHistory(db()), new Date());
    expect(await age()).toEqual({ hours: null, isLate: false });
    await expect(takeDueBackup(db(), new Date())).rejects.toThrow();
    expect(await age()).toEqual({ hours: null, isLate: true });
    Object.assign(env(), { backup: null });
  });

  it("the worker takes a backup that is due, and no second one directly afterwards", async () => {
    const backup = { dir: join(dir, "due"), passphrase };
    Object.assign(env(), { backup });
    await takeDueBackup(db(), new Date());
    const { last } = await readBackupHistory(db());
    expect(last?.proof).toBe("restored");
    await takeDueBackup(db(), new Date());
    expect(await listBackups(backup.dir)).toHaveLength(1);
    Object.assign(env(), { backup: null });
  });

  it("the restore command with --drill restores a backup on trial, records the run and cleans up", async () => {
    const [name = ""] = await listBackups(dir);
    const run = spawnSync(process.execPath, ["--import", "tsx", "lib/commands/restore.ts", name, "--drill"], {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        ...testEnvironment(address()),
        NODE_ENV: "test",
        BACKUP_DIR: dir,
        BACKUP_PASSPHRASE: passphrase,
      },
    });
    expect([run.stderr, run.status]).toEqual(["", 0]);
    expect(run.stdout).toMatch(/^drill: \d+ rows restored in \d+(\.\d)? s, equal to the backup/);
    const drill = await readRestoreDrillState(db());
    expect(drill).toMatchObject({ file: name });
    const [left] =
      await sql`select count(*)::int as n from pg_database where datname like 'signals_backup_%'`;
    expect(left?.n).toBe(0);
    const gauge = (await readGauges()).find(({ name }) => name === "restore_drill_timestamp_seconds");
    expect(gauge?.values[0]?.value).toBeCloseTo(Date.parse(drill?.at ?? "") / 1_000, 0);
  });

  it("a backup is restored after its passphrase was replaced, with the previous one still configured", async () => {
    const [name = ""] = await listBackups(dir);
    const target = await emptyDatabase();
    const restore = (words: string[], extra: Record<string, string>) =>
      spawnSync(process.execPath, ["--import", "tsx", "lib/commands/restore.ts", name, ...words], {
        cwd: root,
        encoding: "utf8",
        env: {
          PATH: process.env.PATH ?? "",
          ...testEnvironment(address()),
          NODE_ENV: "test",
          BACKUP_DIR: dir,
          BACKUP_PASSPHRASE: "the passphrase of today",
          ...extra,
        },
      });
    const without = restore(["--to", target], {});
    expect([without.status, without.stderr]).toEqual([1, expect.stringMatching(/passphrase/)]);
    const wrong = restore(["--to", target], { BACKUP_PASSPHRASE_PREVIOUS: "a passphrase of nobody" });
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringMatching(/passphrase/)]);
    const former = { BACKUP_PASSPHRASE_PREVIOUS: passphrase };
    const drill = restore(["--drill"], former);
    expect([drill.stderr, drill.status]).toEqual(["", 0]);
    const run = restore(["--to", target], former);
    expect([run.stderr, run.status]).toEqual(["", 0]);
    expect(run.stdout).toMatch(/rows restored in .* equal to the backup/);
    const client = postgres(target, { max: 1 });
    const [found] = await client`select count(*)::int as n from executions`;
    await client.end();
    expect(found?.n).toBe(30);
  });

  it("the backup command with --into copies everything into another database", async () => {
    const target = await emptyDatabase();
    const run = spawnSync(process.execPath, ["--import", "tsx", "lib/commands/backup.ts", "--into", target], {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        ...testEnvironment(address()),
        NODE_ENV: "test",
        BACKUP_DIR: join(dir, "moved"),
        BACKUP_PASSPHRASE: passphrase,
      },
    });
    expect(run.stderr).toBe("");
    expect(run.stdout).toMatch(/restored into an empty database and compared\n.*has the same contents/);
    expect(run.status).toBe(0);
    const client = postgres(target, { max: 1 });
    const [found] = await client`select count(*)::int as n from executions`;
    await client.end();
    expect(found?.n).toBe(30);
  });
});

describe("the lines of a backup", () => {
  it("the lines of a backup are found in a stream cut into chunks of six sizes", async () => {
    const text =
      '{"format":1}\n{"table":"a","columns":["x"]}\n1\\\\.\n\\\\.\nx\\.\n\\.\n{"table":"b","columns":[]}\n\\.\n{"contents":{}}\n';
    for (const size of [1, 2, 3, 5, 7, 1000]) {
      const chunks = async function* () {
        for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
      };
      let rows = "";
      const lines: string[] = [];
      for await (const piece of readPieces(chunks())) {
        if ("line" in piece) lines.push(piece.line);
        else if ("rows" in piece) rows += piece.rows.toString();
      }
      expect(rows, `pieces of ${size}`).toBe("1\\\\.\n\\\\.\nx\\.\n");
      expect(lines).toHaveLength(4);
    }
  });
});
