import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { createDatabase } from "@/tests/support/database";
import { schemaFloorStatement } from "@/tests/support/schema-floor";
import { withDatabase } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

let sql: postgres.Sql;
let fresh: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const migrated = await createDatabase();
  drop = migrated.drop;
  sql = postgres(migrated.url, { max: 2, onnotice: () => undefined });
  fresh = `fresh_${process.pid}`;
  await sql.unsafe(`create database ${fresh}`);
});
afterAll(async () => {
  await sql.unsafe(`drop database if exists ${fresh} with (force)`);
  await sql.end();
  await drop();
});

describe("migrateDatabase", () => {
  it("migrateDatabase migrates a fresh database once for four concurrent calls, and applies nothing when repeated", async () => {
    const url = withDatabase(process.env.TEST_SERVER_URL ?? "", fresh);
    await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url)));
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    const applied = () => client`select hash from drizzle.__drizzle_migrations`;
    const count = (await applied()).length;
    expect(count).toBeGreaterThanOrEqual(1);
    await migrateDatabase(url);
    expect(await applied()).toHaveLength(count);
    expect(await client`select count(*)::int as n from products`).toEqual([{ n: 9 }]);
    await client.end();
  });

  it("migrateDatabase fails without ending the process when the database stops midway", async () => {
    const stopped = await createDatabase();
    const client = postgres(stopped.url, { max: 1, onnotice: () => undefined });
    await client`truncate drizzle.__drizzle_migrations`;
    const folder = temporaryDirectory("slow-migrations-");
    mkdirSync(join(folder, "meta"));
    const entry = { idx: 0, version: "7", when: 1, tag: "0000_slow", breakpoints: true };
    const journal = { version: "7", dialect: "postgresql", entries: [entry] };
    writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify(journal));
    writeFileSync(join(folder, "0000_slow.sql"), "select pg_sleep(60)");
    const defects: unknown[] = [];
    const note = (defect: unknown) => void defects.push(defect);
    process.prependListener("uncaughtException", note);
    const failed = migrateDatabase(stopped.url, folder).catch((error: unknown) => error);
    const terminated = () => client`
      select pg_terminate_backend(pid, 2000) from pg_stat_activity where query = 'select pg_sleep(60)'`;
    await expect.poll(terminated, { timeout: 10_000 }).toHaveLength(1);
    expect(await failed).toBeInstanceOf(Error);
    // The driver's delayed writes are sent in the next round.
    await new Promise((done) => setTimeout(done, 200));
    process.off("uncaughtException", note);
    expect(defects).toEqual([]);
    await client.end();
    await stopped.drop();
  });

  it("migrateDatabase leaves a database unchanged that a newer build migrated without a breaking migration", async () => {
    const newer = await createDatabase();
    const client = postgres(newer.url, { max: 1, onnotice: () => undefined });
    await client`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2099, 0)})`;
    const applied = () => client`select * from drizzle.__drizzle_migrations order by id`;
    const before = await applied();
    await migrateDatabase(newer.url);
    expect(await applied()).toEqual(before);
    // A schema floor of a breaking migration that this build contains.
    await client.unsafe(schemaFloorStatement(Date.UTC(2026, 0)));
    await migrateDatabase(newer.url);
    await client.end();
    await newer.drop();
  });

  it("migrateDatabase refuses a database with a breaking migration of a newer build, with a reason, and applies nothing", async () => {
    const newer = await createDatabase();
    const client = postgres(newer.url, { max: 1, onnotice: () => undefined });
    await client`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2099, 1)})`;
    await client.unsafe(schemaFloorStatement(Date.UTC(2099, 0)));
    const [row] = await client`select count(*)::int as n from drizzle.__drizzle_migrations`;
    const refused = await migrateDatabase(newer.url).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: "SchemaTooNewError" });
    expect(String(refused)).toMatch(/migration of this build is "\d{4}_[\w-]+" of /);
    expect(String(refused)).toContain("needs a build with the migration of 2099-01-01T00:00:00Z");
    expect(String(refused)).toContain("docs/operations, Going back");
    expect(await client`select 1 from drizzle.__drizzle_migrations`).toHaveLength(row?.n);
    await client.end();
    await newer.drop();
  });
});

describe("the schema refuses", () => {
  /** SQLSTATE of a statement that must fail. */
  async function refusal(statement: string): Promise<string> {
    const error = await sql.unsafe(statement).then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error instanceof postgres.PostgresError) return error.code;
    throw new Error("the statement was accepted");
  }
  const UNIQUE = "23505";
  const CHECK = "23514";
  const FOREIGN = "23503";

  beforeAll(async () => {
    await sql.unsafe(`
      insert into slots (id, symbol, timeframe) overriding system value values (1, 'EURUSD', 'H1');
      insert into api_keys (id, subscription_id, key_hash, hint, plan_tier) overriding system value values (1, 0, 'h', 'x', 'pro');
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at) values (0, 5, 'S', 'S', 'H1', 'BUY', now());
      insert into candles values (1, '2026-01-01', 1, 2, 1, 1.5);
      insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
        values (1, 1, '2026-01-01', '2026-01-01 01:00', 'm', 'BUY', .5, .5, .3, .2, 'R', 1);
      insert into models (slot_id, model_v, is_active, trained_at) values (1, 'm', true, now());
      insert into invoices (invoice_id, state) values ('i', 'paid');
      insert into mail_outbox (dedupe_key, kind, recipient, props) values ('d', 'k', 'r', '{}');`);
  });

  it.each([
    [
      "a key twice",
      UNIQUE,
      "insert into api_keys (subscription_id, key_hash, hint, plan_tier) values (0, 'h', 'x', 'pro')",
    ],
    ["a key both revoked and rotated", CHECK, "update api_keys set revoked_at = now(), rotated_at = now()"],
    ["a plan that does not exist", FOREIGN, "update api_keys set plan_tier = 'gold'"],
    ["a rate limit of 0", CHECK, "update api_keys set rate_limit_per_min = 0"],
    ["a key without a subscription", FOREIGN, "update api_keys set subscription_id = 12345"],
    [
      "a ticket twice for one subscription",
      UNIQUE,
      "insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at) values (0, 5, 'S', 'S', 'H1', 'BUY', now())",
    ],
    ["a ticket of 0", CHECK, "update executions set ticket = 0"],
    ["a candle twice", UNIQUE, "insert into candles values (1, '2026-01-01', 1, 2, 1, 1.5)"],
    ["a candle whose high is below its close", CHECK, "update candles set high = 1.2"],
    ["a candle at 0", CHECK, "update candles set low = 0"],
    [
      "a signal twice",
      UNIQUE,
      "insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr) select seq + 1, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr from signals",
    ],
    [
      "a number of a signal twice",
      UNIQUE,
      "insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr) select seq, slot_id, ts, closes_at, 'other', signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr from signals",
    ],
    ["a fourth direction", CHECK, "update signals set signal = 'HOLD'"],
    [
      "two champions of a slot",
      UNIQUE,
      "insert into models (slot_id, model_v, is_active, trained_at) values (1, 'n', true, now())",
    ],
    ["a slot twice", UNIQUE, "insert into slots (symbol, timeframe) values ('EURUSD', 'H1')"],
    [
      "a slot of a timeframe that does not exist",
      CHECK,
      "insert into slots (symbol, timeframe) values ('EURUSD', 'X7')",
    ],
    ["a slot of an unknown symbol", FOREIGN, "insert into slots (symbol, timeframe) values ('NOSUCH', 'H1')"],
    ["a second row of versions", CHECK, "insert into state_versions (id) values (2)"],
    ["an invoice twice", UNIQUE, "insert into invoices (invoice_id, state) values ('i', 'paid')"],
    ["an invoice in an unknown state", CHECK, "update invoices set state = 'open'"],
    [
      "one mail twice",
      UNIQUE,
      "insert into mail_outbox (dedupe_key, kind, recipient, props) values ('d', 'k', 'r', '{}')",
    ],
  ])("the schema refuses %s", async (_, code, statement) => {
    expect(await refusal(statement)).toBe(code);
  });
});
