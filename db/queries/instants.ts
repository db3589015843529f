import { type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";

/** The database's clock, as of now and not of the beginning of the transaction: the one clock that all instances share. */
export async function readClock(handle: Handle): Promise<Date> {
  const [row] = await handle.execute<{ now_ms: string }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now_ms`,
  );
  return new Date(Number(row?.now_ms));
}

/**
 * A timestamp as epoch milliseconds, for statements written by hand: their rows come without column types. `expression`
 * is SQL of the source, never of a request.
 */
export function epochMs(expression: string): SQL {
  return sql`extract(epoch from ${sql.raw(expression)}) * 1000`;
}

/** The instant that `epochMs` selected. */
export function toInstant(ms: string | number): Date {
  return new Date(Number(ms));
}

/** The same where there may be none. */
export function toInstantOrNull(ms: string | number | null): Date | null {
  return ms === null ? null : toInstant(ms);
}
