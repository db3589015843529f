import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, customType, timestamp } from "drizzle-orm/pg-core";

/** A `timestamptz` column, read as a `Date`. The schema uses no other timestamp type. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

export const createdAt = () => instant("created_at").notNull().defaultNow();

/**
 * CHECK condition: the column contains one of these words, which must be written in the code, never come from a
 * request.
 */
export function oneOf(column: AnyPgColumn, words: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(", "))})`;
}

/** A `bigint` column, read as a BigInt, for numbers that may exceed 2^53, such as a ticket. */
export const exactInteger = customType<{ data: bigint; driverData: string }>({
  dataType: () => "bigint",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** A column with one bit for each of 144 ten-minute spans, together 24 hours. */
export const seenSpans = customType<{ data: string; driverData: string }>({ dataType: () => "bit(144)" });
