import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";

/** Number of attempts in the current window, and the seconds until the window ends, by the database's clock. */
export interface GuardCount {
  n: number;
  resetSeconds: number;
}

/**
 * Counts one attempt at a guarded action, such as a sign-in. A window begins with its first attempt and ends after
 * `seconds`. Concurrent attempts are serialised, because they update one row.
 */
export async function addAttempt(handle: Handle, nameHash: string, seconds: number): Promise<GuardCount> {
  const isOver = sql`guard_counts.window_start <= now() - make_interval(secs => ${seconds})`;
  const [row] = await handle.execute<{ n: number; reset: number }>(sql`
    insert into guard_counts (name_hash, window_start, n) values (${nameHash}, now(), 1)
    on conflict (name_hash) do update
       set n = case when ${isOver} then 1 else guard_counts.n + 1 end,
           window_start = case when ${isOver} then now() else guard_counts.window_start end
    returning n, ceil(extract(epoch from window_start - now()) + ${seconds})::int as reset`);
  return { n: row?.n ?? 1, resetSeconds: Math.max(1, row?.reset ?? seconds) };
}

/** The count of the current window; `n` is 0 if no window is open. */
export async function readAttempts(handle: Handle, nameHash: string, seconds: number): Promise<GuardCount> {
  const [row] = await handle.execute<{ n: number; reset: number }>(sql`
    select n, ceil(extract(epoch from window_start - now()) + ${seconds})::int as reset
      from guard_counts
     where name_hash = ${nameHash} and window_start > now() - make_interval(secs => ${seconds})`);
  return { n: row?.n ?? 0, resetSeconds: Math.max(1, row?.reset ?? 1) };
}

/** Deletes windows that ended more than a day ago. */
export async function removeOldAttempts(handle: Handle): Promise<void> {
  await handle.execute(sql`delete from guard_counts where window_start < now() - interval '1 day'`);
}
