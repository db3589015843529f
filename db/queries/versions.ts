import { type SQL, sql } from "drizzle-orm";

type Counter = "signals" | "models" | "outcomes";

/**
 * SQL that increases a counter of `state_versions`: microseconds since 1970, but always more than before. So a
 * database that was restored or promoted without the last commits continues above all published values, and no cached
 * answer is mistaken for a newer one.
 */
export function bumpVersion(counter: Counter): SQL {
  const held = sql.identifier(counter);
  return sql`${held} = greatest(${held} + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
}
