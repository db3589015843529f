import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultMigrationsFolder, migrateDatabase } from "@/db/migrate";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import { MIGRATIONS } from "@/db/schema-guard";
import { env, parseEnv } from "@/lib/runtime/env";
import { takeBackup } from "@/lib/server/upkeep/backup";
import { checkUpgrade } from "@/lib/server/upkeep/upgrade";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { schemaFloorStatement } from "@/tests/support/schema-floor";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

/** Creates a folder with all migrations except the newest. Returns its path. */
function allButNewest(): string {
  const folder = temporaryDirectory("signal-migrations-");
  mkdirSync(join(folder, "meta"));
  const entries = journal.entries.toSorted((a, b) => a.when - b.when).slice(0, -1);
  for (const { tag } of entries)
    cpSync(join(defaultMigrationsFolder(), `${tag}.sql`), join(folder, `${tag}.sql`));
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
  return folder;
}

const passphrase = "correct horse battery staple";
const newest = MIGRATIONS.at(-1);
let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  Object.assign(process.env, testEnvironment(database.url));
  await sql.unsafe("drop schema public cascade; drop schema drizzle cascade; create schema public");
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const say = async (variables: Record<string, string> = {}) =>
  (await checkUpgrade(database.url, Object.assign(env(), parseEnv({ ...process.env, ...variables })))).map(
    ({ part, state, text }) => `${state} ${part}: ${text}`,
  );

describe.sequential("the upgrade preview", () => {
  it("the upgrade preview of an empty database says that the first start creates the schema", async () => {
    expect(await say()).toEqual(["ok upgrade: the database is empty: the first start creates the schema"]);
  });

  it("the upgrade preview lists the pending migrations, their time on a copy, and the way back", async () => {
    await migrateDatabase(database.url, allButNewest());
    await sql`insert into settings (name, value) select 'long/' || n, to_jsonb(n) from generate_series(1, 500) n`;
    expect(await say()).toEqual([
      `look upgrade: ${newest?.tag} is to come`,
      "look duration: not measured: there is no backup",
      "ok going back: no migration is breaking: the previous build can be started again",
    ]);
    const dir = temporaryDirectory("signal-upgrade-");
    // The backup that the preview restores.
    await takeBackup(database.url, { dir, passphrase, keep: 1 });
    const told = await say({ BACKUP_DIR: dir, BACKUP_PASSPHRASE: passphrase });
    expect(told[1]).toMatch(
      /^ok duration: \d+\.\d s for the migrations on a copy of [5-9]\d\d rows, restored from /,
    );
    const [left] =
      await sql`select count(*)::int as n from pg_database where datname like 'signals_backup_%'`;
    expect(left?.n).toBe(0);
    const [untouched] = await sql`select max(created_at)::float8 as ms from drizzle.__drizzle_migrations`;
    expect(untouched?.ms).toBeLessThan(newest?.when ?? 0);
  });

  it("the upgrade preview says that release 1.2.0 cannot start on the new schema, and refuses an older one", async () => {
    await sql`delete from drizzle.__drizzle_migrations where created_at > ${MIGRATIONS[0]?.when ?? 0}`;
    expect((await say()).at(-1)).toBe(
      "look going back: release 1.2.0 does not start on the schema of a newer build",
    );
    await sql`update drizzle.__drizzle_migrations set created_at = created_at - 1`;
    expect(await say()).toEqual(["wrong upgrade: the schema is older than release 1.2.0"]);
  });

  it("the upgrade preview accepts a current and a newer schema, and refuses a newer one with a breaking migration", async () => {
    await sql.unsafe("drop schema public cascade; drop schema drizzle cascade; create schema public");
    await migrateDatabase(database.url);
    expect((await say())[0]).toMatch(/^ok upgrade: the schema is current/);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2099, 0)})`;
    expect((await say())[0]).toMatch(/^ok upgrade: .*breaking/);
    const { proof } = await takeBackup(database.url, {
      dir: temporaryDirectory("signal-ahead-"),
      passphrase,
      keep: 1,
    });
    expect(proof).toBe("read back");
    await sql.unsafe(schemaFloorStatement(Date.UTC(2099, 0)));
    expect((await say())[0]).toMatch(/^wrong upgrade: .*breaking/);
  });
});
