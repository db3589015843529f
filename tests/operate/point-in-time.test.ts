import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import {
  baseBackup,
  connectAsSuperuser,
  giveToPostgres,
  postgresPrograms,
  type RunningPostgres,
  SUPERUSER_PASSWORD,
  startPostgres,
} from "@/tests/support/replica";
import { waitUntil } from "@/tests/support/server";

const guide = readFileSync(
  fileURLToPath(new URL("../../docs/operations/README.md", import.meta.url)),
  "utf8",
);
/** The two postgresql.conf fragments of the guide. */
const [archiving = "", recovery = ""] = [...guide.matchAll(/^```ini\n(.*?)^```$/gms)]
  .map(([, block = ""]) => block)
  .filter((block) => /^(?:archive|restore)_command/m.test(block));

// Skipped without a system PostgreSQL.
describe.skipIf(postgresPrograms === null)("point-in-time recovery as in the guide", () => {
  let server: RunningPostgres | null = null;
  afterAll(async () => {
    await server?.stop("SIGQUIT");
    if (server) rmSync(dirname(server.directory), { recursive: true, force: true });
  });

  it("point-in-time recovery as in the guide restores exactly the data of that moment", {
    timeout: 120_000,
  }, async () => {
    server = await startPostgres();
    const { directory } = server;
    const beside = (name: string) => join(dirname(directory), name);
    const here = (text: string) =>
      text.replaceAll("/srv/wal", beside("wal")).replace(/archive_timeout = \d+/, "archive_timeout = 1");
    mkdirSync(beside("wal"));
    giveToPostgres(beside("wal"));
    expect(archiving).toContain("archive_command");
    appendFileSync(join(directory, "postgresql.conf"), here(archiving));
    await server.stop();
    await server.start();

    const url = server.url("postgres", SUPERUSER_PASSWORD, "postgres");
    await migrateDatabase(url);
    let sql = connectAsSuperuser(server);
    const report = (ticket: number) => sql`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at)
      values (0, ${ticket}, 'EURUSD', 'EURUSD', 'H1', 'BUY', now())`;
    await report(1);
    baseBackup(server, beside("base"));
    await report(2);
    await pause(1_100);
    const [moment] = await sql<{ at: string }[]>`select now()::text as at`;
    await pause(1_100);
    await report(3);
    const [{ file } = { file: "" }] = await sql<
      { file: string }[]
    >`select pg_walfile_name(pg_switch_wal()) as file`;
    await waitUntil(async () => existsSync(join(beside("wal"), file)), 30_000);
    await sql.end();

    await server.stop("SIGQUIT");
    renameSync(directory, beside("lost"));
    cpSync(beside("base"), directory, { recursive: true });
    expect(recovery).toContain("recovery_target_time");
    appendFileSync(
      join(directory, "postgresql.conf"),
      here(recovery).replace(/recovery_target_time = '[^']*'/, `recovery_target_time = '${moment?.at}'`),
    );
    writeFileSync(join(directory, "recovery.signal"), "");
    giveToPostgres(directory);
    await server.start();
    sql = connectAsSuperuser(server);
    await waitUntil(async () => {
      const [row] = await sql`select pg_is_in_recovery() as recovers`.catch(() => []);
      return row?.recovers === false;
    }, 30_000);
    const tickets = await sql`select ticket::int from executions order by ticket`;
    expect(tickets.map(({ ticket }) => ticket)).toEqual([1, 2]);
    await report(4);
    await sql.end();
  });
});
