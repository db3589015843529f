import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";

const TICK_MS = 10;

/** Processor time in milliseconds that a process with all its threads has used so far, in steps of 10 ms. */
export function processorMs(pid: number): number {
  // proc(5): user and system time are fields 14 and 15; the name before them may contain blanks.
  const fields =
    readFileSync(join("/proc", String(pid), "stat"), "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

/**
 * Processor time in milliseconds used so far by the processes that pg_stat_activity of this PostgreSQL server lists
 * now. The server must run on this machine.
 */
export async function databaseProcessorMs(sql: postgres.Sql): Promise<number> {
  const processes = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  return processes.reduce((sum, { pid }) => sum + processorMs(pid), 0);
}
