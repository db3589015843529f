import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "postgres";

const MOST_TRIES = 180;
const TRY_MS = 1_000;

/**
 * Waits until the past of the simulated market is there. It is made in one go at the first start, and everyone who writes
 * waits for it. Its days are summed up within the minute after; until then what is read over long windows is read by rows.
 */
export async function settledMarket(sql: Sql): Promise<void> {
  let rows = 0;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await pause(TRY_MS);
    const [now] = await sql`
      select ((select count(*) from signals) + (select count(*) from outcomes))::int as n,
             not exists (select 1 from open_days where kind <> 'month' and day < (now() at time zone 'UTC')::date - 1) as is_summed`;
    if (rows > 0 && now?.n === rows && now?.is_summed) return;
    rows = now?.n ?? 0;
  }
  throw new Error("the simulated market does not settle");
}
