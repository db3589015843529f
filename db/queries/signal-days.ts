import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { addDays } from "@/lib/time";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";
import { columns, json, number, type Row, text, timestamp, timestampOrNull } from "./columns";
import { type DayRevision, listDayRevisions, type SlotDay, slotDays } from "./dirty-days";
import { array } from "./parameters";
import { IS_LIVE_SIGNAL } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

/** Length of the longest candle (MN1): a signal's `ts`, its candle's open, is at most this long before its close. */
const LONGEST_CANDLE_DAYS = 31;

const SUMS = sql.raw(
  "slot_id, day, model_v, n, n_buy, n_sell, confidence, prob_buy, prob_sell, prob_no, expected_rr, regimes, " +
    "first_ts, last_ts, first_close, last_close, followed_confidence, first_followed_ts, last_followed_ts",
);

/**
 * SQL: the live signals of these days (`t(slot_id, day)`), summed by slot, day and model, with the columns of
 * `signal_days`. Each day is a range of the index on slot and time; `offset 0` keeps the planner, which does not know how
 * few days there are, from reading whole tables.
 */
function sumsOfRows(days: SQL, condition: SQL): SQL {
  return sql`
    select slot_id, day, model_v, sum(n)::int as n, sum(n_buy)::int as n_buy, sum(n_sell)::int as n_sell,
           sum(confidence) as confidence, sum(prob_buy) as prob_buy, sum(prob_sell) as prob_sell,
           sum(prob_no) as prob_no, sum(expected_rr) as expected_rr, jsonb_object_agg(regime, n) as regimes,
           min(first_ts) as first_ts, max(last_ts) as last_ts, min(first_close) as first_close,
           max(last_close) as last_close, sum(followed_confidence) as followed_confidence,
           min(first_followed_ts) as first_followed_ts, max(last_followed_ts) as last_followed_ts
      from (
        select t.slot_id, t.day, g.model_v, g.regime, count(*) as n,
               count(*) filter (where g.signal = 'BUY') as n_buy, count(*) filter (where g.signal = 'SELL') as n_sell,
               sum(g.confidence) as confidence, sum(g.prob_buy) as prob_buy, sum(g.prob_sell) as prob_sell,
               sum(g.prob_no) as prob_no, sum(g.expected_rr) as expected_rr,
               min(g.ts) as first_ts, max(g.ts) as last_ts,
               min(g.closes_at) as first_close, max(g.closes_at) as last_close,
               coalesce(sum(g.confidence) filter (where g.signal <> 'NO_TRADE'), 0) as followed_confidence,
               min(g.ts) filter (where g.signal <> 'NO_TRADE') as first_followed_ts,
               max(g.ts) filter (where g.signal <> 'NO_TRADE') as last_followed_ts
          from ${days}
         cross join lateral (
            select * from signals
             where slot_id = t.slot_id and ts >= t.day::timestamp at time zone 'UTC'
               and ts < (t.day + 1)::timestamp at time zone 'UTC' offset 0) g
         where ${IS_LIVE_SIGNAL} and ${condition}
         group by 1, 2, 3, 4) by_regime
     group by 1, 2, 3`;
}

/** Replaces the stored sums of live signals of these slots and days by sums computed from the signals. */
export async function writeSignalDays(tx: Transaction, days: SlotDay[]): Promise<void> {
  await tx.execute(
    sql`delete from signal_days d using ${slotDays(days)} where d.slot_id = t.slot_id and d.day = t.day`,
  );
  await tx.execute(sql`
    insert into signal_days (${SUMS})
    ${sumsOfRows(slotDays(days), sql`true`)}`);
}

/** SQL condition: the day, of a slot in scope, may contain signals whose candle closed after `since`. */
const inReach = ({ scope, since }: { scope: SlotScope; since: Date }): SQL =>
  sql`slot_id = any(${slotIdsInScope(scope)}) and day >= ${dateOf(addDays(since, -LONGEST_CANDLE_DAYS - 1))}`;

const dateOf = (date: Date) => sql`${date.toISOString().slice(0, 10)}::date`;

const instantOf = (date: Date) => sql`${date.toISOString()}::timestamptz`;

/** The slots whose signals are summed, and the start of the window. */
export interface SignalWindow {
  scope: SlotScope;
  /** Only signals whose candle closed after this time. */
  since: Date;
}

/**
 * SQL: the days of a window that stored sums do not cover: dirty days, and days with closes before and after `since`. Days
 * after the day of `since` have no close before it, because no candle closes before the day of its open.
 */
const unsummedDays = (wanted: SignalWindow): SQL => sql`
      select slot_id, day from dirty_days where kind = 'signals' and ${inReach(wanted)}
      union
      select slot_id, day from signal_days
       where ${inReach(wanted)} and day <= ${dateOf(wanted.since)}
         and first_close <= ${instantOf(wanted.since)} and last_close > ${instantOf(wanted.since)}`;

/** The days of a window whose signals are read individually. */
export function listUnsummedSignalDays(handle: DatabaseHandle, wanted: SignalWindow): Promise<DayRevision[]> {
  // Of all slots, because there is no index on the closes of a slot.
  const firstClose = sql`case when p.day <= ${dateOf(wanted.since)} then coalesce((
    select closes_at from signals where closes_at > ${instantOf(wanted.since)} order by closes_at limit 1), 'infinity') end`;
  return listDayRevisions(handle, "signals", { parts: unsummedDays(wanted), firstClose });
}

const SUMMED_DAY = columns({
  slotId: number("d.slot_id"),
  day: text("to_char(d.day, 'YYYY-MM-DD')"),
  /** The sums by model, as rows of `signal_days` in JSON, which the database reads again without loss. */
  rows: json<Record<string, unknown>[]>("jsonb_agg(to_jsonb(d))"),
});
export type SummedSignalDay = Row<typeof SUMMED_DAY>;

/** The sums of the signals of these days whose candle closed after `since`, computed from the signals. */
export function listUnsummedSignals(
  handle: DatabaseHandle,
  { days, since }: { days: readonly SlotDay[]; since: Date },
): Promise<SummedSignalDay[]> {
  return SUMMED_DAY.all(
    handle,
    sql`
    select ${SUMMED_DAY.list}
      from (${sumsOfRows(slotDays(days), sql`g.closes_at > ${instantOf(since)}`)}) d group by d.slot_id, d.day`,
  );
}

/** A window, and the sums of those of its days that stored sums do not cover, from the same snapshot. */
export interface SummedSignalWindow extends SignalWindow {
  unsummed: readonly SummedSignalDay[];
}

/** SQL: the CTE `days` with the sums of the signals of a window: the stored sums of whole days, and `unsummed`. */
function daysSince(wanted: SummedSignalWindow): SQL {
  const unsummed = JSON.stringify(wanted.unsummed.flatMap(({ rows }) => rows));
  return sql`
    by_rows as materialized (${unsummedDays(wanted)}
    ), days as not materialized (
      select ${SUMS} from signal_days d
       where ${inReach(wanted)} and d.first_close > ${instantOf(wanted.since)}
         and not exists (select 1 from by_rows t where t.slot_id = d.slot_id and t.day = d.day)
      union all
      select ${SUMS} from jsonb_populate_recordset(null::signal_days, ${unsummed}::text::jsonb)
    )`;
}

const PREDICTION_DAY = columns({
  /** UTC date of `ts`. */
  date: text("to_char(d.day, 'YYYY-MM-DD')"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("d.model_v"),
  n: number("d.n"),
  nBuy: number("d.n_buy"),
  nSell: number("d.n_sell"),
  nNoTrade: number("d.n - d.n_buy - d.n_sell"),
  avgConfidence: number("d.confidence / d.n"),
  avgProbBuy: number("d.prob_buy / d.n"),
  avgProbSell: number("d.prob_sell / d.n"),
  avgProbNo: number("d.prob_no / d.n"),
  avgExpectedRr: number("d.expected_rr / d.n"),
  regimes: json<Record<string, number>>("d.regimes"),
  firstTs: timestamp("d.first_ts"),
  lastTs: timestamp("d.last_ts"),
  earliestClose: timestampOrNull("d.earliest"),
});

export interface PredictionDay extends Omit<Row<typeof PREDICTION_DAY>, "earliestClose"> {
  /** Number of signals by regime, most frequent regime first. */
  regimes: Record<string, number>;
}

/**
 * Signals in scope whose candle closed after `since`, summed by slot, model and UTC date of `ts`; newest date first,
 * then by symbol, timeframe and model. `earliestClose` is not later than any candle close of the listed dates: while
 * `since` is before it, the result changes only with a new signal.
 */
export async function summarizePredictions(
  handle: DatabaseHandle,
  wanted: SummedSignalWindow & { limit: number },
): Promise<{ days: PredictionDay[]; earliestClose: Date | null }> {
  // No signal of a later day closed before this time.
  const early = addDays(wanted.since, LONGEST_CANDLE_DAYS + 1);
  const rows = await PREDICTION_DAY.all(
    handle,
    sql`
    with ${daysSince(wanted)}, last_shown as materialized (
      select day from signal_days where ${inReach(wanted)} order by day desc offset ${wanted.limit} limit 1)
    select ${PREDICTION_DAY.list}
      from (select d.*, min(d.first_close) filter (where d.day <= ${dateOf(early)}) over () as earliest from days d
             where d.day >= coalesce((select day from last_shown), '-infinity')) d
      join slots s on s.id = d.slot_id
     order by d.day desc, s.symbol, array_position(${array(TIMEFRAMES, "text")}, s.timeframe), d.model_v
     limit ${wanted.limit}`,
  );
  const [first] = rows;
  return {
    earliestClose: first === undefined ? null : (first.earliestClose ?? early),
    days: rows.map(({ regimes, earliestClose, ...day }) => ({ ...day, regimes: mostFrequentFirst(regimes) })),
  };
}

function mostFrequentFirst(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}

const SIGNAL_COUNT = columns({
  slotId: number("c.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("c.model_v"),
  /** Number of signals, including NO_TRADE. */
  n: number("c.n"),
  earliestClose: timestamp("c.earliest"),
  nFollowed: number("c.n_followed"),
  /** Sum of the confidence of BUY and SELL signals. */
  followedConfidence: number("c.followed_confidence"),
  firstFollowedTs: timestampOrNull("c.first_followed_ts"),
  lastFollowedTs: timestampOrNull("c.last_followed_ts"),
});
export type SignalCount = Row<typeof SIGNAL_COUNT>;

/** Number of signals in scope by slot and model whose candle closed after `since`, and of BUY and SELL among them. */
export async function countSignalsByModel(
  handle: DatabaseHandle,
  wanted: SummedSignalWindow,
): Promise<SignalCount[]> {
  return SIGNAL_COUNT.all(
    handle,
    sql`
    with ${daysSince(wanted)}
    select ${SIGNAL_COUNT.list}
      from (select slot_id, model_v, sum(n)::int as n, min(first_close) as earliest,
                   sum(n_buy + n_sell)::int as n_followed, sum(followed_confidence) as followed_confidence,
                   min(first_followed_ts) as first_followed_ts, max(last_followed_ts) as last_followed_ts
              from days group by 1, 2) c
      join slots s on s.id = c.slot_id`,
  );
}

const DIRECTIONS_OF = columns({
  symbol: text("s.symbol"),
  total: number("sum(d.n)::int"),
  buy: number("sum(d.n_buy)::int"),
  sell: number("sum(d.n_sell)::int"),
});
export type SymbolDirections = Row<typeof DIRECTIONS_OF>;

/** Number of live signals in scope by symbol and direction whose candle closed after `since`; the rest of `total` is NO_TRADE. */
export async function countDirectionsBySymbol(
  handle: DatabaseHandle,
  wanted: SummedSignalWindow,
): Promise<SymbolDirections[]> {
  return DIRECTIONS_OF.all(
    handle,
    sql`
    with ${daysSince(wanted)}
    select ${DIRECTIONS_OF.list} from days d join slots s on s.id = d.slot_id group by s.symbol`,
  );
}
