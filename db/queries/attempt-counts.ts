import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";

/** Number of attempts in the current time window, and the seconds until it ends, by the database's clock; at least 1. */
export interface AttemptCount {
  n: number;
  resetSeconds: number;
}

/**
 * Counts one attempt at a guarded action, such as a sign-in, and returns the new count. A time window begins with its first
 * attempt and ends after `seconds`. `nameHash` is the hash of the name under which attempts are counted.
 */
export async function addAttempt(
  handle: DatabaseHandle,
  nameHash: string,
  seconds: number,
): Promise<AttemptCount> {
  const isOver = sql`attempt_counts.window_start <= now() - make_interval(secs => ${seconds})`;
  const [row] = await handle.execute<{ n: number; reset: number }>(sql`
    insert into attempt_counts (name_hash, window_start, n) values (${nameHash}, now(), 1)
    on conflict (name_hash) do update
       set n = case when ${isOver} then 1 else attempt_counts.n + 1 end,
           window_start = case when ${isOver} then now() else attempt_counts.window_start end
    returning n, ceil(extract(epoch from window_start - now()) + ${seconds})::int as reset`);
  return { n: row?.n ?? 1, resetSeconds: Math.max(1, row?.reset ?? seconds) };
}

/** The number of attempts in the current time window of `seconds`; `n` is 0 if there is none. */
export async function readAttempts(
  handle: DatabaseHandle,
  nameHash: string,
  seconds: number,
): Promise<AttemptCount> {
  const [row] = await handle.execute<{ n: number; reset: number }>(sql`
    select n, ceil(extract(epoch from window_start - now()) + ${seconds})::int as reset
      from attempt_counts
     where name_hash = ${nameHash} and window_start > now() - make_interval(secs => ${seconds})`);
  return { n: row?.n ?? 0, resetSeconds: Math.max(1, row?.reset ?? 1) };
}

/** Deletes the counts of time windows that began more than a day ago. */
export async function removeOldAttempts(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`delete from attempt_counts where window_start < now() - interval '1 day'`);
}
