import { type SQL, sql } from "drizzle-orm";

type Counter = "signals" | "models" | "outcomes";

/**
 * Moves a counter of `state_versions` in an update: `set` of it. Microseconds since 1970, and in any case more than
 * before. So a database that was restored, or took over without the last commits of another, counts on above whatever
 * was told of those, and nobody takes what he holds for the newer.
 */
export function bumpVersion(counter: Counter): SQL {
  const held = sql.identifier(counter);
  return sql`${held} = greatest(${held} + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;
}
