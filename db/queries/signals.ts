import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { CalendarName, Direction, Timeframe } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  type DecodedRow,
  epochMs,
  json,
  number,
  type Row,
  safeInteger,
  text,
  timestamp,
} from "./columns";
import { array } from "./parameters";
import { IS_NOT_FROM_OPEN_PAUSE, IS_PAUSED_SLOT, OPEN_PAUSES, type OpenPause } from "./pauses";
import { closesTable, type VisibleCloses } from "./slots";
import { versionIncrement } from "./versions";

/** Columns of a signal `g` that state its content: candle, model, direction, probabilities and levels. */
export const SIGNAL_CONTENT_COLUMNS = {
  ts: timestamp("g.ts"),
  modelV: text("g.model_v"),
  signal: text<Direction>("g.signal"),
  confidence: number("g.confidence"),
  probBuy: number("g.prob_buy"),
  probSell: number("g.prob_sell"),
  probNo: number("g.prob_no"),
  regime: text("g.regime"),
  expectedRr: number("g.expected_rr"),
  /** Stop price that the producer sent with the signal; null: the service's rule sets stop, target and horizon. */
  stop: number<number | null>("g.stop"),
  target: number<number | null>("g.target"),
  horizonCandles: number<number | null>("g.horizon_candles"),
};
export type SignalContent = DecodedRow<typeof SIGNAL_CONTENT_COLUMNS>;
/** Stop, target and horizon that the producer sent with a signal. If `stop` is null, the service's rule sets all three. */
export type SignalLevels = Pick<SignalContent, "stop" | "target" | "horizonCandles">;

export interface SignalRow extends Omit<SignalContent, keyof SignalLevels>, Partial<SignalLevels> {
  slotId: number;
  closesAt: Date;
  /** Whether the signal was created after the fact: it is stored, but excluded from all lists of live signals. */
  backfilled?: boolean;
  /** Whether the signal is from the slot's second model: stored and evaluated, but excluded like a backfilled one. */
  beside?: boolean;
  /** P(NO_TRADE) before the online calibration; missing for a model without online calibration. */
  rawProbNo?: number;
  /** Class frequencies that the producer knew at the candle; missing: those stored with the model are copied. */
  classFreq?: readonly number[];
}

/** SQL condition: the signal `g` was created live, not after the fact, and not by a second model. */
export const IS_LIVE_SIGNAL = sql`not g.backfilled`;

/** Takes the lock under which signals are written, until commit, so that sequence numbers are in commit order. */
export async function lockSignals(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`select 1 from state_versions where id = 1 for update`);
}

/**
 * Stores new signals, each with the next sequence number and an open outcome. Rows whose slot, ts and model are stored
 * already are skipped. Returns the number of new ones. `rows` must contain each (slot, ts, model) once; the caller has
 * called `lockSignals`, without which two signals could get one number.
 */
export async function insertSignals(handle: DatabaseHandle, rows: SignalRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [result] = await handle.execute<{ n: number }>(sql`
    with unknown as materialized (
      select ${COLUMNS_OF_KNOWN}, row_number() over (order by t.ts, t.slot_id, t.model_v) as place
        from ${signalTable(rows)}
        left join models m on m.slot_id = t.slot_id and m.model_v = t.model_v
       where not exists (
         select 1 from signals s where s.slot_id = t.slot_id and s.ts = t.ts and s.model_v = t.model_v)
    ), counted as (
      update state_versions set last_seq = last_seq + n from (select count(*) as n from unknown) c
       where id = 1 and n > 0
      returning last_seq - n as before
    ), fresh as (
      insert into signals (seq, ${COLUMNS})
      select before + place, ${COLUMNS}
        from unknown, counted
       order by place
      returning id, slot_id, ts, created_at, backfilled
    ), opened as (
      insert into open_outcomes (signal_id, slot_id, ts) select id, slot_id, ts from fresh
    ), newest as (
      select distinct on (slot_id) slot_id, id, ts, created_at from fresh where not backfilled order by slot_id, ts desc, created_at desc, id desc
    ), shown as (
      insert into latest_signals as l (slot_id, signal_id, ts, created_at) select slot_id, id, ts, created_at from newest
      on conflict (slot_id) do update set signal_id = excluded.signal_id, ts = excluded.ts, created_at = excluded.created_at
      where (excluded.ts, excluded.created_at) >= (l.ts, l.created_at)
    )
    select count(*)::int as n from fresh`);
  return result?.n ?? 0;
}

const CONFLICT = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: timestamp("g.ts"),
  modelV: text("g.model_v"),
});

/** The first of `rows` whose signal is stored with other content, so that it would change it; null: none. */
export async function findConflictingSignal(
  handle: DatabaseHandle,
  rows: SignalRow[],
): Promise<Row<typeof CONFLICT> | null> {
  if (rows.length === 0) return null;
  const { ts: _, modelV: __, ...content } = SIGNAL_CONTENT_COLUMNS;
  const said = Object.keys(content).map((field) => STORED[field as keyof typeof content].column);
  const of = (table: string) => sql.raw(said.map((column) => `${table}.${column}`).join(", "));
  const [conflict] = await CONFLICT.all(
    handle,
    sql`
    select ${CONFLICT.list}
      from ${signalTable(rows)}
      join signals g on g.slot_id = t.slot_id and g.ts = t.ts and g.model_v = t.model_v
      join slots s on s.id = g.slot_id
     where (${of("g")}) is distinct from (${of("t")})
     order by g.ts, g.slot_id limit 1`,
  );
  return conflict ?? null;
}

interface Stored {
  column: string;
  /** Type of the statement's array parameter with the values of this column. */
  type: "int" | "float8" | "text";
  of(row: SignalRow): number | string | null;
  /** SQL that computes the column's value from the parameter; missing: the parameter itself. */
  as?: string;
}

/** How each field of a signal is passed to the statement and stored. */
const STORED: Readonly<Record<keyof SignalRow, Stored>> = {
  slotId: { column: "slot_id", type: "int", of: (r) => r.slotId },
  ts: { column: "ts", type: "float8", of: (r) => r.ts.getTime(), as: "to_timestamp(ts / 1000.0)" },
  closesAt: {
    column: "closes_at",
    type: "float8",
    of: (r) => r.closesAt.getTime(),
    as: "to_timestamp(closes_at / 1000.0)",
  },
  modelV: { column: "model_v", type: "text", of: (r) => r.modelV },
  signal: { column: "signal", type: "text", of: (r) => r.signal },
  confidence: { column: "confidence", type: "float8", of: (r) => r.confidence },
  probBuy: { column: "prob_buy", type: "float8", of: (r) => r.probBuy },
  probSell: { column: "prob_sell", type: "float8", of: (r) => r.probSell },
  probNo: { column: "prob_no", type: "float8", of: (r) => r.probNo },
  rawProbNo: { column: "raw_prob_no", type: "float8", of: (r) => r.rawProbNo ?? null },
  classFreq: {
    column: "class_freq",
    type: "text",
    of: (r) => (r.classFreq === undefined ? null : `{${r.classFreq.join()}}`),
    as: "class_freq::float8[]",
  },
  regime: { column: "regime", type: "text", of: (r) => r.regime },
  expectedRr: { column: "expected_rr", type: "float8", of: (r) => r.expectedRr },
  backfilled: {
    column: "backfilled",
    type: "int",
    of: (r) => (r.backfilled === true ? 1 : 0),
    as: "backfilled = 1 or beside = 1",
  },
  beside: {
    column: "beside",
    type: "int",
    of: (r) => (r.beside === true ? 1 : 0),
    as: "beside = 1",
  },
  stop: { column: "stop", type: "float8", of: (r) => r.stop ?? null },
  target: { column: "target", type: "float8", of: (r) => r.target ?? null },
  horizonCandles: { column: "horizon_candles", type: "int", of: (r) => r.horizonCandles ?? null },
};
const FIELDS = Object.values(STORED);
const COLUMNS = sql.raw(FIELDS.map(({ column }) => column).join(", "));
const VALUES = sql.raw(FIELDS.map(({ column, as }) => (as ? `${as} as ${column}` : column)).join(", "));

/**
 * The columns of `t`. Missing class frequencies are copied from the model `m`, so that later changes of the model do not
 * matter.
 */
const COLUMNS_OF_KNOWN = sql.raw(
  FIELDS.map(({ column }) =>
    column === "class_freq" ? "coalesce(t.class_freq, m.class_freq) as class_freq" : `t.${column}`,
  ).join(", "),
);

/** SQL: these signals as a table `t` with the columns of `signals`. */
function signalTable(rows: SignalRow[]) {
  const arrays = FIELDS.map(({ type, of }) => array(rows.map(of), type));
  return sql`(select ${VALUES} from unnest(${sql.join(arrays, sql`, `)}) as u(${COLUMNS})) as t`;
}

/** Increases the version of signals, which makes cached scans outdated, and notifies all processes of it. */
export async function bumpSignalsVersion(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`
    with moved as (update state_versions set ${versionIncrement("signals")} where id = 1 returning signals)
    select pg_notify('signals', signals::text) from moved`);
}

/** Columns of a signal `g` with symbol and timeframe of its slot `s`. */
export const NAMED_SIGNAL_COLUMNS = {
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ...SIGNAL_CONTENT_COLUMNS,
  createdAt: timestamp("g.created_at"),
};
export type NamedSignal = DecodedRow<typeof NAMED_SIGNAL_COLUMNS>;

const LATEST = columns({
  version: safeInteger("v.signals"),
  pauses: json<OpenPause[]>(OPEN_PAUSES),
  /** False if the service has no signals or, with `closes`, if the slot has no visible one. */
  hasSignal: boolean("g.id is not null"),
  predId: safeInteger("g.id"),
  slotId: number("g.slot_id"),
  seq: safeInteger("g.seq"),
  calendar: text<CalendarName>("y.calendar"),
  ...NAMED_SIGNAL_COLUMNS,
  /** Close of the candle, from which its forecast range is measured; null: the candle has no range. */
  rangeClose: number<number | null>("r.close"),
  either: json<number[] | null>("r.either"),
  up: json<number[] | null>("r.up"),
  down: json<number[] | null>("r.down"),
});
export type LatestSignal = Omit<Row<typeof LATEST>, "version" | "pauses" | "hasSignal">;

/**
 * The newest live signal of every slot, the current pauses and the version of signals, from one snapshot. With `closes`
 * (for delayed access): of each slot, the newest live signal whose candle closed by the time that `closes` has for its
 * timeframe and that was not created during a pause that still lasts.
 */
export async function readLatestSignals(
  handle: DatabaseHandle,
  closes: VisibleCloses | null = null,
): Promise<{ version: number; signals: LatestSignal[]; pauses: OpenPause[] }> {
  const rows = await LATEST.all(
    handle,
    sql`
    select ${LATEST.list}
      from state_versions v
      ${closes === null ? LATEST_SIGNAL : latestBy(closes)}
      left join slots s on s.id = g.slot_id
      left join symbols y on y.symbol = s.symbol
      left join candle_forecast_ranges r on r.slot_id = g.slot_id and r.ts = g.ts`,
  );
  const signals = rows.flatMap(({ version, pauses, hasSignal, ...signal }) => (hasSignal ? [signal] : []));
  return { version: rows[0]?.version ?? 0, signals, pauses: rows[0]?.pauses ?? [] };
}

const LATEST_SIGNAL = sql`
      left join latest_signals l on true
      left join signals g on g.id = l.signal_id`;

/**
 * SQL: joins, for each slot, the newest live signal whose candle closed by `closes` and that was not created during a
 * pause that still lasts.
 */
const latestBy = (closes: VisibleCloses) => sql`
      left join (${closesTable(closes)} join slots o on o.timeframe = c.timeframe) on true
      left join lateral (
        select * from signals g
         where g.slot_id = o.id and g.ts <= c.closed_by and g.closes_at <= c.closed_by and ${IS_LIVE_SIGNAL} and ${IS_NOT_FROM_OPEN_PAUSE}
         order by g.ts desc, g.created_at desc, g.id desc limit 1) g on true`;

const SLOT_SIGNAL = columns({
  ts: SIGNAL_CONTENT_COLUMNS.ts,
  signal: SIGNAL_CONTENT_COLUMNS.signal,
  confidence: SIGNAL_CONTENT_COLUMNS.confidence,
  regime: SIGNAL_CONTENT_COLUMNS.regime,
  expectedRr: SIGNAL_CONTENT_COLUMNS.expectedRr,
  stop: SIGNAL_CONTENT_COLUMNS.stop,
  target: SIGNAL_CONTENT_COLUMNS.target,
  horizonCandles: SIGNAL_CONTENT_COLUMNS.horizonCandles,
});
export type SlotSignal = Row<typeof SLOT_SIGNAL>;

/**
 * The newest live signals of one slot, newest first, without those created during a pause that still lasts. With `closedBy`
 * only those whose candle closed by then.
 */
export async function listSlotSignals(
  handle: DatabaseHandle,
  slot: { symbol: string; timeframe: string; limit: number; closedBy?: Date | undefined },
): Promise<SlotSignal[]> {
  const closedBy = slot.closedBy?.toISOString();
  return SLOT_SIGNAL.all(
    handle,
    sql`
    select ${SLOT_SIGNAL.list}
      from signals g
     where g.slot_id = (select id from slots where symbol = ${slot.symbol} and timeframe = ${slot.timeframe})
       and ${IS_LIVE_SIGNAL} and ${IS_NOT_FROM_OPEN_PAUSE}
       ${closedBy === undefined ? sql`` : sql`and g.closes_at <= ${closedBy}::timestamptz`}
     order by g.ts desc, g.created_at desc, g.id desc
     limit ${slot.limit}`,
  );
}

const LATEST_OF_SLOT = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: SIGNAL_CONTENT_COLUMNS.ts,
  signal: SIGNAL_CONTENT_COLUMNS.signal,
  confidence: SIGNAL_CONTENT_COLUMNS.confidence,
});
export type LatestShownSignal = Row<typeof LATEST_OF_SLOT>;

/**
 * For each slot that is not paused, the newest live signal whose candle opened at or before `latestShownOpenAt`. With
 * `inTimeOnly`, only one that was stored before the next candle closed.
 */
export async function listLatestShownSignals(
  handle: DatabaseHandle,
  wanted: readonly { slotId: number; latestShownOpenAt: Date }[],
  { inTimeOnly }: { inTimeOnly: boolean },
): Promise<LatestShownSignal[]> {
  if (wanted.length === 0) return [];
  return LATEST_OF_SLOT.all(
    handle,
    sql`
    select ${LATEST_OF_SLOT.list}
      from unnest(
             ${array(
               wanted.map(({ slotId }) => slotId),
               "int",
             )},
             ${array(
               wanted.map(({ latestShownOpenAt }) => latestShownOpenAt.toISOString()),
               "timestamptz",
             )}) as wanted(slot_id, opened_by)
      join slots s on s.id = wanted.slot_id
     cross join lateral (
       select g.* from signals g
        where g.slot_id = wanted.slot_id and g.ts <= wanted.opened_by and ${IS_LIVE_SIGNAL}
          and ${inTimeOnly ? sql`g.created_at < g.closes_at + (g.closes_at - g.ts)` : sql`true`}
        order by g.ts desc, g.created_at desc, g.id desc limit 1) g
     where not ${IS_PAUSED_SLOT}
     order by s.symbol, s.id`,
  );
}

/** Open times (epoch ms) of a slot's candles after `after` for which this model version has a signal. */
export async function listSignalledCandles(
  handle: DatabaseHandle,
  wanted: { slotId: number; modelV: string; after: Date },
): Promise<Set<number>> {
  const rows = await handle.execute<{ t: string }>(sql`
    select ${epochMs("ts")} as t from signals
     where slot_id = ${wanted.slotId} and ts > ${wanted.after.toISOString()}::timestamptz and model_v = ${wanted.modelV}`);
  return new Set(rows.map((row) => Number(row.t)));
}

const COUNTS = columns({
  buy: number("count(*) filter (where signal = 'BUY')::int"),
  sell: number("count(*) filter (where signal = 'SELL')::int"),
  noTrade: number("count(*) filter (where signal = 'NO_TRADE')::int"),
});

/** Number of signals of a slot by direction, backfilled ones included. */
export async function countSignals(handle: DatabaseHandle, slotId: number): Promise<Row<typeof COUNTS>> {
  return COUNTS.one(handle, sql`select ${COUNTS.list} from signals where slot_id = ${slotId}`);
}
