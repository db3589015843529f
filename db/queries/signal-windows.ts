import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { DAY_MS } from "@/lib/time";
import { epochMs, toInstant, toInstantOrNull } from "./instants";
import {
  NAMED_SIGNAL,
  type NamedSignal,
  type NamedSignalColumns,
  type SignalDirection,
  toNamedSignal,
} from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

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
  const rows = await handle.execute<NamedSignalColumns>(sql`
    select ${NAMED_SIGNAL}
      from (select * from signals g
             where g.slot_id = any(${slotIdsInScope(wanted.scope)}) and g.ts > ${oldestTs}::timestamptz
               and g.closes_at > ${wanted.since.toISOString()}::timestamptz ${directional}
             order by g.ts desc, g.created_at desc, g.id desc
             limit ${wanted.limit}) g
      join slots s on s.id = g.slot_id
     order by g.ts desc, g.created_at desc, g.id desc`);
  return rows.map(toNamedSignal);
}

export interface PredictionDay {
  /** UTC date of `ts`. */
  date: string;
  symbol: string;
  timeframe: string;
  modelV: string;
  n: number;
  nBuy: number;
  nSell: number;
  nNoTrade: number;
  avgConfidence: number;
  avgProbBuy: number;
  avgProbSell: number;
  avgProbNo: number;
  avgExpectedRr: number;
  /** Counts by label, most frequent first. */
  regimes: Record<string, number>;
  firstTs: Date;
  lastTs: Date;
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
  const rows = await handle.execute<{
    date: string;
    symbol: string;
    timeframe: string;
    model_v: string;
    n: number;
    n_buy: number;
    n_sell: number;
    avg_confidence: number;
    avg_buy: number;
    avg_sell: number;
    avg_no: number;
    avg_rr: number;
    regimes: string[];
    first_ms: string;
    last_ms: string;
    earliest_ms: string;
  }>(sql`
    with days as (
      select (g.ts at time zone 'UTC')::date as date, g.slot_id, g.model_v, count(*)::int as n,
             count(*) filter (where g.signal = 'BUY')::int as n_buy,
             count(*) filter (where g.signal = 'SELL')::int as n_sell,
             avg(g.confidence) as avg_confidence, avg(g.prob_buy) as avg_buy, avg(g.prob_sell) as avg_sell,
             avg(g.prob_no) as avg_no, avg(g.expected_rr) as avg_rr, array_agg(g.regime order by g.regime) as regimes,
             min(g.ts) as first_ts, max(g.ts) as last_ts, min(g.closes_at) as earliest
        from signals g
       where g.slot_id = any(${slotIdsInScope(wanted.scope)})
         and g.closes_at > ${wanted.since.toISOString()}::timestamptz
       group by 1, 2, 3)
    select to_char(d.date, 'YYYY-MM-DD') as date, s.symbol, s.timeframe, d.model_v, d.n, d.n_buy, d.n_sell,
           d.avg_confidence, d.avg_buy, d.avg_sell, d.avg_no, d.avg_rr, d.regimes,
           ${epochMs("d.first_ts")} as first_ms, ${epochMs("d.last_ts")} as last_ms,
           ${epochMs("min(d.earliest) over ()")} as earliest_ms
      from days d join slots s on s.id = d.slot_id
     order by d.date desc, s.symbol, array_position(array['M1','M5','M15','M30','H1','H4','D1','W1','MN1'], s.timeframe),
              d.model_v
     limit ${wanted.limit}`);
  const earliest = rows[0]?.earliest_ms;
  return {
    earliestClose: toInstantOrNull(earliest ?? null),
    days: rows.map((row) => ({
      date: row.date,
      symbol: row.symbol,
      timeframe: row.timeframe,
      modelV: row.model_v,
      n: row.n,
      nBuy: row.n_buy,
      nSell: row.n_sell,
      nNoTrade: row.n - row.n_buy - row.n_sell,
      avgConfidence: row.avg_confidence,
      avgProbBuy: row.avg_buy,
      avgProbSell: row.avg_sell,
      avgProbNo: row.avg_no,
      avgExpectedRr: row.avg_rr,
      regimes: countLabels(row.regimes),
      firstTs: toInstant(row.first_ms),
      lastTs: toInstant(row.last_ms),
    })),
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
      from signals where closes_at > ${since.toISOString()}::timestamptz group by 1`);
  return new Map(rows.map((row) => [row.slot_id, row.n]));
}

/** Signals since an instant by slot, model, direction, regime and tenth of confidence: the day at a glance. */
export async function tallySignals(handle: Handle, since: Date) {
  const rows = await handle.execute<{
    symbol: string;
    timeframe: string;
    model_v: string;
    signal: SignalDirection;
    regime: string;
    tenth: number;
    n: number;
  }>(sql`
    select s.symbol, s.timeframe, g.model_v, g.signal, g.regime,
           least(floor(g.confidence * 10), 9)::int as tenth, count(*)::int as n
      from signals g join slots s on s.id = g.slot_id
     where g.closes_at > ${since.toISOString()}::timestamptz
     group by 1, 2, 3, 4, 5, 6`);
  return rows.map((row) => ({
    symbol: row.symbol,
    timeframe: row.timeframe,
    modelV: row.model_v,
    signal: row.signal,
    regime: row.regime,
    tenth: row.tenth,
    n: row.n,
  }));
}
