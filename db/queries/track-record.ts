import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { Timeframe } from "@/lib/vocabulary";
import { boolean, bytes, columns, json, number, type Row, text, timestamp } from "./columns";
import { type DayRevision, listDayRevisions, type SlotDay, slotDays } from "./dirty-days";
import { array } from "./parameters";
import { IS_LIVE_SIGNAL } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

/** The slots of a track record, and the start of its window. */
export interface TrackWindow {
  scope: SlotScope;
  /** Only signals whose candle closed after this time. */
  since: Date;
}

const instantOf = (date: Date) => sql`${date.toISOString()}::timestamptz`;
const dateOf = (date: Date) => sql`${date.toISOString().slice(0, 10)}::date`;
/** The columns of an outcome that the statistics need. Fewer columns are cheaper to transfer. */
const OUTCOME = sql.raw("signal_id, slot_id, model_v, closes_at, ended_at, label, result_r, buy_r, sell_r");

/**
 * SQL: the outcomes `o` of live signals whose `instant` (close of the candle, or end of the result) is in one of the days
 * `t(slot_id, day)`. Each day is a range of the index on slot and instant; `offset 0` keeps the planner, which does not
 * know how few days there are, from reading whole tables. There is no index on the instant alone, with which the planner
 * would read the days of all slots.
 */
function outcomesOf(
  days: SQL,
  instant: "closes_at" | "ended_at",
  { only = sql`true`, since = null }: { only?: SQL; since?: Date | null } = {},
): SQL {
  const column = sql.identifier(instant);
  return sql`
    ${days}
     cross join lateral (
       select ${OUTCOME} from outcomes
        where slot_id = t.slot_id and ${column} >= t.day::timestamp at time zone 'UTC'
          and ${column} < (t.day + 1)::timestamp at time zone 'UTC' and not backfilled and ${only}
          and ${since ? sql`closes_at > ${instantOf(since)}` : sql`true`} offset 0) o`;
}

/** SQL: joins the probabilities `g` of the signal of each outcome `o` by one index look-up. */
const FORECAST = sql`cross join lateral (select prob_buy, prob_sell, prob_no from signals where id = o.signal_id offset 0) g`;

const IS_RESULT = sql`result_r is not null`;

// Forecasts

const MODEL = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("m.model_v"),
  /** Class frequencies of the training sample (BUY, SELL, NO_TRADE); null: unknown. */
  classFreq: json<number[] | null>("m.class_freq"),
});
export type ScoredModel = Row<typeof MODEL>;

const SLOT_NAME = columns({
  slotId: number("id"),
  symbol: text("symbol"),
  timeframe: text<Timeframe>("timeframe"),
});

/** The slots in scope, and the registered models of these slots. */
export async function listScoredModels(
  handle: DatabaseHandle,
  scope: SlotScope,
): Promise<{ slots: Row<typeof SLOT_NAME>[]; models: ScoredModel[] }> {
  const slots = await SLOT_NAME.all(
    handle,
    sql`select ${SLOT_NAME.list} from slots where id = any(${slotIdsInScope(scope)})`,
  );
  const models = await MODEL.all(
    handle,
    sql`select ${MODEL.list} from models m join slots s on s.id = m.slot_id
         where m.slot_id = any(${slotIdsInScope(scope)})`,
  );
  return { slots, models };
}

/** Forecasts as one text of numbers per column, because to decode single rows would take several times as long. */
const FORECASTS = columns({
  slotId: number("slot_id"),
  modelV: text("model_v"),
  /** UTC date of the candles' closes. */
  day: text("to_char(day, 'YYYY-MM-DD')"),
  earliestClose: timestamp("earliest"),
  buy: text("buy"),
  sell: text("sell"),
  no: text("no"),
  labels: text("labels"),
  begins: text<string | null>("begins"),
  ends: text<string | null>("ends"),
});

/** Resolved forecasts of one slot, model and day, in order of their candles. */
export interface DayOfForecasts {
  slotId: number;
  modelV: string;
  day: string;
  earliestClose: Date;
  /** Three probabilities per forecast, in the order BUY, SELL, NO_TRADE. */
  probs: Float64Array;
  /** The actual classes: 0 BUY, 1 SELL, 2 NO_TRADE. */
  labels: Uint8Array;
  /** For each BUY or SELL signal: the candle's close and the end of the result, in epoch seconds. */
  results: { begin: number; end: number }[];
}

const numbers = (list: string | null) => Float64Array.from(list?.split(",") ?? [], Number);
const LABEL_LETTERS = "BSN";

function triples(lists: [buy: string, sell: string, no: string]): Float64Array {
  const [buy, sell, no] = lists.map(numbers);
  const probs = new Float64Array(3 * (buy?.length ?? 0));
  for (let i = 0; i < probs.length; i += 3) {
    probs[i] = buy?.[i / 3] ?? 0;
    probs[i + 1] = sell?.[i / 3] ?? 0;
    probs[i + 2] = no?.[i / 3] ?? 0;
  }
  return probs;
}

const labelNumbers = (labels: string) => Uint8Array.from(labels, (letter) => LABEL_LETTERS.indexOf(letter));

/** The resolved forecasts of the days `t(slot_id, day)`, by slot, model and day. */
async function readForecasts(
  handle: DatabaseHandle,
  days: SQL,
  since: Date | null,
): Promise<DayOfForecasts[]> {
  const inOrder = (value: SQL) =>
    sql`array_to_string(array_agg(${value} order by o.closes_at, o.signal_id), ',')`;
  const ofResults = (instant: SQL) =>
    sql`array_to_string(array_agg(extract(epoch from ${instant})::float8 order by o.closes_at, o.signal_id)
          filter (where o.result_r is not null), ',')`;
  const rows = await FORECASTS.all(
    handle,
    sql`
    select ${FORECASTS.list}
      from (select o.slot_id, o.model_v, t.day, min(o.closes_at) as earliest,
                   ${inOrder(sql`g.prob_buy`)} as buy, ${inOrder(sql`g.prob_sell`)} as sell,
                   ${inOrder(sql`g.prob_no`)} as no,
                   string_agg(left(o.label, 1), '' order by o.closes_at, o.signal_id) as labels,
                   ${ofResults(sql`o.closes_at`)} as begins, ${ofResults(sql`o.ended_at`)} as ends
              from ${outcomesOf(days, "closes_at", { since })} ${FORECAST}
             group by 1, 2, 3) f`,
  );
  return rows.map(({ buy, sell, no, labels, begins, ends, ...row }) => ({
    ...row,
    probs: triples([buy, sell, no]),
    labels: labelNumbers(labels),
    results: intervals(begins, ends),
  }));
}

/** All resolved forecasts of these days, read from the signals. */
export async function listForecastsOfDays(
  handle: DatabaseHandle,
  days: SlotDay[],
): Promise<DayOfForecasts[]> {
  return readForecasts(handle, slotDays(days), null);
}

/** SQL: a slot's first close in the window; without one `infinity`, which differs from a day that lies in the window. */
const firstCloseOfSlot = (since: Date) => sql`coalesce((
  select o.closes_at from outcomes o where o.slot_id = p.slot_id and o.closes_at > ${instantOf(since)}
   order by o.closes_at limit 1), 'infinity')`;

/** The days of a window whose forecasts are read individually: dirty days, and the day in which the window begins. */
export function listUnsummedForecastDays(
  handle: DatabaseHandle,
  { scope, since }: TrackWindow,
): Promise<DayRevision[]> {
  const parts = sql`
      select slot_id, day from dirty_days
       where kind = 'forecasts' and slot_id = any(${slotIdsInScope(scope)}) and day > ${dateOf(since)}
      union all
      select id, ${dateOf(since)} from slots where id = any(${slotIdsInScope(scope)})`;
  // A forecast belongs to the day of its close, so later days lie in the window.
  const firstClose = sql`case when p.day = ${dateOf(since)} then ${firstCloseOfSlot(since)} end`;
  return listDayRevisions(handle, "forecasts", { parts, firstClose });
}

/** The resolved forecasts of these days whose candle closed after `since`, read from the signals. */
export async function listUnsummedForecasts(
  handle: DatabaseHandle,
  { days, since }: { days: readonly SlotDay[]; since: Date },
): Promise<DayOfForecasts[]> {
  return readForecasts(handle, slotDays(days), since);
}

function intervals(begins: string | null, ends: string | null): DayOfForecasts["results"] {
  const endings = numbers(ends);
  return Array.from(numbers(begins), (begin, i) => ({ begin, end: endings[i] ?? begin }));
}

const SUM = {
  slotId: number("f.slot_id"),
  modelV: text("f.model_v"),
  /** UTC date of the closes, or the first day of their month. */
  day: text("to_char(f.day, 'YYYY-MM-DD')"),
  earliestClose: timestamp("f.first_close"),
};
const FORECAST_SUM = columns({ ...SUM, tally: bytes("f.tally"), chain: bytes("f.chain") });
export type ForecastSum = Row<typeof FORECAST_SUM>;

/** Slots by their ids, and the start of a window. */
export interface SlotsWindow {
  slotIds: readonly number[];
  since: Date;
}

/** The revision of a slot's stored sums in a window, for caching what was computed from them. */
const SUM_REVISION = columns({
  slotId: number("x.slot_id"),
  /** Changes whenever one of the sums is written: a rewritten row has a larger `xmin`. */
  revision: text(
    "concat_ws('/', count(*), sum(x.written::text::bigint), sum(x.day - date '1970-01-01'), min(x.day), max(x.day))",
  ),
  /** Whether days without a sum, which are read individually, lie between the summed days. */
  isParted: boolean(
    "exists (select 1 from parts p where p.slot_id = x.slot_id and p.day > min(x.day) and p.day < max(x.day))",
  ),
});
export type SumRevision = Row<typeof SUM_REVISION>;

/**
 * SQL: the CTE `f` with the stored sums after `since`: of each whole month without a dirty day, and of the single clean days
 * of all other months. Every day is in at most one of the sums. Days are looked up month by month, with `offset 0`: the
 * planner, which does not know how few other months there are, would read all days.
 */
const forecastSums = (slotIds: SQL, since: Date, selected: SQL): SQL => {
  const inReach = sql`slot_id = any(${slotIds}) and day > ${dateOf(since)}`;
  return sql`
    with parts as materialized (
      select slot_id, day from dirty_days where kind = 'forecasts' and ${inReach}
    ), months as materialized (
      select m.*, m.xmin as written from forecast_days m
       where span = 'month' and ${inReach}
         and not exists (select 1 from parts p where p.slot_id = m.slot_id and p.day >= m.day
                            and p.day < (m.day + interval '1 month')::date)
    ), other_months as materialized (
      select s.id as slot_id, m.day::date as day
        from slots s
       cross join generate_series(date_trunc('month', ${dateOf(since)}::timestamp), now() at time zone 'UTC',
                                  interval '1 month') m(day)
       where s.id = any(${slotIds})
         and not exists (select 1 from months n where n.slot_id = s.id and n.day = m.day::date)
    ), f as not materialized (
      select * from months
      union all
      select d.*
        from other_months o
       cross join lateral (
         select d.*, d.xmin as written from forecast_days d
          where d.span = 'day' and d.slot_id = o.slot_id and d.day > ${dateOf(since)}
            and d.day >= o.day and d.day < (o.day + interval '1 month')::date offset 0) d
       where not exists (select 1 from parts p where p.slot_id = d.slot_id and p.day = d.day))
    ${selected}`;
};

const some = (slotIds: readonly number[]) => array(slotIds, "int");

/** The revision of each slot's stored forecast sums in a window. */
export function listForecastSumRevisions(
  handle: DatabaseHandle,
  { scope, since }: TrackWindow,
): Promise<SumRevision[]> {
  return SUM_REVISION.all(
    handle,
    forecastSums(
      slotIdsInScope(scope),
      since,
      sql`select ${SUM_REVISION.list} from (select slot_id, day, written from f) x group by x.slot_id`,
    ),
  );
}

/** The stored forecast sums of the whole months in this window, and of single days in its other months. */
export function listForecastSums(
  handle: DatabaseHandle,
  { slotIds, since }: SlotsWindow,
): Promise<ForecastSum[]> {
  return FORECAST_SUM.all(
    handle,
    forecastSums(some(slotIds), since, sql`select ${FORECAST_SUM.list} from f`),
  );
}

/** The stored forecast sums of each day of these months. */
export async function listForecastSumsOfMonths(
  handle: DatabaseHandle,
  months: SlotDay[],
): Promise<ForecastSum[]> {
  return FORECAST_SUM.all(
    handle,
    sql`
    select ${FORECAST_SUM.list}
      from ${slotDays(months)}
      join forecast_days f on f.span = 'day' and f.slot_id = t.slot_id
                          and f.day >= t.day and f.day < (t.day + interval '1 month')::date`,
  );
}

/** Replaces the stored forecast sums of these days, or of these months. With days, the sums of their months are deleted. */
export async function writeForecastSums(
  tx: Transaction,
  span: "day" | "month",
  days: SlotDay[],
  sums: ForecastSum[],
): Promise<void> {
  await tx.execute(sql`
    delete from forecast_days f using ${slotDays(days)}
     where f.span = ${span} and f.slot_id = t.slot_id and f.day = t.day`);
  if (span === "day")
    await tx.execute(sql`
      delete from forecast_days f using ${slotDays(days)}
       where f.span = 'month' and f.slot_id = t.slot_id and f.day = date_trunc('month', t.day)::date`);
  if (sums.length === 0) return;
  await tx.execute(sql`
    insert into forecast_days (span, slot_id, day, model_v, first_close, tally, chain)
    select ${span}, slot_id, day::date, model_v, to_timestamp(first_ms / 1000.0), decode(tally, 'hex'), decode(chain, 'hex')
      from unnest(${array(
        sums.map((sum) => sum.slotId),
        "int",
      )}, ${texts(sums, (sum) => sum.day)}, ${texts(sums, (sum) => sum.modelV)},
                  ${array(
                    sums.map((sum) => sum.earliestClose.getTime()),
                    "float8",
                  )}, ${texts(sums, (sum) => sum.tally.toString("hex"))}, ${texts(sums, (sum) => sum.chain.toString("hex"))})
        as t(slot_id, day, model_v, first_ms, tally, chain)`);
}

const texts = <T>(rows: readonly T[], pick: (row: T) => string) => array(rows.map(pick), "text");

const NEWEST = columns({
  slotId: number("f.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("f.model_v"),
  classFreq: json<number[] | null>("m.class_freq"),
  earliestClose: timestamp("f.earliest"),
  buy: text("f.buy"),
  sell: text("f.sell"),
  no: text("f.no"),
  labels: text("f.labels"),
  closes: text("f.closes"),
  ids: text("f.ids"),
});

/** The newest resolved forecasts of one slot and model as columns, in order of close. */
export interface ForecastColumns extends ScoredModel {
  earliestClose: Date;
  probs: Float64Array;
  labels: Uint8Array;
  /** Close of each forecast's candle, in epoch seconds. */
  closesS: Float64Array;
  /** Signal ids of the forecasts. */
  ids: Float64Array;
}

/**
 * Resolved live forecasts of these slots, grouped by slot and model: of each slot's newest `limit` outcomes of candles
 * that closed after `since`, those of live signals.
 */
export async function listNewestForecasts(
  handle: DatabaseHandle,
  { slotIds, since, limit }: { slotIds: readonly number[]; since: Date; limit: number },
): Promise<ForecastColumns[]> {
  const inOrder = (value: SQL) =>
    sql`array_to_string(array_agg(${value} order by closes_at, signal_id), ',')`;
  const rows = await NEWEST.all(
    handle,
    sql`
    select ${NEWEST.list}
      from (select slot_id, model_v, min(closes_at) as earliest, ${inOrder(sql`prob_buy`)} as buy,
                   ${inOrder(sql`prob_sell`)} as sell, ${inOrder(sql`prob_no`)} as no,
                   string_agg(left(label, 1), '' order by closes_at, signal_id) as labels,
                   ${inOrder(sql`extract(epoch from closes_at)::bigint`)} as closes, ${inOrder(sql`signal_id`)} as ids
              from slots s
             cross join lateral (
               select * from outcomes o where o.slot_id = s.id and o.closes_at > ${instantOf(since)}
                order by o.closes_at desc limit ${limit}) o
             cross join lateral (
               select prob_buy, prob_sell, prob_no from signals g where g.id = o.signal_id and ${IS_LIVE_SIGNAL} offset 0) g
             where s.id = any(${array(slotIds, "int")})
             group by 1, 2) f
      join slots s on s.id = f.slot_id
      left join models m on m.slot_id = f.slot_id and m.model_v = f.model_v`,
  );
  return rows.map(({ buy, sell, no, labels, closes, ids, ...row }) => ({
    ...row,
    probs: triples([buy, sell, no]),
    labels: labelNumbers(labels),
    closesS: numbers(closes),
    ids: numbers(ids),
  }));
}

// Results

const RESULT_SUM = columns({
  slotId: number("r.slot_id"),
  modelV: text("r.model_v"),
  /** UTC date on which the results ended. */
  day: text("to_char(r.day, 'YYYY-MM-DD')"),
  n: number("r.n"),
  wins: number("r.wins"),
  losses: number("r.losses"),
  gainR: number("r.gain_r"),
  lossR: number("r.loss_r"),
  totalR: number("r.total_r"),
  drawdownR: number("r.drawdown_r"),
  highR: number("r.high_r"),
  lowR: number("r.low_r"),
  buyWins: number("r.buy_wins"),
  buyLosses: number("r.buy_losses"),
  sellWins: number("r.sell_wins"),
  sellLosses: number("r.sell_losses"),
});
export type ResultSum = Row<typeof RESULT_SUM>;

const RESULTS = columns({
  slotId: number("slot_id"),
  modelV: text("model_v"),
  day: text("to_char(day, 'YYYY-MM-DD')"),
  earliestClose: timestamp("earliest"),
  resultR: text("result_r"),
  buyR: text("buy_r"),
  sellR: text("sell_r"),
});

/** Results in R of one slot, model and day, in the order in which they ended. */
export interface DayOfResults {
  slotId: number;
  modelV: string;
  day: string;
  earliestClose: Date;
  resultR: Float64Array;
  buyR: Float64Array;
  sellR: Float64Array;
}

/** The results that ended on the days `t(slot_id, day)`, by slot, model and day. */
async function readResults(handle: DatabaseHandle, days: SQL, since: Date | null): Promise<DayOfResults[]> {
  const inOrder = (value: SQL) =>
    sql`array_to_string(array_agg(${value} order by o.ended_at, o.closes_at), ',')`;
  const rows = await RESULTS.all(
    handle,
    sql`
    select ${RESULTS.list}
      from (select o.slot_id, o.model_v, t.day, min(o.closes_at) as earliest, ${inOrder(sql`o.result_r`)} as result_r,
                   ${inOrder(sql`o.buy_r`)} as buy_r, ${inOrder(sql`o.sell_r`)} as sell_r
              from ${outcomesOf(days, "ended_at", { only: IS_RESULT, since })}
             group by 1, 2, 3) f`,
  );
  return rows.map(({ resultR, buyR, sellR, ...row }) => ({
    ...row,
    resultR: numbers(resultR),
    buyR: numbers(buyR),
    sellR: numbers(sellR),
  }));
}

/** All results that ended on these days, read from the outcomes. */
export async function listResultsOfDays(handle: DatabaseHandle, days: SlotDay[]): Promise<DayOfResults[]> {
  return readResults(handle, slotDays(days), null);
}

/**
 * SQL: the days whose results are read individually: dirty days, and days that also contain results of signals from before
 * the window.
 */
function resultParts(slotIds: SQL, since: Date): SQL {
  const inReach = sql`slot_id = any(${slotIds}) and day >= ${dateOf(since)}`;
  return sql`
      select slot_id, day from dirty_days where kind = 'results' and ${inReach}
      union
      select slot_id, day from result_days where ${inReach} and first_close <= ${instantOf(since)}`;
}

/** SQL: the stored result sums `r` of the other days of a window. */
const resultSums = (slotIds: SQL, since: Date): SQL => sql`result_days r
     where r.slot_id = any(${slotIds}) and r.day >= ${dateOf(since)}
       and not exists (select 1 from parts p where p.slot_id = r.slot_id and p.day = r.day)`;

/** The days of a window whose results are read individually. */
export function listUnsummedResultDays(
  handle: DatabaseHandle,
  { scope, since }: TrackWindow,
): Promise<DayRevision[]> {
  const parts = resultParts(slotIdsInScope(scope), since);
  return listDayRevisions(handle, "results", { parts, firstClose: firstCloseOfSlot(since) });
}

/** The results that ended on these days, of signals whose candle closed after `since`, read from the outcomes. */
export function listUnsummedResults(
  handle: DatabaseHandle,
  { days, since }: { days: readonly SlotDay[]; since: Date },
): Promise<DayOfResults[]> {
  return readResults(handle, slotDays(days), since);
}

/** The revision of each slot's stored result sums in a window. */
export async function listResultSumRevisions(
  handle: DatabaseHandle,
  { scope, since }: TrackWindow,
): Promise<SumRevision[]> {
  const slotIds = slotIdsInScope(scope);
  return SUM_REVISION.all(
    handle,
    sql`
    with parts as materialized (${resultParts(slotIds, since)})
    select ${SUM_REVISION.list}
      from (select slot_id, day, xmin as written from ${resultSums(slotIds, since)}) x group by x.slot_id`,
  );
}

/** The stored result sums of the days that contain only results of this window. */
export async function listResultSums(
  handle: DatabaseHandle,
  { slotIds, since }: SlotsWindow,
): Promise<ResultSum[]> {
  return RESULT_SUM.all(
    handle,
    sql`
    with parts as materialized (${resultParts(some(slotIds), since)})
    select ${RESULT_SUM.list} from ${resultSums(some(slotIds), since)}`,
  );
}

/** Replaces the stored result sums of these days. */
export async function writeResultSums(
  tx: Transaction,
  days: SlotDay[],
  sums: (ResultSum & { earliestClose: Date })[],
): Promise<void> {
  await tx.execute(
    sql`delete from result_days r using ${slotDays(days)} where r.slot_id = t.slot_id and r.day = t.day`,
  );
  if (sums.length === 0) return;
  const figures = (pick: (sum: ResultSum) => number) => array(sums.map(pick), "float8");
  await tx.execute(sql`
    insert into result_days (slot_id, day, model_v, first_close, n, wins, losses, gain_r, loss_r, total_r, drawdown_r,
                             high_r, low_r, buy_wins, buy_losses, sell_wins, sell_losses)
    select slot_id, day::date, model_v, to_timestamp(first_ms / 1000.0), n, wins, losses, gain_r, loss_r, total_r,
           drawdown_r, high_r, low_r, buy_wins, buy_losses, sell_wins, sell_losses
      from unnest(${array(
        sums.map((sum) => sum.slotId),
        "int",
      )}, ${texts(sums, (sum) => sum.day)}, ${texts(sums, (sum) => sum.modelV)},
                  ${array(
                    sums.map((sum) => sum.earliestClose.getTime()),
                    "float8",
                  )}, ${figures((sum) => sum.n)}, ${figures((sum) => sum.wins)}, ${figures((sum) => sum.losses)},
                  ${figures((sum) => sum.gainR)}, ${figures((sum) => sum.lossR)}, ${figures((sum) => sum.totalR)},
                  ${figures((sum) => sum.drawdownR)}, ${figures((sum) => sum.highR)}, ${figures((sum) => sum.lowR)},
                  ${figures((sum) => sum.buyWins)}, ${figures((sum) => sum.buyLosses)},
                  ${figures((sum) => sum.sellWins)}, ${figures((sum) => sum.sellLosses)})
        as t(slot_id, day, model_v, first_ms, n, wins, losses, gain_r, loss_r, total_r, drawdown_r, high_r, low_r,
             buy_wins, buy_losses, sell_wins, sell_losses)`);
}
