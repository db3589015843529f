import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { CalendarName, Direction } from "@/lib/vocabulary";
import { epochMs, toInstant } from "./instants";
import { array } from "./parameters";
import { moveVersion } from "./versions";

export type SignalDirection = Direction;

/** What a signal says, of which candle, by which model. */
export interface SignalContent {
  ts: Date;
  modelV: string;
  signal: SignalDirection;
  confidence: number;
  probBuy: number;
  probSell: number;
  probNo: number;
  regime: string;
  expectedRr: number;
}

/** What {@link SIGNAL_CONTENT} selects. */
export type SignalContentColumns = {
  ts_ms: string;
  model_v: string;
  signal: SignalDirection;
  confidence: number;
  prob_buy: number;
  prob_sell: number;
  prob_no: number;
  regime: string;
  expected_rr: number;
};

/** Columns of a signal's content, where `g` is the signal. */
export const SIGNAL_CONTENT = sql`${epochMs("g.ts")} as ts_ms, g.model_v, g.signal, g.confidence, g.prob_buy, g.prob_sell,
  g.prob_no, g.regime, g.expected_rr`;

export function toSignalContent(row: SignalContentColumns): SignalContent {
  return {
    ts: toInstant(row.ts_ms),
    modelV: row.model_v,
    signal: row.signal,
    confidence: row.confidence,
    probBuy: row.prob_buy,
    probSell: row.prob_sell,
    probNo: row.prob_no,
    regime: row.regime,
    expectedRr: row.expected_rr,
  };
}

export interface SignalRow extends SignalContent {
  slotId: number;
  closesAt: Date;
}

/** Serialises writers of signals until the transaction ends, so that versions and snapshots move in one order. */
export async function lockSignals(handle: Handle): Promise<void> {
  await handle.execute(sql`select 1 from state_versions where id = 1 for update`);
}

/**
 * Records signals that are not there yet, with their place in the list of open outcomes. A row whose slot, ts and
 * model are known is left alone. Returns how many were new. `rows` holds each (slot, ts, model) once.
 */
export async function insertSignals(handle: Handle, rows: SignalRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [result] = await handle.execute<{ n: number }>(sql`
    with fresh as (
      insert into signals (slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
      select slot_id, to_timestamp(ts_ms / 1000.0), to_timestamp(closes_ms / 1000.0), model_v, signal, confidence,
             prob_buy, prob_sell, prob_no, regime, expected_rr
        from ${signalTable(rows)}
       order by slot_id, ts_ms
      on conflict (slot_id, ts, model_v) do nothing
      returning id, slot_id, ts, created_at
    ), opened as (
      insert into open_outcomes (signal_id, slot_id, ts) select id, slot_id, ts from fresh
    ), newest as (
      select distinct on (slot_id) slot_id, id, ts, created_at from fresh order by slot_id, ts desc, created_at desc, id desc
    ), shown as (
      insert into latest_signals as l (slot_id, signal_id, ts, created_at) select slot_id, id, ts, created_at from newest
      on conflict (slot_id) do update set signal_id = excluded.signal_id, ts = excluded.ts, created_at = excluded.created_at
      where (excluded.ts, excluded.created_at) >= (l.ts, l.created_at)
    )
    select count(*)::int as n from fresh`);
  return result?.n ?? 0;
}

/** How many of `rows` are stored with other content: the signals that a caller tries to change. */
export async function countConflictingSignals(handle: Handle, rows: SignalRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [result] = await handle.execute<{ n: number }>(sql`
    select count(*)::int as n
      from ${signalTable(rows)}
      join signals s on s.slot_id = t.slot_id and s.ts = to_timestamp(t.ts_ms / 1000.0) and s.model_v = t.model_v
     where (s.signal, s.confidence, s.prob_buy, s.prob_sell, s.prob_no, s.regime, s.expected_rr)
        is distinct from (t.signal, t.confidence, t.prob_buy, t.prob_sell, t.prob_no, t.regime, t.expected_rr)`);
  return result?.n ?? 0;
}

function signalTable(rows: SignalRow[]) {
  const column = (type: "int" | "float8" | "text", of: (row: SignalRow) => number | string) =>
    array(rows.map(of), type);
  return sql`unnest(
      ${column("int", (r) => r.slotId)}, ${column("float8", (r) => r.ts.getTime())},
      ${column("float8", (r) => r.closesAt.getTime())}, ${column("text", (r) => r.modelV)},
      ${column("text", (r) => r.signal)}, ${column("float8", (r) => r.confidence)},
      ${column("float8", (r) => r.probBuy)}, ${column("float8", (r) => r.probSell)},
      ${column("float8", (r) => r.probNo)}, ${column("text", (r) => r.regime)},
      ${column("float8", (r) => r.expectedRr)})
    as t(slot_id, ts_ms, closes_ms, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)`;
}

/** Moves the version that every cached scan is compared with, and wakes whoever listens. */
export async function bumpSignalsVersion(handle: Handle): Promise<void> {
  await handle.execute(sql`
    with moved as (update state_versions set ${moveVersion("signals")} where id = 1 returning signals)
    select pg_notify('signals', signals::text) from moved`);
}

/** A signal with the names of its slot. */
export interface NamedSignal extends SignalContent {
  symbol: string;
  timeframe: string;
  createdAt: Date;
}

/** What {@link NAMED_SIGNAL} selects. */
export type NamedSignalColumns = SignalContentColumns & {
  symbol: string;
  timeframe: string;
  created_ms: string;
};

/** Columns of a named signal: `g` is the signal, `s` its slot. */
export const NAMED_SIGNAL = sql`s.symbol, s.timeframe, ${SIGNAL_CONTENT}, ${epochMs("g.created_at")} as created_ms`;

export function toNamedSignal(row: NamedSignalColumns): NamedSignal {
  return {
    symbol: row.symbol,
    timeframe: row.timeframe,
    ...toSignalContent(row),
    createdAt: toInstant(row.created_ms),
  };
}

export interface LatestSignal extends NamedSignal {
  predId: number;
  calendar: CalendarName;
}

/** The newest signal of every slot, and the version of the state that they belong to, in one snapshot. */
export async function readLatestSignals(
  handle: Handle,
): Promise<{ version: number; signals: LatestSignal[] }> {
  const rows = await handle.execute<
    NamedSignalColumns & { version: string; pred_id: string | null; calendar: LatestSignal["calendar"] }
  >(sql`
    select v.signals as version, g.id as pred_id, y.calendar, ${NAMED_SIGNAL}
      from state_versions v
      left join latest_signals l on true
      left join signals g on g.id = l.signal_id
      left join slots s on s.id = l.slot_id
      left join symbols y on y.symbol = s.symbol`);
  const signals = rows
    .filter((row) => row.pred_id !== null)
    .map((row) => ({ predId: Number(row.pred_id), calendar: row.calendar, ...toNamedSignal(row) }));
  return { version: Number(rows[0]?.version ?? 0), signals };
}

export interface SlotSignal {
  ts: Date;
  signal: SignalDirection;
  confidence: number;
  regime: string;
  expectedRr: number;
}

/** Newest signals of one slot, newest first: one stretch of the index, whatever the size of the table. */
export async function listSlotSignals(
  handle: Handle,
  slot: { symbol: string; timeframe: string; limit: number },
): Promise<SlotSignal[]> {
  const rows = await handle.execute<{
    ts_ms: string;
    signal: SignalDirection;
    confidence: number;
    regime: string;
    expected_rr: number;
  }>(sql`
    select ${epochMs("g.ts")} as ts_ms, g.signal, g.confidence, g.regime, g.expected_rr
      from signals g
     where g.slot_id = (select id from slots where symbol = ${slot.symbol} and timeframe = ${slot.timeframe})
     order by g.ts desc, g.created_at desc, g.id desc
     limit ${slot.limit}`);
  return rows.map((row) => ({
    ts: toInstant(row.ts_ms),
    signal: row.signal,
    confidence: row.confidence,
    regime: row.regime,
    expectedRr: row.expected_rr,
  }));
}

/** How often each direction was signalled in a slot. */
export async function countSignals(
  handle: Handle,
  slotId: number,
): Promise<{ buy: number; sell: number; noTrade: number }> {
  const [row] = await handle.execute<{ buy: number; sell: number; none: number }>(sql`
    select count(*) filter (where signal = 'BUY')::int as buy, count(*) filter (where signal = 'SELL')::int as sell,
           count(*) filter (where signal = 'NO_TRADE')::int as none
      from signals where slot_id = ${slotId}`);
  return { buy: row?.buy ?? 0, sell: row?.sell ?? 0, noTrade: row?.none ?? 0 };
}
