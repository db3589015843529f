import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { Direction, ExitReason, Timeframe } from "@/lib/vocabulary";
import { at, columns, flag, number, type Row, text } from "./columns";
import { array } from "./parameters";

const TRADE = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: at("g.ts"),
  direction: text<Exclude<Direction, "NO_TRADE">>("g.signal"),
  resultR: number("o.result_r"),
  exitReason: text<ExitReason>("o.exit_reason"),
  endedAt: at("o.ended_at"),
  inTime: flag("coalesce(l.in_time, false)"),
  /** As revealed: the feed may have changed since. */
  simulated: flag("coalesce((r.content::jsonb ->> 'simulated')::boolean, false)"),
});
export type TradeRow = Row<typeof TRADE>;

/**
 * Followed signals with a result among the newest `among` resolved ones, newest first: one stretch of an index, of all
 * slots or of each slot named.
 */
export async function listNewestTrades(
  handle: Handle,
  wanted: {
    slotIds: number[] | undefined;
    modelV: string | undefined;
    /** Only those before this place of the ledger. */
    before: number | undefined;
    among: number;
  },
): Promise<TradeRow[]> {
  const { slotIds, modelV, before, among } = wanted;
  const newest = (ofSlot = sql``) => sql`
    select l.* from ledger_signals l
     where ${before === undefined ? sql`l.outcome is not null` : sql`l.outcome < ${before}`} ${ofSlot}
     order by l.outcome desc limit ${among}`;
  const ofModel = modelV === undefined ? sql`` : sql`and l.model_v = ${modelV}`;
  const ids =
    slotIds === undefined
      ? modelV === undefined
        ? undefined
        : sql`array(select id from slots)`
      : array(slotIds, "int");
  const source =
    ids === undefined
      ? newest()
      : sql`
        select l.* from unnest(${ids}) as wanted(slot_id)
         cross join lateral (${newest(sql`and l.slot_id = wanted.slot_id ${ofModel}`)}) l
         order by l.outcome desc limit ${among}`;
  return TRADE.all(
    handle,
    sql`
    select ${TRADE.list}
      from (${source}) l
      join signals g on g.id = l.signal_id and g.signal <> 'NO_TRADE'
      join slots s on s.id = g.slot_id
      join outcomes o on o.signal_id = g.id and o.result_r is not null and o.ended_at is not null
      left join ledger_entries r on r.index = l.reveal
     order by l.outcome desc`,
  );
}
