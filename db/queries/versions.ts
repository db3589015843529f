import { type SQL, sql } from "drizzle-orm";

type Counter = "signals" | "models" | "outcomes";

/**
 * SQL that increases a counter of `state_versions` to the epoch microseconds, or by one if that is not more. So a database
 * that was restored or promoted without the last commits continues above all values used before, and no cached answer of
 * the lost commits counts as current.
 */
export function versionIncrement(counter: Counter): SQL {
  const held = sql.identifier(counter);
  return sql`${held} = greatest(${held} + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
}
