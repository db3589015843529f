import { type SQL, sql } from "drizzle-orm";

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
