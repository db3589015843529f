import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { findLogLeaks } from "./log-leaks";
import { startPgbouncer } from "./pgbouncer";
import { TEMPLATE_DATABASE, withDatabase, writeWithoutWaiting } from "./suite-database";
import { noteProblem } from "./suite-problems";
import { unseenAnswers } from "./unseen-answers";

/**
 * One PostgreSQL for the whole run, with a migrated template that test files clone. TEST_DATABASE_URL points the suite
 * at another server; with TEST_POOLER=pgbouncer the service connects through PgBouncer in transaction mode.
 */
export default async function setup() {
  const directory = mkdtempSync(join(tmpdir(), "signal-tests-"));
  // PostgreSQL runs as another user and must reach its files below this directory.
  mkdirSync(join(directory, "data"), { recursive: true, mode: 0o755 });
  const { chmodSync } = await import("node:fs");
  chmodSync(directory, 0o755);
  const given = process.env.TEST_DATABASE_URL;
  const embedded = given ? null : await startEmbeddedDatabase(join(directory, "data"));
  const url = given ?? embedded?.url ?? "";
  process.env.TEST_SERVER_URL = url;
  process.env.TEST_DIRECTORY = directory;

  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  if (embedded) await writeWithoutWaiting(sql);
  await sql.unsafe(`drop database if exists ${TEMPLATE_DATABASE}`);
  await sql.unsafe(`create database ${TEMPLATE_DATABASE}`);
  await sql.end();
  await migrateDatabase(withDatabase(url, TEMPLATE_DATABASE));

  const pooler = process.env.TEST_POOLER === "pgbouncer" ? await startPgbouncer(url) : null;
  if (pooler) process.env.TEST_POOLER_URL = pooler.through(url);

  return async () => {
    await pooler?.stop();
    await embedded?.stop();
    const unseen = process.env.COMPLETE_SUITE ? unseenAnswers(directory) : [];
    const leaks = findLogLeaks(directory);
    rmSync(directory, { recursive: true, force: true });
    const found: string[] = [];
    if (leaks.length > 0)
      found.push(`the suite logged what must not be logged:\n${leaks.slice(0, 20).join("\n")}`);
    if (unseen.length > 0)
      found.push(`the document describes answers that no test has seen: ${unseen.join(", ")}`);
    for (const what of found) noteProblem(what);
    if (found.length > 0) throw new Error(found.join("\n"));
  };
}
