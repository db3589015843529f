import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { DAY_MS } from "@/lib/time";
import type { Direction, Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, text } from "./columns";
import { IS_NOT_FROM_OPEN_PAUSE } from "./pauses";
import { IS_LIVE_SIGNAL, NAMED_SIGNAL_COLUMNS, type NamedSignal } from "./signals";
import { isVisibleIn, type SlotScope, type VisibleCloses } from "./slots";

const NAMED = columns(NAMED_SIGNAL_COLUMNS);

/** Length of the longest candle (MN1): a signal's `ts`, its candle's open, is at most this long before its close. */
const LONGEST_CANDLE_MS = 31 * DAY_MS;

/**
 * Live signals in scope whose candle closed after `since`, newest `ts` first, without those created during a pause that still
 * lasts. Reads the index on `ts` backwards until `limit` rows are found, so that the size of the history does not matter.
 * `closes_at + interval '0'` keeps the planner from using the index on `closes_at`, with which it would read and sort the
 * whole window.
 */
export async function listSignalsInScope(
  handle: DatabaseHandle,
  wanted: {
    scope: SlotScope;
    closes: VisibleCloses | null;
    since: Date;
    includeNoTrade: boolean;
    limit: number;
  },
): Promise<NamedSignal[]> {
  const oldestTs = new Date(wanted.since.getTime() - LONGEST_CANDLE_MS).toISOString();
  const directional = wanted.includeNoTrade ? sql`` : sql`and g.signal <> 'NO_TRADE'`;
  return NAMED.all(
    handle,
    sql`
    select ${NAMED.list}
      from (select * from signals g
             where ${isVisibleIn(wanted)} and g.ts > ${oldestTs}::timestamptz
               and g.closes_at + interval '0' > ${wanted.since.toISOString()}::timestamptz
               and ${IS_LIVE_SIGNAL} and ${IS_NOT_FROM_OPEN_PAUSE} ${directional}
             order by g.ts desc, g.created_at desc, g.id desc
             limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id
     order by g.ts desc, g.created_at desc, g.id desc`,
  );
}

/** Number of live signals whose candle closed after `since`, by slot id. */
export async function countSignalsBySlot(handle: DatabaseHandle, since: Date): Promise<Map<number, number>> {
  const rows = await handle.execute<{ slot_id: number; n: number }>(sql`
    select slot_id, count(*)::int as n
      from signals g where closes_at > ${since.toISOString()}::timestamptz and ${IS_LIVE_SIGNAL} group by 1`);
  return new Map(rows.map((row) => [row.slot_id, row.n]));
}

const TALLY = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("g.model_v"),
  signal: text<Direction>("g.signal"),
  regime: text("g.regime"),
  tenth: number("least(floor(g.confidence * 10), 9)::int"),
  n: number("count(*)::int"),
});

/**
 * Number of live signals whose candle closed after `since`, by slot, model, direction, regime and tenth of the confidence
 * (0 to 9).
 */
export async function tallySignals(handle: DatabaseHandle, since: Date): Promise<Row<typeof TALLY>[]> {
  return TALLY.all(
    handle,
    sql`
    select ${TALLY.list}
      from signals g join slots s on s.id = g.slot_id
     where g.closes_at > ${since.toISOString()}::timestamptz and ${IS_LIVE_SIGNAL}
     group by 1, 2, 3, 4, 5, 6`,
  );
}
