import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "postgres";

const MAX_ATTEMPTS = 180;
const TRY_MS = 1_000;

/**
 * Waits until the numbers of signals and outcomes no longer change within a second, and the days before yesterday are
 * summed. The first start stores the simulated history in large transactions, which other writers of signals wait for;
 * until the sums exist, reads of long windows are slow. Throws after 180 checks.
 */
export async function waitForSimulatedHistory(sql: Sql): Promise<void> {
  let rows = 0;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    await pause(TRY_MS);
    const [now] = await sql`
      select ((select count(*) from signals) + (select count(*) from outcomes))::int as n,
             not exists (select 1 from dirty_days where kind <> 'month' and day < (now() at time zone 'UTC')::date - 1) as is_summed`;
    if (rows > 0 && now?.n === rows && now?.is_summed) return;
    rows = now?.n ?? 0;
  }
  throw new Error("the simulated market does not settle");
}
