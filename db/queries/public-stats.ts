import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { addMs, DAY_MS } from "@/lib/time";
import { columns, number, type Row } from "./columns";

const COUNTS = columns({
  activeModels: number("(select count(*)::int from models where is_active)"),
  totalSignals24h: number("(select count(*)::int from recent)"),
  directionalSignals24h: number("(select count(*)::int from recent where signal <> 'NO_TRADE')"),
  monitoredPairs: number(
    "(select count(distinct s.symbol)::int from models m join slots s on s.id = m.slot_id where m.is_active)",
  ),
});
export type PublicCounts = Row<typeof COUNTS>;

/**
 * Numbers for the landing page: champions, their symbols, and live signals of candles closed in the 24 hours before `now`.
 */
export async function readPublicCounts(handle: DatabaseHandle, now: Date): Promise<PublicCounts> {
  const since = addMs(now, -DAY_MS).toISOString();
  return COUNTS.one(
    handle,
    sql`
    with recent as not materialized (
      select signal from signals
       where not backfilled and closes_at > ${since}::timestamptz and closes_at <= ${now.toISOString()}::timestamptz)
    select ${COUNTS.list}`,
  );
}
