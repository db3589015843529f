import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { executions } from "@/db/schema";
import type { Direction, Side, Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED } from "./candles";
import { columns, json, micros, US_PER_MS } from "./columns";
import { type ExecutionFilter, executionsThat } from "./execution-filter";
import { WAS_HELD_BACK } from "./pauses";
import { IS_LIVE } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

/** A directional signal with what became of it; what its outcome says is null while its horizon runs. */
export interface MadeSignal {
  signalId: number;
  seq: number;
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
  side: Side;
  confidence: number;
  tsMs: number;
  closesMs: number;
  createdMs: number;
  /** When the signal of the slot's next candle was made; null: this one stands. */
  replacedMs: number | null;
  entryPrice: number | null;
  /** D, in price units. */
  barrierDistance: number | null;
  exitPrice: number | null;
  resultR: number | null;
  label: Direction | null;
}

/** The numbers of a signal and its outcome, in the order of `MADE`; instants in microseconds since 1970. */
type MadeNumbers = [
  ...[signalId: number, seq: number, slotId: number, confidence: number],
  ...[tsUs: number, closesUs: number, createdUs: number, replacedUs: number | null],
  ...[entryPrice: number | null, barrierDistance: number | null, exitPrice: number | null],
  resultR: number | null,
];

/** Thousands of row objects would cost several times the query itself: the rows come as one array of JSON. */
const MADE = columns({
  rows: json<[side: Side, label: Direction | null, ...MadeNumbers][] | null>(sql`
    json_agg(json_build_array(g.signal, o.label, g.id, g.seq, g.slot_id, g.confidence, ${micros("g.ts")}, ${micros("g.closes_at")},
                              ${micros("g.created_at")}, ${micros("n.created_at")}, o.entry_price, o.barrier_distance, o.exit_price,
                              o.result_r) order by g.closes_at desc, g.id desc)`),
});

/**
 * The newest live BUY and SELL signals in scope whose candle closed after one instant and which were made after another;
 * newest close first; none that a pause held back, because nobody was given it. Both instants bound a stretch of the index of directions.
 */
export async function listMadeSignals(
  handle: Handle,
  wanted: { scope: SlotScope; closedAfter: Date; madeAfter: Date; limit: number },
  slots: ReadonlyMap<number, { symbol: string; timeframe: Timeframe }>,
): Promise<MadeSignal[]> {
  // `offset 0`: the planner takes a scope for a fifth of all signals and would read the whole history of its slots, and all
  // outcomes of the period for those of the newest signals. Without a scope the newest are the end of the index, and
  // nothing before them is read.
  const isAll = wanted.scope.symbols === null && wanted.scope.timeframes === null;
  const stretch = sql`
              select * from signals g
               where g.signal <> 'NO_TRADE' and ${IS_LIVE} and g.closes_at > ${wanted.closedAfter.toISOString()}::timestamptz
                 and g.created_at > ${wanted.madeAfter.toISOString()}::timestamptz
               order by g.closes_at desc`;
  const inScope = isAll
    ? sql`${stretch} limit ${wanted.limit}`
    : sql`
            select * from (${stretch} offset 0) g
             where g.slot_id = any(${slotIdsInScope(wanted.scope)})
             order by g.closes_at desc limit ${wanted.limit}`;
  const { rows } = await MADE.one(
    handle,
    sql`
    select ${MADE.list}
      from (${inScope}) g
      join slots s on s.id = g.slot_id
      left join lateral (select * from outcomes where signal_id = g.id offset 0) o on true
      left join lateral (
        select created_at from signals n
         where n.slot_id = g.slot_id and n.ts > g.ts and not n.backfilled order by n.ts limit 1) n on true
     where not ${WAS_HELD_BACK}`,
  );
  // Thousands of objects, written out: a spread in each takes ten times as long.
  const made: MadeSignal[] = [];
  for (const row of rows ?? []) {
    const slot = slots.get(row[4]);
    if (!slot) continue;
    made.push({
      side: row[0],
      label: row[1],
      signalId: row[2],
      seq: row[3],
      slotId: row[4],
      symbol: slot.symbol,
      timeframe: slot.timeframe,
      confidence: row[5],
      tsMs: row[6] / US_PER_MS,
      closesMs: row[7] / US_PER_MS,
      createdMs: row[8] / US_PER_MS,
      replacedMs: row[9] === null ? null : row[9] / US_PER_MS,
      entryPrice: row[10],
      barrierDistance: row[11],
      exitPrice: row[12],
      resultR: row[13],
    });
  }
  return made;
}

/** From which candles the price of a symbol is read: those of its slot with the shortest timeframe. */
export interface PriceSource {
  symbol: string;
  slotId: number;
  candleSeconds: number;
}

/** A reported position, with the market's price at its opening as the stored candles have it. */
export interface OwnPosition {
  executionId: number;
  predId: number | null;
  symbol: string;
  timeframe: Timeframe;
  side: Side;
  openedMs: number;
  closedMs: number | null;
  entryPrice: number | null;
  exitPrice: number | null;
  pnl: number | null;
  clockSuspect: boolean;
  /** Close of the last candle that had closed when the position was opened, and when that was. */
  marketPrice: number | null;
  marketMs: number | null;
}

type PositionRow = [
  ...[executionId: number, predId: number | null, symbol: string, timeframe: Timeframe, side: Side],
  ...[openedUs: number, closedUs: number | null],
  ...[entryPrice: number | null, exitPrice: number | null, pnl: number | null, clockSuspect: boolean],
  ...[marketPrice: number | null, marketUs: number | null],
];
const POSITIONS = columns({
  rows: json<PositionRow[] | null>(sql`
    json_agg(json_build_array(e.id, e.pred_id, e.symbol, e.timeframe, e.signal, ${micros("e.opened_at")}, ${micros("e.closed_at")},
                              e.entry_price::float8, e.exit_price::float8, e.pnl::float8, e.clock_suspect, c.close, ${micros("c.closed_at")})
             order by e.opened_at, e.id)`),
});

/** The filtered positions, first opened first. */
export async function listOwnPositions(
  handle: Handle,
  filter: ExecutionFilter,
  sources: readonly PriceSource[],
): Promise<OwnPosition[]> {
  const { rows } = await POSITIONS.one(
    handle,
    sql`
    select ${POSITIONS.list}
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
         order by ts desc limit 1) c on true`,
  );
  return (rows ?? []).map((row) => ({
    executionId: row[0],
    predId: row[1],
    symbol: row[2],
    timeframe: row[3],
    side: row[4],
    openedMs: row[5] / US_PER_MS,
    closedMs: row[6] === null ? null : row[6] / US_PER_MS,
    entryPrice: row[7],
    exitPrice: row[8],
    pnl: row[9],
    clockSuspect: row[10],
    marketPrice: row[11],
    marketMs: row[12] === null ? null : row[12] / US_PER_MS,
  }));
}
