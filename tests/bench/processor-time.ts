import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";

const TICK_MS = 10;

/**
 * Processor time in milliseconds that a process and the running processes that it started have used so far, such as the
 * HTTP server and its page process, in steps of 10 ms.
 */
export function processorMsWithChildren(pid: number): number {
  const folder = join("/proc", String(pid));
  // proc(5): user and system time are fields 14 and 15; the name before them may contain blanks.
  const fields = readFileSync(join(folder, "stat"), "utf8").split(") ")[1]?.split(" ") ?? [];
  const started = readdirSync(join(folder, "task")).flatMap((thread) =>
    readFileSync(join(folder, "task", thread, "children"), "utf8")
      .split(" ")
      .filter(Boolean),
  );
  return started.reduce(
    (sum, child) => sum + processorMsWithChildren(Number(child)),
    TICK_MS * (Number(fields[11]) + Number(fields[12])),
  );
}

/**
 * Processor time in milliseconds used so far by the processes that pg_stat_activity of this PostgreSQL server lists
 * now. The server must run on this machine.
 */
export async function databaseProcessorMs(sql: postgres.Sql): Promise<number> {
  const processes = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  return processes.reduce((sum, { pid }) => sum + processorMsWithChildren(pid), 0);
}
