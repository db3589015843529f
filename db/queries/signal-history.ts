import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { Direction, ExitReason, Timeframe } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";
import { WAS_CREATED_IN_PAUSE } from "./pauses";
import { IS_LIVE_SIGNAL, SIGNAL_CONTENT_COLUMNS } from "./signals";
import { isVisibleIn, type SlotScope, slotIdsInScope, type VisibleSignals } from "./slots";

/** Filter of signals: the caller's scope, and the restrictions that the caller requested. */
export interface SignalFilter {
  scope: SlotScope;
  /** Only signals whose candle closed at or after this time. */
  since: Date;
  symbol?: string | undefined;
  timeframe?: string | undefined;
  direction?: Direction | undefined;
  minConfidence?: number | undefined;
  includeNoTrade: boolean;
}

const HISTORY = columns({
  predId: safeInteger("g.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ...SIGNAL_CONTENT_COLUMNS,
  closesAt: timestamp("g.closes_at"),
  /** Result in R after costs; null for NO_TRADE and for a signal without an outcome. */
  resultR: number<number | null>("o.result_r"),
  resolved: boolean("o.signal_id is not null"),
  /** Whether no round-trip cost was set for the symbol when the result was computed. */
  isWithoutCost: boolean("coalesce(o.cost_value = 0, false)"),
  /** Whether the signal was not committed in time, as the ledger says, or its creation until the ledger knows. */
  enteredLater: boolean("coalesce(not e.in_time, g.created_at >= g.closes_at + (g.closes_at - g.ts))"),
  /** Whether the signal was created during a pause, so that it was not pushed. */
  heldBack: boolean(WAS_CREATED_IN_PAUSE),
});
export type SignalHistoryRow = Row<typeof HISTORY>;

function conditionOf(filter: SignalFilter): SQL {
  const conditions: SQL[] = [IS_LIVE_SIGNAL, sql`g.closes_at >= ${filter.since.toISOString()}::timestamptz`];
  const { symbols, timeframes, parts, delayCandles } = filter.scope;
  // A scope of all slots needs no condition.
  if (symbols || timeframes || parts || delayCandles !== undefined)
    conditions.push(sql`s.id = any(${slotIdsInScope(filter.scope)})`);
  if (filter.symbol) conditions.push(sql`s.symbol = ${filter.symbol}`);
  if (filter.timeframe) conditions.push(sql`s.timeframe = ${filter.timeframe}`);
  if (filter.direction) conditions.push(sql`g.signal = ${filter.direction}`);
  else if (!filter.includeNoTrade) conditions.push(sql`g.signal <> 'NO_TRADE'`);
  if (filter.minConfidence !== undefined) conditions.push(sql`g.confidence >= ${filter.minConfidence}`);
  return sql.join(conditions, sql` and `);
}

const FROM = sql`
  from signals g join slots s on s.id = g.slot_id left join outcomes o on o.signal_id = g.id
  left join ledger_signals e on e.signal_id = g.id`;

/** A page of the filtered signals with their results, newest close first. */
export async function listSignalHistory(
  handle: DatabaseHandle,
  filter: SignalFilter,
  page: { limit: number; offset: number },
): Promise<SignalHistoryRow[]> {
  return HISTORY.all(
    handle,
    sql`select ${HISTORY.list} ${FROM} where ${conditionOf(filter)}
         order by g.closes_at desc, g.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

/** Number of filtered signals, or `max` if there are more. */
export async function countSignalHistory(
  handle: DatabaseHandle,
  filter: SignalFilter,
  max: number,
): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select 1 from signals g join slots s on s.id = g.slot_id where ${conditionOf(filter)} limit ${max}) counted`);
  return row?.n ?? 0;
}

/** The newest live signals of one slot with their probabilities and results, newest first. */
export async function listSlotSignalDetails(
  handle: DatabaseHandle,
  slotId: number,
  limit: number,
): Promise<SignalHistoryRow[]> {
  return HISTORY.all(
    handle,
    sql`select ${HISTORY.list} ${FROM} where g.slot_id = ${slotId} and ${IS_LIVE_SIGNAL}
         order by g.ts desc, g.created_at desc, g.id desc limit ${limit}`,
  );
}

const OF_SLOT = {
  predId: safeInteger("g.id"),
  slotId: number("g.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ...SIGNAL_CONTENT_COLUMNS,
  closesAt: timestamp("g.closes_at"),
};

const STOOD_SHAPE = {
  ...OF_SLOT,
  createdAt: timestamp("g.created_at"),
  resultR: number<number | null>("o.result_r"),
};
const STOOD = columns(STOOD_SHAPE);
export type SignalWithResult = Row<typeof STOOD>;

/** A live signal of this slot by its id; null: unknown, or the caller may not see it. */
export async function findSlotSignal(
  handle: DatabaseHandle,
  wanted: { predId: number; symbol: string; timeframe: string; seen: VisibleSignals },
): Promise<SignalWithResult | null> {
  return STOOD.first(
    handle,
    sql`select ${STOOD.list} ${FROM}
         where g.id = ${wanted.predId} and s.symbol = ${wanted.symbol} and s.timeframe = ${wanted.timeframe} and ${IS_LIVE_SIGNAL}
           and ${isVisibleIn(wanted.seen)}`,
  );
}

/** The newest live signals of a slot that the caller may see and whose candle opened before `before`, newest first. */
export async function listSignalsBefore(
  handle: DatabaseHandle,
  wanted: { symbol: string; timeframe: string; seen: VisibleSignals; before: Date; limit: number },
): Promise<SignalWithResult[]> {
  return STOOD.all(
    handle,
    sql`select ${STOOD.list} ${FROM}
         where g.slot_id = (select id from slots where symbol = ${wanted.symbol} and timeframe = ${wanted.timeframe})
           and g.ts < ${wanted.before.toISOString()}::timestamptz and ${IS_LIVE_SIGNAL} and ${isVisibleIn(wanted.seen)}
         order by g.ts desc, g.created_at desc, g.id desc limit ${wanted.limit}`,
  );
}

const AROUND = columns({
  executionId: safeInteger("e.id"),
  isNamed: boolean("e.pred_id is not null"),
  ...STOOD_SHAPE,
});
export type SignalAroundPosition = Row<typeof AROUND>;

/**
 * For each of these positions of a subscription: the signal that the report named or, if it named none, the newest `limit`
 * signals of the slot whose candle opened before the position was opened, newest first. Only live signals that the
 * subscription may see. A position without a named signal whose times are suspect gets none.
 */
export async function listSignalsAroundPositions(
  handle: DatabaseHandle,
  wanted: { subscriptionId: number; seen: VisibleSignals; executionIds: readonly number[]; limit: number },
): Promise<SignalAroundPosition[]> {
  if (wanted.executionIds.length === 0) return [];
  return AROUND.all(
    handle,
    sql`select ${AROUND.list}
          from executions e
          join slots s on s.symbol = e.symbol and s.timeframe = e.timeframe
          join lateral (
            (select * from signals g
              where g.id = e.pred_id and g.slot_id = s.id and not g.backfilled and ${isVisibleIn(wanted.seen)})
            union all
            (select * from signals g
              where e.pred_id is null and not e.clock_suspect and g.slot_id = s.id and g.ts < e.opened_at and not g.backfilled
                and ${isVisibleIn(wanted.seen)}
              order by g.ts desc, g.created_at desc, g.id desc limit ${wanted.limit})
          ) g on true
          left join outcomes o on o.signal_id = g.id
         where e.id = any(${array([...wanted.executionIds], "bigint")}) and e.subscription_id = ${wanted.subscriptionId}
         order by e.id, g.ts desc, g.created_at desc, g.id desc`,
  );
}

const FOLLOWABLE = columns({
  ...OF_SLOT,
  createdAt: timestamp("g.created_at"),
  seq: safeInteger("g.seq"),
  /**
   * Exit price and reason of a position that follows the signal; null for NO_TRADE and for a signal without an outcome.
   */
  exitPrice: number<number | null>("o.exit_price"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
  endedAt: timestampOrNull("o.ended_at"),
});
export type FollowableSignal = Row<typeof FOLLOWABLE>;

/**
 * Live BUY and SELL signals of these slots whose candle closed after an instant, newest first, with the results of
 * following them.
 */
export async function listFollowableSignals(
  handle: DatabaseHandle,
  wanted: { slotIds: readonly number[]; after: Date; limit: number },
): Promise<FollowableSignal[]> {
  return FOLLOWABLE.all(
    handle,
    sql`select ${FOLLOWABLE.list} ${FROM}
         where g.slot_id = any(${array([...wanted.slotIds], "int")}) and g.signal <> 'NO_TRADE' and ${IS_LIVE_SIGNAL}
           and g.closes_at > ${wanted.after.toISOString()}::timestamptz
         order by g.closes_at desc, g.id desc limit ${wanted.limit}`,
  );
}

/** Signals by their ids, backfilled ones included, with the results of following them. */
export async function listSignalsByIds(
  handle: DatabaseHandle,
  predIds: readonly number[],
): Promise<FollowableSignal[]> {
  if (predIds.length === 0) return [];
  return FOLLOWABLE.all(
    handle,
    sql`select ${FOLLOWABLE.list} ${FROM} where g.id = any(${array([...predIds], "bigint")})`,
  );
}

export type DirectionCounts = Record<Direction, number>;

/** Number of live signals in scope by direction whose candle closed at or after `since`. */
export async function countSignalsByDirection(
  handle: DatabaseHandle,
  scope: Pick<SignalFilter, "scope" | "since">,
): Promise<DirectionCounts> {
  const rows = await handle.execute<{ signal: Direction; n: number }>(sql`
    select g.signal, count(*)::int as n from signals g join slots s on s.id = g.slot_id
     where ${conditionOf({ ...scope, includeNoTrade: true })} group by g.signal`);
  const counts: DirectionCounts = { BUY: 0, SELL: 0, NO_TRADE: 0 };
  for (const row of rows) counts[row.signal] = row.n;
  return counts;
}

/** Number of live signals of all slots by direction whose candle closed in the last `hours`. */
export async function countDirections(handle: DatabaseHandle, hours: number): Promise<DirectionCounts> {
  const rows = await handle.execute<{ signal: Direction; n: number }>(sql`
    select signal, count(*)::int as n from signals g
     where closes_at > now() - make_interval(hours => ${hours}) and ${IS_LIVE_SIGNAL} group by signal`);
  const counts: DirectionCounts = { BUY: 0, SELL: 0, NO_TRADE: 0 };
  for (const { signal, n } of rows) counts[signal] = n;
  return counts;
}

const JUDGED = columns({
  signalId: safeInteger("g.id"),
  ...SIGNAL_CONTENT_COLUMNS,
  createdAt: timestamp("g.created_at"),
  backfilled: boolean("g.backfilled"),
  beside: boolean("g.beside"),
  label: text<Direction | null>("o.label"),
  resultR: number<number | null>("o.result_r"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
  endedAt: timestampOrNull("o.ended_at"),
});

type Judgement = Pick<Row<typeof JUDGED>, "resultR" | "exitReason"> & { label: Direction; endedAt: Date };

export interface SignalWithOutcome extends Omit<Row<typeof JUDGED>, keyof Judgement> {
  /** The outcome; null: it is open, or none could be computed. */
  outcome: Judgement | null;
}

/**
 * Signals of one slot whose candle opened before `before` (null: all), backfilled ones included, newest first, with their
 * outcomes. Signals of one candle are never split, so a page may be longer than `limit`.
 */
export async function listSignalsWithOutcomes(
  handle: DatabaseHandle,
  query: { slotId: number; before: Date | null; limit: number },
): Promise<SignalWithOutcome[]> {
  const before = query.before === null ? sql`` : sql`and g.ts < ${query.before.toISOString()}::timestamptz`;
  const rows = await JUDGED.all(
    handle,
    sql`
    select ${JUDGED.list}
      from (select * from signals g where slot_id = ${query.slotId} ${before} order by ts desc fetch first ${query.limit} rows with ties) g
      left join outcomes o on o.signal_id = g.id
     order by g.ts desc, g.id desc`,
  );
  return rows.map(({ label, resultR, exitReason, endedAt, ...signal }) => ({
    ...signal,
    outcome: label === null || endedAt === null ? null : { label, resultR, exitReason, endedAt },
  }));
}
