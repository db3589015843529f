import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, customType, timestamp } from "drizzle-orm/pg-core";

/** The only timestamp type: an instant, a `Date` in code, stored with time zone. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

export const createdAt = () => instant("created_at").notNull().defaultNow();

/** CHECK condition: the column holds one of these words. They come from the vocabulary, never from a request. */
export function oneOf(column: AnyPgColumn, words: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(", "))})`;
}

/** A 64-bit number that must stay exact, such as a ticket. */
export const exactInteger = customType<{ data: bigint; driverData: string }>({
  dataType: () => "bigint",
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => value.toString(),
});

/** Ten-minute spans of a day, one bit each. */
export const seenSpans = customType<{ data: string; driverData: string }>({ dataType: () => "bit(144)" });
