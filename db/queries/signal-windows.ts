import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { DAY_MS } from "@/lib/time";
import { type Direction, TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";
import { at, columns, number, type Row, text, texts } from "./columns";
import { array } from "./parameters";
import { IS_LIVE, NAMED_SIGNAL, type NamedSignal } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

const NAMED = columns(NAMED_SIGNAL);

/** The longest candle: a signal whose candle closed after an instant cannot have a `ts` further back than this. */
const LONGEST_CANDLE_MS = 31 * DAY_MS;

/**
 * Signals in scope whose candle closed after `since`, newest `ts` first. Reads the index on `ts` from its end until
 * `limit` rows are found, so that the size of the history does not matter.
 */
export async function listSignalsInScope(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date; includeNoTrade: boolean; limit: number },
): Promise<NamedSignal[]> {
  const oldestTs = new Date(wanted.since.getTime() - LONGEST_CANDLE_MS).toISOString();
  const directional = wanted.includeNoTrade ? sql`` : sql`and g.signal <> 'NO_TRADE'`;
  return NAMED.all(
    handle,
    sql`
    select ${NAMED.list}
      from (select * from signals g
             where g.slot_id = any(${slotIdsInScope(wanted.scope)}) and g.ts > ${oldestTs}::timestamptz
               and g.closes_at > ${wanted.since.toISOString()}::timestamptz and ${IS_LIVE} ${directional}
             order by g.ts desc, g.created_at desc, g.id desc
             limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id
     order by g.ts desc, g.created_at desc, g.id desc`,
  );
}

const PREDICTION_DAY = columns({
  /** UTC date of `ts`. */
  date: text("to_char(d.date, 'YYYY-MM-DD')"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("d.model_v"),
  n: number("d.n"),
  nBuy: number("d.n_buy"),
  nSell: number("d.n_sell"),
  nNoTrade: number("d.n - d.n_buy - d.n_sell"),
  avgConfidence: number("d.avg_confidence"),
  avgProbBuy: number("d.avg_buy"),
  avgProbSell: number("d.avg_sell"),
  avgProbNo: number("d.avg_no"),
  avgExpectedRr: number("d.avg_rr"),
  labels: texts("d.regimes"),
  firstTs: at("d.first_ts"),
  lastTs: at("d.last_ts"),
  earliestClose: at("min(d.earliest) over ()"),
});

export interface PredictionDay extends Omit<Row<typeof PREDICTION_DAY>, "labels" | "earliestClose"> {
  /** Counts by label, most frequent first. */
  regimes: Record<string, number>;
}

/**
 * Signals in scope whose candle closed after `since`, summed up by slot, model and UTC date of `ts`; newest date
 * first, then by symbol, timeframe and model. Also when the earliest of them closed: until it leaves the window the
 * answer changes only with a new signal.
 */
export async function summarizePredictions(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date; limit: number },
): Promise<{ days: PredictionDay[]; earliestClose: Date | null }> {
  const rows = await PREDICTION_DAY.all(
    handle,
    sql`
    with days as (
      select (g.ts at time zone 'UTC')::date as date, g.slot_id, g.model_v, count(*)::int as n,
             count(*) filter (where g.signal = 'BUY')::int as n_buy,
             count(*) filter (where g.signal = 'SELL')::int as n_sell,
             avg(g.confidence) as avg_confidence, avg(g.prob_buy) as avg_buy, avg(g.prob_sell) as avg_sell,
             avg(g.prob_no) as avg_no, avg(g.expected_rr) as avg_rr, array_agg(g.regime order by g.regime) as regimes,
             min(g.ts) as first_ts, max(g.ts) as last_ts, min(g.closes_at) as earliest
        from signals g
       where g.slot_id = any(${slotIdsInScope(wanted.scope)})
         and g.closes_at > ${wanted.since.toISOString()}::timestamptz and ${IS_LIVE}
       group by 1, 2, 3)
    select ${PREDICTION_DAY.list}
      from days d join slots s on s.id = d.slot_id
     order by d.date desc, s.symbol, array_position(${array(TIMEFRAMES, "text")}, s.timeframe), d.model_v
     limit ${wanted.limit}`,
  );
  return {
    earliestClose: rows[0]?.earliestClose ?? null,
    days: rows.map(({ labels, earliestClose, ...day }) => ({ ...day, regimes: countLabels(labels) })),
  };
}

function countLabels(labels: string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}

/** How many signals of each slot had their candle close after `since`. */
export async function countSignalsBySlot(handle: Handle, since: Date): Promise<Map<number, number>> {
  const rows = await handle.execute<{ slot_id: number; n: number }>(sql`
    select slot_id, count(*)::int as n
      from signals g where closes_at > ${since.toISOString()}::timestamptz and ${IS_LIVE} group by 1`);
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

/** Signals since an instant by slot, model, direction, regime and tenth of confidence: the day at a glance. */
export async function tallySignals(handle: Handle, since: Date): Promise<Row<typeof TALLY>[]> {
  return TALLY.all(
    handle,
    sql`
    select ${TALLY.list}
      from signals g join slots s on s.id = g.slot_id
     where g.closes_at > ${since.toISOString()}::timestamptz and ${IS_LIVE}
     group by 1, 2, 3, 4, 5, 6`,
  );
}
