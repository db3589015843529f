import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { DAY_MS } from "@/lib/time";

export interface PublicCounts {
  activeModels: number;
  totalSignals24h: number;
  directionalSignals24h: number;
  monitoredPairs: number;
}

/** Counts for everyone. Signals belong to the 24 hours in which their candle closed; symbols count with an active model. */
export async function readPublicCounts(handle: Handle, now: Date): Promise<PublicCounts> {
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const until = now.toISOString();
  const [row] = await handle.execute<{
    models: number;
    total: number;
    directional: number;
    symbols: number;
  }>(sql`
    select (select count(*)::int from models where is_active) as models,
           (select count(distinct s.symbol)::int from models m join slots s on s.id = m.slot_id where m.is_active) as symbols,
           (select count(*)::int from signals
             where closes_at > ${since}::timestamptz and closes_at <= ${until}::timestamptz) as total,
           (select count(*)::int from signals
             where closes_at > ${since}::timestamptz and closes_at <= ${until}::timestamptz
               and signal <> 'NO_TRADE') as directional`);
  return {
    activeModels: row?.models ?? 0,
    totalSignals24h: row?.total ?? 0,
    directionalSignals24h: row?.directional ?? 0,
    monitoredPairs: row?.symbols ?? 0,
  };
}
