import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checksumDatabase, dumpDatabase } from "@/db/backup/dump";
import { loadDatabase } from "@/db/backup/load";
import { defaultMigrationsFolder, migrateDatabase } from "@/db/migrate";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import { BASELINE_RELEASE } from "@/db/schema-guard";
import { dumpRows, dumpSchema } from "@/tests/support/schema-dump";
import { withDatabase } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const [baseline] = journal.entries;
if (baseline === undefined) throw new Error("there is no migration");
/** Number of migrations in release 1.2.0. */
const RELEASED_MIGRATIONS = 75;
const RELEASED = fileURLToPath(new URL("released/", import.meta.url));
const released = (name: string) => readFileSync(join(RELEASED, name), "utf8");

let server: postgres.Sql;
const made: string[] = [];
const open: postgres.Sql[] = [];

beforeAll(() => {
  server = postgres(process.env.TEST_SERVER_URL ?? "", { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  for (const sql of open) await sql.end();
  for (const name of made) await server.unsafe(`drop database if exists ${name} with (force)`);
  await server.end();
});

async function emptyDatabase(): Promise<{ url: string; sql: postgres.Sql }> {
  const name = `baseline_${process.pid}_${made.length}`;
  await server.unsafe(`create database ${name}`);
  made.push(name);
  const url = withDatabase(process.env.TEST_SERVER_URL ?? "", name);
  const sql = postgres(url, { max: 2, onnotice: () => undefined });
  open.push(sql);
  return { url, sql };
}

/** Creates a migrations folder with the baseline only. Returns its path. */
function baselineAlone(): string {
  const folder = temporaryDirectory("baseline-");
  mkdirSync(join(folder, "meta"));
  cpSync(join(defaultMigrationsFolder(), `${baseline?.tag}.sql`), join(folder, `${baseline?.tag}.sql`));
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries: [baseline] }));
  return folder;
}

/** Creates a database as release 1.2.0 leaves it: its schema, its rows, and a journal of 75 migrations. */
async function releasedDatabase() {
  const database = await emptyDatabase();
  await migrateDatabase(database.url, baselineAlone());
  await database.sql`truncate drizzle.__drizzle_migrations`;
  await database.sql`
    insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'of 1.2.0: ' || n, ${baseline?.when ?? 0}::bigint - (${RELEASED_MIGRATIONS} - n) * 60000
      from generate_series(1, ${RELEASED_MIGRATIONS}) n`;
  await database.sql.unsafe(`
    insert into slots (symbol, timeframe) values ('EURUSD', 'H1');
    insert into subscriptions (user_name, email, email_normalized) values ('Ada', 'ada@example.com', 'ada@example.com');
    insert into candles select (select id from slots), '2026-01-01'::timestamptz + n * interval '1 hour', 1, 2, 1, 1.5
      from generate_series(1, 50) n;
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at)
      select 0, n, 'EURUSD', 'EURUSD', 'H1', 'BUY', now() from generate_series(1, 20) n`);
  return database;
}

describe("the baseline migration", () => {
  it("the baseline migration creates the schema and first rows of release 1.2.0", async () => {
    const { url, sql } = await emptyDatabase();
    await migrateDatabase(url, baselineAlone());
    expect(await dumpSchema(sql)).toBe(released("schema-1.2.0.txt"));
    expect(await dumpRows(sql)).toBe(released("rows-1.2.0.txt"));
  });

  it("the baseline migration is skipped on a database of 1.2.0, whose rows and journal stay", async () => {
    const { url, sql } = await releasedDatabase();
    const before = await checksumDatabase(sql);
    await migrateDatabase(url, baselineAlone());
    expect(await checksumDatabase(sql)).toEqual(before);
    expect(await sql`select 1 from drizzle.__drizzle_migrations`).toHaveLength(RELEASED_MIGRATIONS);

    await migrateDatabase(url);
    const { tables } = await checksumDatabase(sql);
    for (const name of ["candles", "executions", "execution_days", "subscriptions"])
      expect(tables[name]?.rows, name).toBe(before.tables[name]?.rows);
    expect(before.tables.executions?.rows).toBe(20);
  });

  it("the migration refuses a database older than 1.2.0, names the release to start first, and changes nothing", async () => {
    const { url, sql } = await releasedDatabase();
    await sql`delete from drizzle.__drizzle_migrations where created_at > ${(baseline?.when ?? 0) - 40 * 60_000}`;
    const before = [await dumpSchema(sql), await sql`select * from drizzle.__drizzle_migrations order by id`];
    const refused = await migrateDatabase(url).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: "SchemaTooOldError" });
    expect(String(refused)).toContain(`Start release ${BASELINE_RELEASE} once, then this build`);
    expect([
      await dumpSchema(sql),
      await sql`select * from drizzle.__drizzle_migrations order by id`,
    ]).toEqual(before);
  });
});

/** A backup of the database as text. */
async function backupOf(sql: postgres.Sql): Promise<string> {
  const pieces: Buffer[] = [];
  await dumpDatabase(sql, async (bytes) => void pieces.push(bytes));
  return Buffer.concat(pieces).toString("utf8");
}

async function* chunks(text: string) {
  yield Buffer.from(text);
}

describe("a backup", () => {
  it("a backup of 1.2.0 is restored, even with reordered columns", async () => {
    const source = await releasedDatabase();
    const text = await backupOf(source.sql);
    expect(text).toContain(`"count":${RELEASED_MIGRATIONS}`);
    const [line, swapped] = [
      '{"table":"outbound_cursors","columns":["name","seq"]}\nresults\t0\n',
      "0\tresults\n",
    ];
    expect(text).toContain(line);
    const sha256 = (row: string) => createHash("sha256").update(row).digest("hex");
    const reordered = text
      .replace(line, `{"table":"outbound_cursors","columns":["seq","name"]}\n${swapped}`)
      .replace(sha256("results\t0\n"), sha256(swapped));
    for (const backup of [text, reordered]) {
      const target = await emptyDatabase();
      await loadDatabase(target.url, target.sql, chunks(backup));
      expect(await checksumDatabase(target.sql)).toEqual(await checksumDatabase(source.sql));
    }
    const wrong = await emptyDatabase();
    const changed = reordered.replace(swapped, "1\tresults\n");
    await expect(loadDatabase(wrong.url, wrong.sql, chunks(changed))).rejects.toThrow("outbound_cursors");
  });

  it("a backup older than 1.2.0 is refused with the release that can restore it, and the database stays empty", async () => {
    const { url, sql } = await emptyDatabase();
    const head = {
      format: 1,
      takenAt: "2026-11-22T00:00:00Z",
      migrations: { count: 35, newestMs: (baseline?.when ?? 0) - 1 },
    };
    await expect(loadDatabase(url, sql, chunks(`${JSON.stringify(head)}\n`))).rejects.toThrow(
      `Restore it with release ${BASELINE_RELEASE}`,
    );
    expect(await sql`select 1 from pg_tables where schemaname in ('public', 'drizzle')`).toHaveLength(0);
  });

  it("a backup of a newer build is refused", async () => {
    const { url, sql } = await emptyDatabase();
    const head = {
      format: 1,
      takenAt: "2099-01-01T00:00:00Z",
      migrations: { count: 2, newestMs: Date.UTC(2099, 0) },
    };
    await expect(loadDatabase(url, sql, chunks(`${JSON.stringify(head)}\n`))).rejects.toThrow(
      /does not know/,
    );
  });
});

describe("the ledger of paid time", () => {
  it("the migration takes over the paid time of every active key, to the millisecond, and writes the count to the audit log", async () => {
    const { url, sql } = await emptyDatabase();
    await migrateDatabase(url, baselineAlone());
    await sql`insert into subscriptions (id, user_name) overriding system value values (7, 'Ada')`;
    await sql`
      insert into api_keys (id, subscription_id, key_hash, hint, plan_tier, expires_at, revoked_at) values
        (1, 7, 'a', 'a', 'pro', now() + interval '40 days', null), (2, 7, 'b', 'b', 'basic', null, null),
        (3, 7, 'c', 'c', 'pro', now() - interval '1 day', null), (4, 7, 'd', 'd', 'pro', now() + interval '9 days', now())`;
    await sql`
      insert into invoices (invoice_id, state, subscription_id, key_id, plan_tier, external_subscription_id)
      values ('i', 'paid', 7, 1, 'pro', 'sub_1')`;
    const before = await sql`select id, plan_tier, expires_at from api_keys order by id`;
    await migrateDatabase(url);
    expect(await sql`select id, plan_tier, expires_at from api_keys order by id`).toEqual(before);
    const rows = await sql`
      select p.key_id, p.kind, p.plan_tier, p.external_subscription_id,
             abs(extract(epoch from k.expires_at - p.starts_at) * 1000 - p.duration_ms) < 1 as is_whole
        from paid_time p join api_keys k on k.id = p.key_id order by p.key_id`;
    expect(rows).toMatchObject([
      { key_id: 1, kind: "carried", plan_tier: "pro", external_subscription_id: "sub_1", is_whole: true },
      { key_id: 2, kind: "carried", plan_tier: "basic", external_subscription_id: null, is_whole: null },
    ]);
    const [audit] = await sql`select details from admin_audit where action = 'paid_time.carry'`;
    expect(audit).toMatchObject({ details: { keys: 2 } });
  });
});
