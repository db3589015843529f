import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { ExitReason, Side, Timeframe } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, text, timestamp } from "./columns";
import { array } from "./parameters";
import { SIGNAL_CONTENT_COLUMNS } from "./signals";

const TRADE = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: SIGNAL_CONTENT_COLUMNS.ts,
  modelV: SIGNAL_CONTENT_COLUMNS.modelV,
  direction: text<Side>("o.signal"),
  confidence: SIGNAL_CONTENT_COLUMNS.confidence,
  expectedRr: SIGNAL_CONTENT_COLUMNS.expectedRr,
  stop: SIGNAL_CONTENT_COLUMNS.stop,
  target: SIGNAL_CONTENT_COLUMNS.target,
  horizonCandles: SIGNAL_CONTENT_COLUMNS.horizonCandles,
  entryPrice: number("o.entry_price"),
  barrierDistance: number("o.barrier_distance"),
  exitPrice: number("o.exit_price"),
  exitReason: text<ExitReason>("o.exit_reason"),
  endedAt: timestamp("o.ended_at"),
  resultR: number("o.result_r"),
  inTime: boolean("coalesce(l.in_time, false)"),
  /** Whether the market was simulated, according to the reveal in the ledger: the feed may have changed since. */
  simulated: boolean("coalesce((r.content::jsonb ->> 'simulated')::boolean, false)"),
  /** Whether the record contains no earlier signal of the same candle. */
  isFirst: boolean(`not exists (
    select 1 from signals f join outcomes fo on fo.signal_id = f.id join ledger_signals fl on fl.signal_id = f.id
     where f.slot_id = g.slot_id and f.ts = g.ts and f.seq < g.seq and (fl.in_time or fl.simulated))`),
});
export type RecordTradeRow = Row<typeof TRADE>;

/**
 * The newest trades (results of directional signals) of these slots, newest exit first: of the newest `limit` results,
 * those whose outcome is in the ledger before the entry `before`. Reads one index range per slot.
 */
export async function listNewestRecordTrades(
  handle: DatabaseHandle,
  wanted: { slotIds: number[]; before: number; limit: number },
): Promise<RecordTradeRow[]> {
  const { slotIds, before, limit } = wanted;
  return TRADE.all(
    handle,
    sql`
    select ${TRADE.list}
      from (
        select o.* from unnest(${array(slotIds, "int")}) as wanted(slot_id)
         cross join lateral (
           select * from outcomes
            where slot_id = wanted.slot_id and result_r is not null
            order by ended_at desc limit ${limit}) o
         order by o.ended_at desc, o.signal_id desc limit ${limit}) o
      join ledger_signals l on l.signal_id = o.signal_id and l.outcome < ${before}
      join signals g on g.id = o.signal_id
      join slots s on s.id = o.slot_id
      left join ledger_entries r on r.index = l.reveal
     where o.exit_price is not null and o.exit_reason is not null
     order by o.ended_at desc, o.signal_id desc`,
  );
}
