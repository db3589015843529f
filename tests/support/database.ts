import { randomBytes } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll } from "vitest";
import { SERVER_URL, startServerUnderTest } from "./server-under-test";
import { TEMPLATE_DATABASE, withDatabase } from "./suite-database";

export const ADMIN_SECRET = "test-admin-secret-0123456789";

/** The environment variables of a process under test: none of the machine's own, plus `extra`. */
export function testEnvironment(
  databaseUrl: string,
  extra: Record<string, string> = {},
): Record<string, string> {
  return {
    NODE_ENV: "test",
    ...addresses(databaseUrl),
    // Each test process has its own, because the last published checkpoint of the ledger is a file in it.
    DATA_DIR: join(process.env.TEST_DIRECTORY ?? ".", `service-${process.pid}`),
    ADMIN_SECRET,
    NEXTAUTH_SECRET: "test-nextauth-secret-0123456789",
    ENCRYPTION_KEY: "test-encryption-key-0123456789",
    BASE_URL: "https://signals.example.test",
    LOG_LEVEL: "debug",
    LOG_FILE: join(process.env.TEST_DIRECTORY ?? ".", `log-${process.pid}.ndjson`),
    ...extra,
  };
}

/** Variables with the database's address or, when the suite uses a pooler, with the pooler's and the direct address. */
function addresses(databaseUrl: string): Record<string, string> {
  const pooler = process.env.TEST_POOLER_URL;
  if (!pooler) return { DATABASE_URL: databaseUrl };
  return {
    DATABASE_URL: withDatabase(pooler, new URL(databaseUrl).pathname.slice(1)),
    DATABASE_DIRECT_URL: databaseUrl,
  };
}

/** Creates an empty, migrated database. Returns its address and a function that drops it. */
export async function createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = process.env.TEST_SERVER_URL;
  if (!server) throw new Error("the suite's PostgreSQL is not running: see tests/support/global-setup.ts");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const sql = postgres(server, { max: 1, onnotice: () => undefined });
  // Databases are created from the template one at a time; the lock ends with the connection.
  await sql`select pg_advisory_lock(1)`;
  await sql.unsafe(`create database ${name} template ${TEMPLATE_DATABASE}`);
  await sql.end();
  return {
    url: withDatabase(server, name),
    drop: async () => {
      const admin = postgres(server, { max: 1, onnotice: () => undefined });
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}

/**
 * Gives this test file its own database and points the configuration at it. `extra` are further variables. Call it at
 * the top of the file, before anything reads the configuration. With INTERFACE_URL set, a server is started over the
 * database.
 */
export function useDatabase(extra: Record<string, string> = {}): void {
  let drop = async () => {};
  let stop: () => Promise<unknown> = async () => {};
  beforeAll(async () => {
    const database = await createDatabase();
    drop = database.drop;
    Object.assign(process.env, testEnvironment(database.url, extra));
    if (SERVER_URL !== null) stop = await startServerUnderTest(testEnvironment(database.url, extra));
  }, 120_000);
  afterAll(async () => {
    await stop();
    await drop();
  }, 60_000);
}

/**
 * Direct connections for inspecting tables, separate from the pool under test and never through its pooler: they use
 * named statements, which a pooled server connection does not know.
 */
export function connectDirectly(max = 2): postgres.Sql {
  return postgres(process.env.DATABASE_DIRECT_URL ?? process.env.DATABASE_URL ?? "", {
    max,
    onnotice: () => undefined,
  });
}
