import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { executions } from "@/db/schema";
import type { Direction, Side, Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED_CANDLE } from "./candles";
import {
  boolean,
  columns,
  epochMicros,
  json,
  MICROS_PER_MS,
  number,
  type Row,
  safeInteger,
  safeIntegerOrNull,
  text,
  timestamp,
} from "./columns";
import { type ExecutionFilter, executionConditions } from "./execution-filter";
import { array } from "./parameters";
import { WAS_CREATED_IN_PAUSE } from "./pauses";
import { IS_LIVE_SIGNAL } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

/** A BUY or SELL signal with its outcome. Fields of the outcome are null until it is known. */
export interface IssuedSignal {
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
  /** Creation time (epoch ms) of the slot's next live signal; null: there is none. */
  replacedMs: number | null;
  entryPrice: number | null;
  /** Distance between entry price and barriers, in price units; for a signal with its own stop, that of the stop. */
  barrierDistance: number | null;
  exitPrice: number | null;
  resultR: number | null;
  label: Direction | null;
}

/** The numbers of a signal and its outcome, in the order of `MADE_ROWS`; times in epoch microseconds. */
type MadeNumbers = [
  ...[signalId: number, seq: number, slotId: number, confidence: number],
  ...[tsUs: number, closesUs: number, createdUs: number, replacedUs: number | null],
  ...[entryPrice: number | null, barrierDistance: number | null, exitPrice: number | null],
  resultR: number | null,
];

/** The signals as one JSON array, because to decode thousands of rows would take several times as long as the query. */
const MADE_ROWS = json<MadeRow[] | null>(sql`
    json_agg(json_build_array(g.signal, o.label, ${WAS_CREATED_IN_PAUSE}, g.id, g.seq, g.slot_id, g.confidence, ${epochMicros("g.ts")}, ${epochMicros("g.closes_at")},
                              ${epochMicros("g.created_at")}, ${epochMicros("n.created_at")}, o.entry_price, o.barrier_distance, o.exit_price,
                              o.result_r) order by g.closes_at desc, g.id desc)`);
type MadeRow = [side: Side, label: Direction | null, wasHeldBack: boolean, ...MadeNumbers];
const MADE = columns({ rows: MADE_ROWS });

/** SQL: a FROM clause with signals (`g`), their slots (`s`), outcomes (`o`) and the slot's next live signal (`n`). */
const madeOf = (signals: SQL) => sql`
      from (${signals}) g
      join slots s on s.id = g.slot_id
      left join lateral (select * from outcomes where signal_id = g.id offset 0) o on true
      left join lateral (
        select created_at from signals n
         where n.slot_id = g.slot_id and n.ts > g.ts and not n.backfilled order by n.ts limit 1) n on true`;

type SlotNames = ReadonlyMap<number, { symbol: string; timeframe: Timeframe }>;

/** A page of the signals that were issued to a subscriber, newest candle close first. */
export interface IssuedSignalPage {
  /** The signals, without those created during a pause. */
  signals: IssuedSignal[];
  /** Candle close (epoch ms) of the oldest signal that was read; null: all matching signals were read. */
  cutMs: number | null;
}

/**
 * The newest live BUY and SELL signals in scope that were created after `madeAfter` and whose candle closed between
 * `closedAfter` and `closedBefore`. Returns up to `limit` of them, plus any others that closed at the same time as the oldest.
 */
export async function listIssuedSignals(
  handle: DatabaseHandle,
  wanted: { scope: SlotScope; closedAfter: Date; closedBefore: Date | null; madeAfter: Date; limit: number },
  slots: SlotNames,
): Promise<IssuedSignalPage> {
  // `offset 0`: the planner expects a fifth of all signals in a scope and would read the whole history of its slots,
  // and all outcomes of the period for the newest signals. Without a scope the newest are the end of the index, and
  // nothing earlier is read.
  const { symbols, timeframes, parts, delayCandles } = wanted.scope;
  const isAll = symbols === null && timeframes === null && parts === undefined && delayCandles === undefined;
  const before = wanted.closedBefore
    ? sql`and g.closes_at < ${wanted.closedBefore.toISOString()}::timestamptz`
    : sql``;
  const stretch = sql`
              select * from signals g
               where g.signal <> 'NO_TRADE' and ${IS_LIVE_SIGNAL} and g.closes_at > ${wanted.closedAfter.toISOString()}::timestamptz ${before}
                 and g.created_at > ${wanted.madeAfter.toISOString()}::timestamptz
               order by g.closes_at desc`;
  const inScope = isAll
    ? sql`${stretch} fetch first ${wanted.limit} rows with ties`
    : sql`
            select * from (${stretch} offset 0) g
             where g.slot_id = any(${slotIdsInScope(wanted.scope)})
             order by g.closes_at desc fetch first ${wanted.limit} rows with ties`;
  const { rows } = await MADE.one(handle, sql`select ${MADE.list} ${madeOf(inScope)}`);
  const oldest = rows?.at(-1);
  return {
    signals: madeSignals(rows ?? [], slots),
    cutMs: rows && oldest && rows.length >= wanted.limit ? oldest[8] / MICROS_PER_MS : null,
  };
}

function madeSignals(rows: readonly MadeRow[], slots: SlotNames): IssuedSignal[] {
  // Assigns each property, because a spread takes ten times as long for thousands of objects.
  const made: IssuedSignal[] = [];
  for (const row of rows) {
    const slot = slots.get(row[5]);
    if (row[2] || !slot) continue;
    made.push({
      side: row[0],
      label: row[1],
      signalId: row[3],
      seq: row[4],
      slotId: row[5],
      symbol: slot.symbol,
      timeframe: slot.timeframe,
      confidence: row[6],
      tsMs: row[7] / MICROS_PER_MS,
      closesMs: row[8] / MICROS_PER_MS,
      createdMs: row[9] / MICROS_PER_MS,
      replacedMs: row[10] === null ? null : row[10] / MICROS_PER_MS,
      entryPrice: row[11],
      barrierDistance: row[12],
      exitPrice: row[13],
      resultR: row[14],
    });
  }
  return made;
}

/** Revision of all signals, outcomes and pauses: while it is unchanged, a list of issued signals need not be read again. */
const SIGNALS_REVISION = columns({
  seq: safeInteger("v.last_seq"),
  /** Creation time of the signal `seq`, because a restored database assigns sequence numbers again. */
  createdUs: safeIntegerOrNull(
    sql`(select ${epochMicros("created_at")} from signals where seq = v.last_seq)`,
  ),
  outcomes: safeInteger("v.outcomes"),
  pauses: text(sql`(select concat_ws(' ', count(*), count(ended_at), max(id)) from pauses)`),
});
export type SignalsRevision = Row<typeof SIGNALS_REVISION>;

export async function readSignalsRevision(handle: DatabaseHandle): Promise<SignalsRevision> {
  return SIGNALS_REVISION.one(
    handle,
    sql`select ${SIGNALS_REVISION.list} from state_versions v where v.id = 1`,
  );
}

const CHANGED = columns({
  rows: MADE_ROWS,
  isSame: boolean(sql`
    exists (select 1 from since where created_us is not distinct from (
      select ${epochMicros("created_at")} from signals where seq = since.seq))`),
  // Checked once per slot, for its earliest new signal: checking each new signal took seconds for thousands. Without
  // `offset 0` and `+ 0` the planner would join all signals with each other, or read each slot's whole history in commit
  // order instead of its newest signals.
  isInOrder: boolean(sql`
    not exists (
      select 1 from since, (select slot_id, min(ts) as ts from fresh where not backfilled group by slot_id) n
       where exists (
         select 1 from signals m
          where m.slot_id = n.slot_id and m.ts >= n.ts and m.seq + 0 <= since.seq and not m.backfilled offset 0))`),
});

/**
 * The BUY and SELL signals in scope that were stored after the revision `since` and whose candle closed after `closedAfter`, and
 * the earlier signals with the ids `again`. Null if the caller must read all signals again: `since` is of another database,
 * or the candle of a new signal is not newer than the candles of all earlier signals of its slot.
 */
export async function listChangedSignals(
  handle: DatabaseHandle,
  wanted: {
    scope: SlotScope;
    closedAfter: Date;
    since: SignalsRevision;
    again: readonly number[];
    /**
     * Maximum number of new signals, of all slots and directions, that are read. Any after these are missing in the
     * result.
     */
    limit: number;
  },
  slots: SlotNames,
): Promise<IssuedSignal[] | null> {
  const { seq, createdUs } = wanted.since;
  const changed = await CHANGED.one(
    handle,
    sql`
      with since as (select ${seq}::bigint as seq, ${createdUs}::bigint as created_us),
           fresh as materialized (select * from signals where seq > ${seq} order by seq limit ${wanted.limit})
    select ${CHANGED.list} ${madeOf(sql`
            select * from fresh g
             where g.signal <> 'NO_TRADE' and ${IS_LIVE_SIGNAL} and g.closes_at > ${wanted.closedAfter.toISOString()}::timestamptz
               and g.slot_id = any(${slotIdsInScope(wanted.scope)})
            union all
            select * from signals g where g.id = any(${array([...wanted.again], "bigint")}) and g.seq <= ${seq}`)}`,
  );
  return changed.isSame && changed.isInOrder ? madeSignals(changed.rows ?? [], slots) : null;
}

/** The slot from whose candles a symbol's price is read: the symbol's slot with the shortest timeframe. */
export interface PriceSource {
  symbol: string;
  slotId: number;
  candleSeconds: number;
}

/** A position that a subscriber's client reported. */
export interface ReportedPosition {
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
}

type PositionRow = [
  ...[executionId: number, predId: number | null, symbol: string, timeframe: Timeframe, side: Side],
  ...[openedUs: number, closedUs: number | null],
  ...[entryPrice: number | null, exitPrice: number | null, pnl: number | null, clockSuspect: boolean],
];
const POSITIONS = columns({
  rows: json<PositionRow[] | null>(sql`
    json_agg(json_build_array(e.id, e.pred_id, e.symbol, e.timeframe, e.signal, ${epochMicros("e.opened_at")}, ${epochMicros("e.closed_at")},
                              e.entry_price::float8, e.exit_price::float8, e.pnl::float8, e.clock_suspect)
             order by e.opened_at, e.id)`),
});

/** The filtered positions of a subscriber, earliest opening first. */
export async function listReportedPositions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
): Promise<ReportedPosition[]> {
  const { rows } = await POSITIONS.one(
    handle,
    sql`select ${POSITIONS.list} from (select * from ${executions} where ${executionConditions(filter)}) e`,
  );
  return (rows ?? []).map((row) => ({
    executionId: row[0],
    predId: row[1],
    symbol: row[2],
    timeframe: row[3],
    side: row[4],
    openedMs: row[5] / MICROS_PER_MS,
    closedMs: row[6] === null ? null : row[6] / MICROS_PER_MS,
    entryPrice: row[7],
    exitPrice: row[8],
    pnl: row[9],
    clockSuspect: row[10],
  }));
}

/** A market price: the close price of a stored candle, and the time of that close. */
export interface MarketPrice {
  price: number;
  closedMs: number;
}

type PriceRow = [executionId: number, close: number, closedUs: number];
const PRICES = columns({
  rows: json<PriceRow[] | null>(
    sql`json_agg(json_build_array(e.id, c.close, ${epochMicros("c.closed_at")}))`,
  ),
});

/** The market price when each position was opened, from the last candle closed by then; missing without such a candle. */
export async function listPricesAtOpening(
  handle: DatabaseHandle,
  executionIds: readonly number[],
  sources: readonly PriceSource[],
): Promise<Map<number, MarketPrice>> {
  if (executionIds.length === 0) return new Map();
  const { rows } = await PRICES.one(
    handle,
    sql`
    select ${PRICES.list}
      from (select id, symbol, opened_at from ${executions} where id = any(${array([...executionIds], "bigint")}) offset 0) e
      join jsonb_to_recordset(${JSON.stringify(
        sources.map((source) => ({
          symbol: source.symbol,
          slot_id: source.slotId,
          seconds: source.candleSeconds,
        })),
      )}::jsonb) as p(symbol text, slot_id int, seconds int) on p.symbol = e.symbol
      join lateral (
        select close, ts + make_interval(secs => p.seconds) as closed_at from candles
         where slot_id = p.slot_id and ts <= e.opened_at - make_interval(secs => p.seconds) and ${IS_SETTLED_CANDLE}
         order by ts desc limit 1) c on true`,
  );
  return new Map(
    (rows ?? []).map(([id, price, closedUs]) => [id, { price, closedMs: closedUs / MICROS_PER_MS }]),
  );
}

const NEWEST_PRICES = columns({
  symbol: text("p.symbol"),
  price: number("c.close"),
  closedAt: timestamp("c.closed_at"),
});
/** A symbol's newest price: the close price of its newest candle, and the time of that close. */
export type NewestPrice = Row<typeof NEWEST_PRICES>;

/** The newest price of each source, from the stored candles. */
export async function listNewestPrices(
  handle: DatabaseHandle,
  sources: readonly PriceSource[],
): Promise<NewestPrice[]> {
  if (sources.length === 0) return [];
  return NEWEST_PRICES.all(
    handle,
    sql`
    select ${NEWEST_PRICES.list}
      from jsonb_to_recordset(${JSON.stringify(
        sources.map((source) => ({
          symbol: source.symbol,
          slot_id: source.slotId,
          seconds: source.candleSeconds,
        })),
      )}::jsonb) as p(symbol text, slot_id int, seconds int)
      join lateral (
        select close, ts + make_interval(secs => p.seconds) as closed_at from candles
         where slot_id = p.slot_id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) c on true`,
  );
}
