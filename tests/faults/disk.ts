import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { connectionOptions } from "@/db/client";
import { pickFreePort } from "@/db/embedded/cluster";
import { embeddedDatabaseUrl } from "@/db/embedded/cluster-file";
import { makeKeys } from "@/tests/bench/service";
import { Dice } from "@/tests/support/dice";
import type { RunOptions } from "@/tests/support/run-named";
import { startProcess, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { JournalledClient, MAX_RESPONSE_MS } from "./journal";

const CLIENTS = 4;
const DISK_MB = 600;
const MIN_FULL_MS = 3_000;
const MAX_FULL_MS = 20_000;
const RECOVERY_MS = 60_000;

/**
 * Fills the disk of the embedded database and the log for 3 to 20 seconds during writes, `--rounds` times. PostgreSQL
 * stops when it cannot write its WAL. The service must survive and accept reports again within a minute after space is
 * free. Needs root with permission to mount a RAM disk.
 */
export async function fillDisk(options: RunOptions): Promise<string[]> {
  const disk = temporaryDirectory("signal-disk-");
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=0755`, "tmpfs", disk]);
  try {
    return await runOn(disk, options);
  } finally {
    execFileSync("umount", ["--lazy", disk]);
  }
}

async function runOn(disk: string, { seed, rounds }: RunOptions): Promise<string[]> {
  const dice = new Dice(seed);
  const port = await pickFreePort();
  const environment = {
    DATA_DIR: disk,
    PORT: String(port),
    MARKET_FEED: "off",
    LOG_FILE: join(disk, "service.log"),
  };
  const server = await startProcess("server.mjs", environment, port, (output) =>
    output.includes("is ready at"),
  );
  const sql = postgres(embeddedDatabaseUrl(disk) ?? "", connectionOptions(2));
  const keys = await makeKeys(sql, CLIENTS, "owner");
  await sql`update api_keys set rate_limit_per_min = 100000`;
  const owners = await sql<{ id: number }[]>`select subscription_id as id from api_keys order by id`;
  const clients = keys.map((key) => new JournalledClient(() => server.url, key));
  for (const client of clients) client.start();

  const full = rounds ?? 1;
  let [fullMs, slowestMs] = [0, 0];
  for (let round = 0; round < full; round++) {
    await pause(1_000 + dice.below(2_000));
    const ms = MIN_FULL_MS + dice.below(MAX_FULL_MS - MIN_FULL_MS);
    const ballast = join(disk, "ballast");
    await keepFull(ballast, ms, sql);
    fullMs += ms;
    const atTheEnd = acknowledged(clients);
    rmSync(ballast);
    const from = performance.now();
    await waitUntil(async () => acknowledged(clients) > atTheEnd, RECOVERY_MS, server.output);
    slowestMs = Math.max(slowestMs, performance.now() - from);
    // Removes the round's WAL, which would fill the disk after some rounds.
    await sql`checkpoint`.catch(() => undefined);
  }
  await pause(2_000);

  for (const client of clients) await client.stop();
  for (const [n, client] of clients.entries()) await client.judge(sql, owners[n]?.id ?? 0);
  await sql.end({ timeout: 2 });
  const code = await server.stop();
  if (code !== 0) throw new Error(`the process ended with ${code}`);
  const late = clients.reduce((sum, { waits }) => sum + waits.lateOnes.length, 0);
  const longestMs = Math.max(...clients.map(({ waits }) => waits.longestMs));
  return [
    `a disk full ${full} times, for ${Math.round(fullMs / full / 1_000)} s on average`,
    `${acknowledged(clients)} reports acknowledged: 0 lost, 0 doubled`,
    `answers over ${MAX_RESPONSE_MS} ms: ${late} (longest ${Math.round(longestMs)} ms)`,
    `recovery after space was freed: ${Math.round(slowestMs)} ms at most`,
  ];
}

async function keepFull(ballast: string, ms: number, sql: postgres.Sql): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    await fill(ballast);
    // Forces a new WAL segment, for which there is no space.
    await sql`select pg_switch_wal()`.catch(() => undefined);
    await pause(1_000);
  }
}

/** Appends to a file until the disk is full. Asynchronous, so that the clients in this process continue. */
async function fill(ballast: string): Promise<void> {
  for (const bytes of [4_194_304, 65_536, 4_096]) {
    try {
      for (;;) await appendFile(ballast, Buffer.alloc(bytes));
    } catch {
      // The disk has no room for another chunk of this size: the next smaller size follows.
    }
  }
}

function acknowledged(clients: JournalledClient[]): number {
  return clients.reduce((sum, client) => sum + client.acknowledged, 0);
}
