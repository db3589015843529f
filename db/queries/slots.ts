import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { slots, symbols } from "@/db/schema";
import type { CalendarName, CostUnit, Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED_CANDLE } from "./candles";
import { columns, number, type Row, text, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";

export interface SlotName {
  symbol: string;
  timeframe: Timeframe;
}

export interface SymbolDefaults {
  symbol: string;
  calendar: CalendarName;
  digits: number;
  costKind: CostUnit;
  costValue: number;
  /** Whether the calendar is a guess that an administrator should check. */
  isGuessed: boolean;
}

/** The slots that a caller may see: those with one of the symbols and one of the timeframes; null: all. */
export interface SlotScope {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
  /** Set for concurrent plans: the slot must be in one of these scopes, one per plan. */
  parts?: readonly Pick<SlotScope, "symbols" | "timeframes">[];
  /** Delay: signals are visible this many candles after their candle closed; missing: at once. */
  delayCandles?: number;
}

/** By timeframe: signals whose candle closed by this time are visible in a delayed scope. */
export type VisibleCloses = readonly { timeframe: Timeframe; closedBy: Date }[];

/**
 * The signals that a caller may see now: those of a scope and, if the scope is delayed, only with candles closed by
 * `closes`.
 */
export interface VisibleSignals {
  scope: SlotScope;
  /** Latest visible candle closes by timeframe; null: the scope has no delay. */
  closes: VisibleCloses | null;
}

/**
 * SQL array of the ids of the slots in scope, for `slot_id = any(...)`. It costs one scan of the small table of slots. Empty
 * for a delayed scope, so that a statement that ignores the delay returns nothing for it.
 */
export function slotIdsInScope(scope: SlotScope) {
  return scope.delayCandles === undefined ? slotIdsNamed(scope) : sql`array[]::int[]`;
}

/** SQL condition: the slot of the signal `g` is in scope, and the scope's delay has passed. */
export function isVisibleIn({ scope, closes }: VisibleSignals) {
  if (scope.delayCandles === undefined) return sql`g.slot_id = any(${slotIdsInScope(scope)})`;
  return sql`g.slot_id = any(${slotIdsNamed(scope)}) and exists (
    select 1 from slots s join ${closesTable(closes ?? [])} on c.timeframe = s.timeframe
     where s.id = g.slot_id and g.closes_at <= c.closed_by)`;
}

/** SQL: these closes as a table `c(timeframe, closed_by)`. */
export const closesTable = (closes: VisibleCloses) =>
  sql`unnest(${array(
    closes.map(({ timeframe }) => timeframe),
    "text",
  )}, ${array(
    closes.map(({ closedBy }) => closedBy.toISOString()),
    "timestamptz",
  )}) as c(timeframe, closed_by)`;

function slotIdsNamed(scope: SlotScope) {
  const parts = (scope.parts ?? [scope]).map(({ symbols, timeframes }) => {
    const conditions = [sql`true`];
    if (symbols) conditions.push(sql`symbol = any(${array([...symbols], "text")})`);
    if (timeframes) conditions.push(sql`timeframe = any(${array([...timeframes], "text")})`);
    return sql.join(conditions, sql` and `);
  });
  return sql`array(select id from slots where ${sql.join(parts, sql` or `)})`;
}

export const slotKey = (slot: SlotName) => `${slot.symbol}/${slot.timeframe}`;

/**
 * Ids of these slots, by slotKey; unknown slots and symbols are created. Inserts are sorted, so that two callers with the
 * same new slots never deadlock.
 */
export async function ensureSlots(
  handle: DatabaseHandle,
  names: SlotName[],
  describe: (symbol: string) => SymbolDefaults,
): Promise<Map<string, number>> {
  const wanted = [...new Map(names.map((name) => [slotKey(name), name])).values()];
  if (wanted.length === 0) return new Map();
  const known = await findSlots(handle, wanted);
  const missing = wanted
    .filter((name) => !known.has(slotKey(name)))
    .toSorted((a, b) => (slotKey(a) < slotKey(b) ? -1 : 1));
  if (missing.length === 0) return known;
  const newSymbols = [...new Set(missing.map((name) => name.symbol))];
  await handle.insert(symbols).values(newSymbols.map(describe)).onConflictDoNothing();
  await handle
    .insert(slots)
    .values(missing.map(({ symbol, timeframe }) => ({ symbol, timeframe })))
    .onConflictDoNothing();
  return findSlots(handle, wanted);
}

async function findSlots(handle: DatabaseHandle, names: SlotName[]): Promise<Map<string, number>> {
  const rows = await handle
    .select({ id: slots.id, symbol: slots.symbol, timeframe: slots.timeframe })
    .from(slots)
    .where(
      and(
        inArray(slots.symbol, [...new Set(names.map((name) => name.symbol))]),
        inArray(slots.timeframe, [...new Set(names.map((name) => name.timeframe))]),
      ),
    );
  return new Map(rows.map((row) => [slotKey(row), row.id]));
}

/** Every slot with the data of its symbol, by symbol and id. */
export async function listSlots(handle: DatabaseHandle) {
  return handle
    .select({
      slotId: slots.id,
      symbol: slots.symbol,
      timeframe: slots.timeframe,
      calendar: symbols.calendar,
      digits: symbols.digits,
      costKind: symbols.costKind,
      costValue: symbols.costValue,
    })
    .from(slots)
    .innerJoin(symbols, eq(symbols.symbol, slots.symbol))
    .orderBy(asc(slots.symbol), asc(slots.id));
}

export type Slot = Awaited<ReturnType<typeof listSlots>>[number];

/** The trading calendars of these symbols, by symbol. */
export async function findCalendarsBySymbol(
  handle: DatabaseHandle,
  names: readonly string[],
): Promise<Map<string, CalendarName>> {
  const rows = await handle
    .select({ symbol: symbols.symbol, calendar: symbols.calendar })
    .from(symbols)
    .where(inArray(symbols.symbol, [...new Set(names)]));
  return new Map(rows.map(({ symbol, calendar }) => [symbol, calendar]));
}

/** Every symbol with its settings, in order of its name. */
export async function listSymbols(handle: DatabaseHandle) {
  return handle.select().from(symbols).orderBy(asc(symbols.symbol));
}

/** SQL condition: the model is built in, which means a baseline or trained by this service, not the operator's own. */
export const IS_BUILT_IN_MODEL = sql.raw(`(parameters is not null or model_v ~ '^baseline-[0-9]+$')`);

/** The columns of {@link Slot} where `s` is the slot and `y` its symbol. */
export const SLOT_COLUMNS = {
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
  digits: number("y.digits"),
  costKind: text<CostUnit>("y.cost_kind"),
  costValue: number("y.cost_value"),
};

const SLOT_STATE = columns({
  ...SLOT_COLUMNS,
  modelV: text<string | null>("m.model_v"),
  lastSignalTs: timestampOrNull("l.ts"),
  lastCandleTs: timestampOrNull("c.ts"),
  /** Open time of the newest settled candle, from which a signal may be produced. */
  lastSettledTs: timestampOrNull("d.ts"),
});
export type SlotState = Row<typeof SLOT_STATE>;

const PRODUCTION_STATE = columns({
  ...SLOT_COLUMNS,
  modelV: text("m.model_v"),
  championSince: timestamp("coalesce(m.champion_since, m.created_at)"),
  lastSettledTs: timestamp("d.ts"),
  /** Open time of the candle of the newest signal, backfilled ones included, those of a second model excluded; null: none. */
  lastMadeTs: timestampOrNull("l.ts"),
});
export interface SignalProductionState extends Row<typeof PRODUCTION_STATE> {
  /** Whether the model is the slot's second one: subscribers see the signals of the first one. */
  beside?: boolean;
}

/** For each slot with a champion and a settled candle: what the job that produces signals needs. */
export async function listSignalProductionStates(handle: DatabaseHandle): Promise<SignalProductionState[]> {
  return PRODUCTION_STATE.all(
    handle,
    sql`
    select ${PRODUCTION_STATE.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      join models m on m.slot_id = s.id and m.is_active
      cross join lateral (
        select ts from candles where slot_id = s.id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) d
      left join lateral (
        select ts from signals where slot_id = s.id and not beside order by ts desc limit 1) l on true
     order by s.symbol, s.id`,
  );
}

/** Number of a slot's newest signals among which the newest signal of a model is searched. */
export const NEWEST_SIGNALS_SEARCHED = 50;

/**
 * The slots that are forecast by both, whose champion is the operator's own model, and that have a settled candle, with
 * their newest built-in model as second model. `lastMadeTs` null: none of the slot's newest 50 signals is from this
 * model.
 */
export async function listSecondModelStates(handle: DatabaseHandle): Promise<SignalProductionState[]> {
  const state = columns({
    ...SLOT_COLUMNS,
    modelV: text("m.model_v"),
    championSince: timestamp("now()"),
    lastSettledTs: timestamp("d.ts"),
    lastMadeTs: timestampOrNull("l.ts"),
  });
  const rows = await state.all(
    handle,
    sql`
    select ${state.list}
      from slot_forecasters f
      join slots s on s.id = f.slot_id
      join symbols y on y.symbol = s.symbol
      cross join lateral (
        select model_v from models
         where slot_id = s.id and ${IS_BUILT_IN_MODEL} order by trained_at desc, id desc limit 1) m
      cross join lateral (
        select ts from candles where slot_id = s.id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) d
      cross join lateral (
        select max(ts) as ts from (
          select ts, model_v from signals where slot_id = s.id order by ts desc limit ${NEWEST_SIGNALS_SEARCHED}) n
         where n.model_v = m.model_v) l
     where f.forecast_by = 'both'
       and exists (select 1 from models where slot_id = s.id and is_active and not (${IS_BUILT_IN_MODEL}))
     order by s.symbol, s.id`,
  );
  return rows.map((row) => ({ ...row, beside: true }));
}

/**
 * Slots that need a model: without any model or signal, created at least `seenForSeconds` ago, and with at least
 * `minCandles` (by timeframe) candles. Does not count the candles, but looks up whether there are enough.
 */
export async function listSlotsNeedingModel(
  handle: DatabaseHandle,
  wanted: { minCandles: readonly { timeframe: Timeframe; n: number }[]; seenForSeconds: number },
): Promise<number[]> {
  const rows = await handle.execute<{ id: number }>(sql`
    select id from slots s
      join unnest(${array(
        wanted.minCandles.map(({ timeframe }) => timeframe),
        "text",
      )}, ${array(
        wanted.minCandles.map(({ n }) => n),
        "int",
      )}) as w(timeframe, n) on w.timeframe = s.timeframe
     where s.created_at <= now() - make_interval(secs => ${wanted.seenForSeconds})
       and not exists (select 1 from models where slot_id = s.id)
       and not exists (select 1 from signals where slot_id = s.id)
       and exists (select 1 from candles where slot_id = s.id order by ts offset w.n - 1)`);
  return rows.map((row) => row.id);
}

/** For each slot: its champion, newest live signal and newest candles. Each value needs one index look-up. */
export async function listSlotStates(handle: DatabaseHandle): Promise<SlotState[]> {
  return SLOT_STATE.all(
    handle,
    sql`
    select ${SLOT_STATE.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      left join models m on m.slot_id = s.id and m.is_active
      left join latest_signals l on l.slot_id = s.id
      left join lateral (select ts from candles where slot_id = s.id order by ts desc limit 1) c on true
      left join lateral (
        select ts from candles where slot_id = s.id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) d on true
     order by s.symbol, s.id`,
  );
}
