import { type SQL, sql } from "drizzle-orm";

/** A timestamp as epoch milliseconds, for statements written by hand: their rows come without column types. */
export function epochMs(column: SQL | string): SQL {
  return sql`extract(epoch from ${typeof column === "string" ? sql.raw(column) : column}) * 1000`;
}

/** The instant that `epochMs` selected. */
export function toInstant(ms: string | number): Date {
  return new Date(Number(ms));
}

/** The same where there may be none. */
export function toInstantOrNull(ms: string | number | null): Date | null {
  return ms === null ? null : toInstant(ms);
}
