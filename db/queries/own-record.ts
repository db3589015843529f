import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { executions } from "@/db/schema";
import type { Direction, Side, Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED } from "./candles";
import { atMs, atMsOrNull, bigNumber, columns, flag, number, type Row, text } from "./columns";
import { type ExecutionFilter, executionsThat } from "./execution-filter";
import { WAS_HELD_BACK } from "./pauses";
import { IS_LIVE } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

const MADE = columns({
  signalId: bigNumber("g.id"),
  seq: bigNumber("g.seq"),
  slotId: number("g.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  side: text<Side>("g.signal"),
  confidence: number("g.confidence"),
  tsMs: atMs("g.ts"),
  closesMs: atMs("g.closes_at"),
  createdMs: atMs("g.created_at"),
  /** When the signal of the slot's next candle was made; null: this one stands. */
  replacedMs: atMsOrNull("n.created_at"),
  entryPrice: number<number | null>("o.entry_price"),
  /** D, in price units. */
  barrierDistance: number<number | null>("o.barrier_distance"),
  exitPrice: number<number | null>("o.exit_price"),
  resultR: number<number | null>("o.result_r"),
  label: text<Direction | null>("o.label"),
});
/** A directional signal with what became of it; the columns of its outcome are null while its horizon runs. */
export type MadeSignal = Row<typeof MADE>;

/**
 * The newest live BUY and SELL signals in scope whose candle closed after one instant and which were made after another;
 * newest close first; none that a pause held back, because nobody was given it. Both instants bound a stretch of the index of directions.
 */
export async function listMadeSignals(
  handle: Handle,
  wanted: { scope: SlotScope; closedAfter: Date; madeAfter: Date; limit: number },
): Promise<MadeSignal[]> {
  const closedAfter = sql`${wanted.closedAfter.toISOString()}::timestamptz`;
  return MADE.all(
    handle,
    sql`
    select ${MADE.list}
      from (select * from signals g
             where g.signal <> 'NO_TRADE' and ${IS_LIVE} and g.slot_id = any(${slotIdsInScope(wanted.scope)})
               and g.closes_at > ${closedAfter} and g.created_at > ${wanted.madeAfter.toISOString()}::timestamptz
             order by g.closes_at desc limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id
      left join outcomes o on o.signal_id = g.id and o.closes_at > ${closedAfter}
      left join lateral (
        select created_at from signals n
         where n.slot_id = g.slot_id and n.ts > g.ts and not n.backfilled order by n.ts limit 1) n on true
     where not ${WAS_HELD_BACK}
     order by g.closes_at desc, g.id desc`,
  );
}

/** From which candles the price of a symbol is read: those of its slot with the shortest timeframe. */
export interface PriceSource {
  symbol: string;
  slotId: number;
  candleSeconds: number;
}

const POSITION = columns({
  executionId: bigNumber("e.id"),
  predId: number<number | null>("e.pred_id::float8"),
  symbol: text("e.symbol"),
  timeframe: text("e.timeframe"),
  side: text<Side>("e.signal"),
  openedMs: atMs("e.opened_at"),
  closedMs: atMsOrNull("e.closed_at"),
  entryPrice: number<number | null>("e.entry_price::float8"),
  exitPrice: number<number | null>("e.exit_price::float8"),
  pnl: number<number | null>("e.pnl::float8"),
  clockSuspect: flag("e.clock_suspect"),
  /** Close of the last candle that had closed when the position was opened, and when that was. */
  marketPrice: number<number | null>("c.close"),
  marketMs: atMsOrNull("c.closed_at"),
});
/** A reported position, with the market's price at its opening as the stored candles have it. */
export type OwnPosition = Row<typeof POSITION>;

/** The filtered positions, first opened first. */
export async function listOwnPositions(
  handle: Handle,
  filter: ExecutionFilter,
  sources: readonly PriceSource[],
): Promise<OwnPosition[]> {
  return POSITION.all(
    handle,
    sql`
    select ${POSITION.list}
      from (select * from ${executions} where ${executionsThat(filter)}) e
      left join jsonb_to_recordset(${JSON.stringify(
        sources.map((source) => ({
          symbol: source.symbol,
          slot_id: source.slotId,
          seconds: source.candleSeconds,
        })),
      )}::jsonb) as p(symbol text, slot_id int, seconds int) on p.symbol = e.symbol
      left join lateral (
        select close, ts + make_interval(secs => p.seconds) as closed_at from candles
         where slot_id = p.slot_id and ts <= e.opened_at - make_interval(secs => p.seconds) and ${IS_SETTLED}
         order by ts desc limit 1) c on true
     order by e.opened_at, e.id`,
  );
}
