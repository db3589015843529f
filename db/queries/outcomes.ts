import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { epochMs, toInstant } from "./instants";
import { array } from "./parameters";
import type { SignalDirection } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";
import { moveVersion } from "./versions";

export interface OpenSignal {
  signalId: number;
  ts: number;
  modelV: string;
  closesAt: Date;
  signal: SignalDirection;
  expectedRr: number;
}

/** How many signals of each slot wait for their outcome. */
export async function countOpenOutcomes(handle: Handle): Promise<Map<number, number>> {
  const rows = await handle.execute<{ slot_id: number; n: number }>(
    sql`select slot_id, count(*)::int as n from open_outcomes group by 1`,
  );
  return new Map(rows.map((row) => [row.slot_id, row.n]));
}

/**
 * Signals of a slot that wait for their outcome and whose candle is there, oldest first, later than `after`.
 * `ts` in epoch ms.
 */
export async function listOpenSignals(
  handle: Handle,
  slotId: number,
  wanted: { after: number | null; limit: number },
): Promise<OpenSignal[]> {
  const after =
    wanted.after === null ? sql`` : sql`and o.ts > ${new Date(wanted.after).toISOString()}::timestamptz`;
  const rows = await handle.execute<{
    id: string;
    ts_ms: string;
    model_v: string;
    closes_ms: string;
    signal: SignalDirection;
    expected_rr: number;
  }>(sql`
    select g.id, ${epochMs("o.ts")} as ts_ms, g.model_v, ${epochMs("g.closes_at")} as closes_ms,
           g.signal, g.expected_rr
      from open_outcomes o
      join candles c on c.slot_id = o.slot_id and c.ts = o.ts
      join signals g on g.id = o.signal_id
     where o.slot_id = ${slotId} ${after}
     order by o.ts, g.id
     limit ${wanted.limit}`);
  return rows.map((row) => ({
    signalId: Number(row.id),
    ts: Number(row.ts_ms),
    modelV: row.model_v,
    closesAt: toInstant(row.closes_ms),
    signal: row.signal,
    expectedRr: row.expected_rr,
  }));
}

export interface OutcomeRow {
  signalId: number;
  modelV: string;
  closesAt: Date;
  signal: SignalDirection;
  ruleVersion: string;
  entryPrice: number;
  barrierDistance: number;
  label: SignalDirection;
  buyR: number;
  sellR: number;
  resultR: number | null;
  exitPrice: number | null;
  exitReason: "TP" | "SL" | "TIMEOUT" | null;
  endedAt: Date;
}

/** Writes final outcomes of a slot; one that is there already stands. Returns how many were new. */
export async function insertOutcomes(handle: Handle, slotId: number, rows: OutcomeRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const signalIds = rows.map((row) => row.signalId);
  const numbers = (pick: (row: OutcomeRow) => number | null) => array(rows.map(pick), "float8");
  const texts = (pick: (row: OutcomeRow) => string | null) => array(rows.map(pick), "text");
  const [result] = await handle.execute<{ n: number }>(sql`
    with written as (
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance,
                            label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
      select signal_id, ${slotId}::int, model_v, to_timestamp(closes_ms / 1000.0), signal, rule_version, entry_price,
             barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, to_timestamp(ended_ms / 1000.0)
        from unnest(${array(signalIds, "bigint")}, ${texts((row) => row.modelV)}, ${numbers((row) => row.closesAt.getTime())}, ${texts((row) => row.signal)},
                    ${texts((row) => row.ruleVersion)}, ${numbers((row) => row.entryPrice)},
                    ${numbers((row) => row.barrierDistance)}, ${texts((row) => row.label)},
                    ${numbers((row) => row.buyR)}, ${numbers((row) => row.sellR)}, ${numbers((row) => row.resultR)},
                    ${numbers((row) => row.exitPrice)}, ${texts((row) => row.exitReason)},
                    ${numbers((row) => row.endedAt.getTime())})
          as t(signal_id, model_v, closes_ms, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r,
               result_r, exit_price, exit_reason, ended_ms)
      on conflict (signal_id) do nothing
      returning 1)
    select count(*)::int as n from written`);
  return result?.n ?? 0;
}

/** Takes signals off the list of those that wait. */
export async function deleteOpenOutcomes(handle: Handle, signalIds: number[]): Promise<void> {
  await handle.execute(sql`delete from open_outcomes where signal_id = any(${array(signalIds, "bigint")})`);
}

/** Tells every instance that track records changed. */
export async function bumpOutcomesVersion(handle: Handle): Promise<void> {
  await handle.execute(sql`update state_versions set ${moveVersion("outcomes")} where id = 1`);
}

export interface FollowedOutcome {
  slotId: number;
  modelV: string;
  confidence: number;
  tsMs: number;
  closesMs: number;
  endedMs: number | null;
  resultR: number | null;
  buyR: number | null;
  sellR: number | null;
}

/**
 * Every followed direction in scope whose candle closed after `since`, with its result when it has one; by `ts`. An
 * outcome's candle is its signal's: saying so of both keeps the join inside the window, however long the history.
 */
export async function listFollowedSignals(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date },
): Promise<FollowedOutcome[]> {
  const since = sql`${wanted.since.toISOString()}::timestamptz`;
  const rows = await handle.execute<{
    slot_id: number;
    model_v: string;
    confidence: number;
    ts_ms: string;
    closes_ms: string;
    ended_ms: string | null;
    result_r: number | null;
    buy_r: number | null;
    sell_r: number | null;
  }>(sql`
    select g.slot_id, g.model_v, g.confidence, ${epochMs("g.ts")} as ts_ms,
           ${epochMs("g.closes_at")} as closes_ms,
           ${epochMs("o.ended_at")} as ended_ms, o.result_r, o.buy_r, o.sell_r
      from signals g left join outcomes o on o.signal_id = g.id and o.closes_at > ${since}
     where g.signal <> 'NO_TRADE' and g.slot_id = any(${slotIdsInScope(wanted.scope)}) and g.closes_at > ${since}
     order by g.ts, g.id`);
  return rows.map((row) => ({
    slotId: row.slot_id,
    modelV: row.model_v,
    confidence: row.confidence,
    tsMs: Number(row.ts_ms),
    closesMs: Number(row.closes_ms),
    endedMs: row.ended_ms === null ? null : Number(row.ended_ms),
    resultR: row.result_r,
    buyR: row.buy_r,
    sellR: row.sell_r,
  }));
}

export interface SignalCount {
  slotId: number;
  symbol: string;
  timeframe: string;
  modelV: string;
  n: number;
  earliestClose: Date;
}

/** How many signals in scope there were of each slot and model since an instant, NO_TRADE included. */
export async function countSignalsByModel(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date },
): Promise<SignalCount[]> {
  const rows = await handle.execute<{
    slot_id: number;
    symbol: string;
    timeframe: string;
    model_v: string;
    n: number;
    earliest_ms: string;
  }>(sql`
    select c.slot_id, s.symbol, s.timeframe, c.model_v, c.n, ${epochMs("c.earliest")} as earliest_ms
      from (select slot_id, model_v, count(*)::int as n, min(closes_at) as earliest
              from signals
             where slot_id = any(${slotIdsInScope(wanted.scope)})
               and closes_at > ${wanted.since.toISOString()}::timestamptz
             group by 1, 2) c
      join slots s on s.id = c.slot_id`);
  return rows.map((row) => ({
    slotId: row.slot_id,
    symbol: row.symbol,
    timeframe: row.timeframe,
    modelV: row.model_v,
    n: row.n,
    earliestClose: toInstant(row.earliest_ms),
  }));
}

export interface ForecastColumns {
  slotId: number;
  symbol: string;
  timeframe: string;
  modelV: string;
  /** Class frequencies of the training sample: BUY, SELL, NO_TRADE; null when the model came without them. */
  classFreq: number[] | null;
  earliestClose: Date;
  /** n x 3 probabilities in the order BUY, SELL, NO_TRADE, by time of the candle. */
  probs: Float64Array;
  /** What happened, as class numbers 0..2. */
  labels: Uint8Array;
}

const LABEL_LETTERS = "BSN";

/**
 * Forecasts with a known class, one row per slot and model. The numbers come as one text per column: a year of hours on
 * 14 slots is 100,000 forecasts, and as many row objects would cost several times the query itself. Both sides are held to the window, as above.
 */
export async function listForecasts(
  handle: Handle,
  wanted: { scope: SlotScope; since: Date },
): Promise<ForecastColumns[]> {
  const since = sql`${wanted.since.toISOString()}::timestamptz`;
  const rows = await handle.execute<{
    slot_id: number;
    symbol: string;
    timeframe: string;
    model_v: string;
    class_freq: number[] | null;
    earliest_ms: string;
    buy: string;
    sell: string;
    no: string;
    labels: string;
  }>(sql`
    select f.*, s.symbol, s.timeframe, m.class_freq
      from (select o.slot_id, o.model_v, ${epochMs("min(o.closes_at)")} as earliest_ms,
                   array_to_string(array_agg(g.prob_buy order by o.closes_at, o.signal_id), ',') as buy,
                   array_to_string(array_agg(g.prob_sell order by o.closes_at, o.signal_id), ',') as sell,
                   array_to_string(array_agg(g.prob_no order by o.closes_at, o.signal_id), ',') as no,
                   string_agg(left(o.label, 1), '' order by o.closes_at, o.signal_id) as labels
              from outcomes o join signals g on g.id = o.signal_id
             where o.slot_id = any(${slotIdsInScope(wanted.scope)})
               and o.closes_at > ${since} and g.closes_at > ${since}
             group by 1, 2) f
      join slots s on s.id = f.slot_id
      left join models m on m.slot_id = f.slot_id and m.model_v = f.model_v`);
  return rows.map((row) => {
    const n = row.labels.length;
    const probs = new Float64Array(3 * n);
    [row.buy, row.sell, row.no].forEach((column, k) => {
      column.split(",").forEach((text, i) => {
        probs[3 * i + k] = Number(text);
      });
    });
    return {
      slotId: row.slot_id,
      symbol: row.symbol,
      timeframe: row.timeframe,
      modelV: row.model_v,
      classFreq: row.class_freq,
      earliestClose: toInstant(row.earliest_ms),
      probs,
      labels: Uint8Array.from(row.labels, (letter) => LABEL_LETTERS.indexOf(letter)),
    };
  });
}
