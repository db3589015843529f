import { and, eq, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { modelClaims, models } from "@/db/schema";
import type { Direction, ExitReason, Forecaster, Timeframe } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  safeInteger,
  safeIntegerOrNull,
  text,
  timestamp,
  timestampOrNull,
} from "./columns";
import { insertLedgerOutboxRow } from "./ledger";
import { array } from "./parameters";
import { SIGNAL_CONTENT_COLUMNS } from "./signals";
import { type SlotScope, slotIdsInScope } from "./slots";

interface OfDay {
  slotId: number;
  modelV: string;
  /** UTC day of the close of the signals' candles, `YYYY-MM-DD`. */
  day: string;
}

export interface RecordDayRow extends OfDay {
  sums: Record<DayColumn, number>;
}
export interface RecordResultRow extends OfDay {
  forecaster: Forecaster;
  sums: Record<ResultColumn, number>;
}
export interface RecordBinRow extends OfDay {
  forecaster: Forecaster;
  bin: number;
  sums: Record<BinColumn, number>;
}

/** Sums over one day's resolved signals of a real market that were not committed in time. */
export interface RecordLateRow extends OfDay {
  sums: Record<LateColumn, number>;
}

const DAY_COLUMNS = {
  n: "n",
  nIndependent: "n_independent",
  nDirectional: "n_directional",
  nWithoutCost: "n_without_cost",
  brier: "brier",
  brierFrequencies: "brier_frequencies",
  gainSquares: "gain_squares",
  evidence: "evidence",
  betR: "bet_r",
} as const;
type DayColumn = keyof typeof DAY_COLUMNS;
const RESULT_COLUMNS = {
  n: "n",
  nIndependent: "n_independent",
  wins: "wins",
  losses: "losses",
  r: "r",
  rSquares: "r_squares",
  gain: "gain",
} as const;
type ResultColumn = keyof typeof RESULT_COLUMNS;
const BIN_COLUMNS = {
  n: "n",
  nIndependent: "n_independent",
  confidence: "confidence",
  hits: "hits",
  brier: "brier",
} as const;
type BinColumn = keyof typeof BIN_COLUMNS;

const LATE_COLUMNS = {
  n: "n",
  nFollowed: "n_followed",
  wins: "wins",
  losses: "losses",
  r: "r",
} as const;
type LateColumn = keyof typeof LATE_COLUMNS;

/** Column names of the record's tables, in the order in which record-sums.ts returns the sums. */
export const FORECAST_COLUMN_NAMES = Object.values(DAY_COLUMNS);
export const RESULT_COLUMN_NAMES = Object.values(RESULT_COLUMNS);
export const BIN_COLUMN_NAMES = Object.values(BIN_COLUMNS);
// Casts, because Object.keys returns string[] although these are exactly the keys.
export const FORECAST_SUM_KEYS = Object.keys(DAY_COLUMNS) as DayColumn[];
export const RESULT_SUM_KEYS = Object.keys(RESULT_COLUMNS) as ResultColumn[];
export const BIN_SUM_KEYS = Object.keys(BIN_COLUMNS) as BinColumn[];

/** Adds sums to the rows of a table of the record; a row that does not exist is inserted. */
async function addSums<R extends { sums: Record<string, number> }>(
  handle: DatabaseHandle,
  table: string,
  keys: { name: string; type: "int" | "text"; cast?: string; of: (row: R) => number | string }[],
  sums: Readonly<Record<string, string>>,
  rows: R[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.values(sums);
  const list = sql.raw([...keys.map(({ name }) => name), ...names].join(", "));
  const selected = sql.raw([...keys.map(({ name, cast }) => `${name}${cast ?? ""}`), ...names].join(", "));
  const values = sql.join(
    [
      ...keys.map(({ type, of }) => array(rows.map(of), type)),
      ...Object.keys(sums).map((key) =>
        array(
          rows.map((row) => row.sums[key] ?? 0),
          "bigint",
        ),
      ),
    ],
    sql`, `,
  );
  const added = sql.raw(names.map((name) => `${name} = d.${name} + excluded.${name}`).join(", "));
  await handle.execute(sql`
    insert into ${sql.raw(table)} as d (${list})
    select ${selected} from unnest(${values}) as t(${list})
     order by ${sql.raw(keys.map(({ name }) => name).join(", "))}
    on conflict (${sql.raw(keys.map(({ name }) => name).join(", "))}) do update set ${added}`);
}

const OF_DAY = [
  { name: "slot_id", type: "int" as const, of: (row: OfDay) => row.slotId },
  { name: "model_v", type: "text" as const, of: (row: OfDay) => row.modelV },
  { name: "day", type: "text" as const, cast: "::date", of: (row: OfDay) => row.day },
];

/** Adds sums of a batch of outcomes to the record's tables, and to the table of signals that were not committed in time. */
export async function addToRecord(
  handle: DatabaseHandle,
  added: { days: RecordDayRow[]; results: RecordResultRow[]; bins: RecordBinRow[]; late: RecordLateRow[] },
): Promise<void> {
  const forecaster = {
    name: "forecaster",
    type: "text" as const,
    of: (row: { forecaster: string }) => row.forecaster,
  };
  await addSums<RecordDayRow>(handle, "record_days", OF_DAY, DAY_COLUMNS, added.days);
  await addSums<RecordResultRow>(
    handle,
    "record_results",
    [...OF_DAY, forecaster],
    RESULT_COLUMNS,
    added.results,
  );
  await addSums<RecordBinRow>(
    handle,
    "record_bins",
    [...OF_DAY, forecaster, { name: "bin", type: "int", of: (row) => row.bin }],
    BIN_COLUMNS,
    added.bins,
  );
  await addSums<RecordLateRow>(handle, "record_late", OF_DAY, LATE_COLUMNS, added.late);
}

const COUNT = columns({ n: number("count(*)::int") });

const UNFOLDED = columns({
  signalId: safeInteger("l.signal_id"),
  slotId: number("l.slot_id"),
  /** Index of the outcome's entry in the ledger. */
  outcome: safeInteger("l.outcome"),
  revealed: text("r.content"),
  judged: text("o.content"),
  committedAt: timestampOrNull("c.at"),
});
export type UnaccumulatedOutcome = Row<typeof UNFOLDED>;

/**
 * Signals whose outcome entry is in the ledger at or after the index `from`, in order, with the contents of their
 * entries. An outcome entry may say that no outcome could be computed. `offset 0` keeps the planner from reading the
 * whole ledger.
 */
export async function listUnaccumulatedOutcomes(
  handle: DatabaseHandle,
  wanted: { from: number; limit: number },
): Promise<UnaccumulatedOutcome[]> {
  return UNFOLDED.all(
    handle,
    sql`
    select ${UNFOLDED.list}
      from (select * from ledger_signals where outcome >= ${wanted.from} order by outcome limit ${wanted.limit}) l
     cross join lateral (select content from ledger_entries where index = l.reveal offset 0) r
     cross join lateral (select content from ledger_entries where index = l.outcome offset 0) o
      left join lateral (select at from ledger_entries where index = l.commitment offset 0) c on true
     order by l.outcome`,
  );
}

/** Deletes all sums of the record, so that they are computed again from the first entry by this rule. */
export async function clearRecord(handle: DatabaseHandle, rule: string): Promise<void> {
  for (const table of ["record_bins", "record_results", "record_days", "record_overlaps", "record_late"])
    await handle.execute(sql`delete from ${sql.raw(table)}`);
  await handle.execute(sql`
    update ledger_state set record_rule = ${rule}, folded = 0, record_epoch = record_epoch + 1 where id = 1`);
}

/**
 * Number of resolved signals in the ledger that were not committed in time, which include those of a simulated market.
 */
export async function countEnteredLater(handle: DatabaseHandle): Promise<number> {
  const { n } = await COUNT.one(
    handle,
    sql`select ${COUNT.list} from ledger_signals where outcome is not null and not in_time`,
  );
  return n;
}

const LATE = columns({
  slotId: number("slot_id"),
  n: safeInteger("sum(n)"),
  nFollowed: safeInteger("sum(n_followed)"),
  wins: safeInteger("sum(wins)"),
  losses: safeInteger("sum(losses)"),
  /** Sum of the results, in 1e-6 R. */
  r: safeInteger("sum(r)"),
  /** Earliest UTC day of the summed signals, by the close of their candles, `YYYY-MM-DD`. */
  firstDay: text("min(day)::text"),
  lastDay: text("max(day)::text"),
});
export type LateSignalSums = Row<typeof LATE>;

/**
 * Sums over the resolved signals of a real market that were not committed in time, by slot. `from` and `to` are UTC
 * days, both inclusive.
 */
export async function listLateSignalSums(
  handle: DatabaseHandle,
  wanted: {
    slotIds: number[] | undefined;
    modelV: string | undefined;
    from: string | undefined;
    to: string | undefined;
  },
): Promise<LateSignalSums[]> {
  const { slotIds, modelV, from, to } = wanted;
  return LATE.all(
    handle,
    sql`
    select ${LATE.list} from record_late
     where ${slotIds === undefined ? sql`true` : sql`slot_id = any(${array(slotIds, "int")})`}
       and ${modelV === undefined ? sql`true` : sql`model_v = ${modelV}`}
       and ${from === undefined ? sql`true` : sql`day >= ${from}::date`}
       and ${to === undefined ? sql`true` : sql`day <= ${to}::date`}
     group by slot_id`,
  );
}

/** Number of resolved signals of a real market in scope, from the UTC day of `since` on, that were entered later. */
export async function countLateSignals(
  handle: DatabaseHandle,
  { scope, since }: { scope: SlotScope; since: Date },
): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(sql`
    select coalesce(sum(n), 0)::int as n from record_late
     where slot_id = any(${slotIdsInScope(scope)}) and day >= ${since.toISOString().slice(0, 10)}::date`);
  return row?.n ?? 0;
}

const BUSY_UNTIL = columns({
  slotId: number("slot_id"),
  modelV: text("model_v"),
  busyUntil: text("busy_until"),
});
export type OverlapState = Row<typeof BUSY_UNTIL>;

/** The states from which the count of independent results continues: by slot and model, and by slot (empty `modelV`). */
export async function readOverlapStates(handle: DatabaseHandle, slotIds: number[]): Promise<OverlapState[]> {
  return BUSY_UNTIL.all(
    handle,
    sql`select ${BUSY_UNTIL.list} from record_overlaps where slot_id = any(${array(slotIds, "int")})`,
  );
}

/** Inserts or replaces the states that readOverlapStates returns. */
export async function saveOverlapStates(handle: DatabaseHandle, rows: OverlapState[]): Promise<void> {
  if (rows.length === 0) return;
  await handle.execute(sql`
    insert into record_overlaps as o (slot_id, model_v, busy_until)
    select * from unnest(${array(
      rows.map((r) => r.slotId),
      "int",
    )}, ${array(
      rows.map((r) => r.modelV),
      "text",
    )}, ${array(
      rows.map((r) => r.busyUntil),
      "text",
    )})
    on conflict (slot_id, model_v) do update set busy_until = excluded.busy_until`);
}

const SLOT = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
});
export type SlotNameRow = Row<typeof SLOT>;

/** Symbol and timeframe of all slots, in order of symbol and id. */
export async function listSlotNames(handle: DatabaseHandle): Promise<SlotNameRow[]> {
  return SLOT.all(handle, sql`select ${SLOT.list} from slots s order by s.symbol, s.id`);
}

/**
 * Number of slots in the record: those with results, and those with a signal that was committed in time and has no result
 * although its horizon has ended. Counting these prevents that an operator withholds the candles of losing slots.
 */
export async function countRecordSlots(handle: DatabaseHandle): Promise<number> {
  const { n } = await COUNT.one(
    handle,
    sql`
    select ${COUNT.list} from slots s
     where exists (select 1 from record_days d where d.slot_id = s.id)
        or exists (
          select 1 from ledger_signals l
           where l.slot_id = s.id and l.in_time and l.outcome < (select folded from ledger_state where id = 1))
        or s.id in (
          select l.slot_id from ledger_entries e
            join signals g on g.seq = substring(e.subject from '^signal/([0-9]+)$')::bigint
            join ledger_signals l on l.signal_id = g.id and l.in_time
           where e.kind = 'delay' and e.content::jsonb ->> 'simulated' = 'false')`,
  );
  return n;
}

/** Whether any slot has a model of this version, or resolved signals of it. */
export async function isKnownModel(handle: DatabaseHandle, modelV: string): Promise<boolean> {
  const [row] = await handle.execute<{ known: boolean }>(sql`
    select exists (select 1 from models where model_v = ${modelV})
        or exists (select 1 from slots s, lateral (
             select 1 from ledger_signals l
              where l.slot_id = s.id and l.model_v = ${modelV} and l.outcome is not null limit 1) l) as known`);
  return row?.known === true;
}

const RESOLVED = columns({
  seq: safeInteger("g.seq"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ...SIGNAL_CONTENT_COLUMNS,
  createdAt: timestamp("g.created_at"),
  inTime: boolean("coalesce(l.in_time, false)"),
  /** Whether the market was simulated, according to the reveal in the ledger: the feed may have changed since. */
  simulated: boolean("coalesce((r.content::jsonb ->> 'simulated')::boolean, false)"),
  label: text<Direction | null>("o.label"),
  entryPrice: number<number | null>("o.entry_price"),
  barrierDistance: number<number | null>("o.barrier_distance"),
  buyR: number<number | null>("o.buy_r"),
  sellR: number<number | null>("o.sell_r"),
  resultR: number<number | null>("o.result_r"),
  exitPrice: number<number | null>("o.exit_price"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
  endedAt: timestampOrNull("o.ended_at"),
  ruleVersion: text<string | null>("o.rule_version"),
  commitment: safeIntegerOrNull("l.commitment"),
  reveal: safeInteger("l.reveal"),
  outcome: safeInteger("l.outcome"),
});
export type RecordSignalRow = Row<typeof RESOLVED>;

/**
 * A page of the resolved signals, in the order of their outcomes in the ledger, after the index `after`. Filters by slot,
 * model and `inTime` read one index range per slot.
 */
export async function listRecordSignals(
  handle: DatabaseHandle,
  wanted: {
    slotIds: number[] | undefined;
    modelV: string | undefined;
    /** true: only signals that were committed in time; false: only the others. */
    inTime?: boolean | undefined;
    after: number | undefined;
    /** Only signals whose outcome has a lower index in the ledger. */
    before?: number | undefined;
    newestFirst: boolean;
    limit: number;
  },
): Promise<RecordSignalRow[]> {
  const { slotIds, modelV, inTime, after, before, newestFirst, limit } = wanted;
  const [beyond, order] = newestFirst ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const page = (narrowed: SQL) => sql`
    select l.* from ledger_signals l
     where ${before === undefined ? sql`l.outcome is not null` : sql`l.outcome < ${before}`} ${narrowed} ${after === undefined ? sql`` : sql`and l.outcome ${beyond} ${after}`}
     order by l.outcome ${order} limit ${limit}`;
  const pageOfEach = (slots: SQL, narrowed: SQL) => sql`
    unnest(${slots}) as wanted(slot_id)
    cross join lateral (${page(sql`and l.slot_id = wanted.slot_id ${narrowed}`)}) l`;
  const named = slotIds && array(slotIds, "int");
  const ofEach = sql`array(select id from slots)`;
  const ofModel = modelV === undefined ? sql`` : sql`and l.model_v = ${modelV}`;
  const ofPart = inTime === undefined ? sql`` : sql`and l.in_time = ${inTime}`;
  const source =
    modelV !== undefined || inTime !== undefined
      ? pageOfEach(named ?? ofEach, sql`${ofModel} ${ofPart}`)
      : named
        ? pageOfEach(named, sql``)
        : sql`(${page(sql``)}) l`;
  return RESOLVED.all(
    handle,
    sql`
    select ${RESOLVED.list}
      from ${source}
      join signals g on g.id = l.signal_id
      join slots s on s.id = g.slot_id
      left join ledger_entries r on r.index = l.reveal
      left join outcomes o on o.signal_id = g.id
     order by l.outcome ${order} limit ${limit}`,
  );
}

const MODEL = columns({
  id: number("m.id"),
  slotId: number("m.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("m.model_v"),
  isActive: boolean("m.is_active"),
  trainedAt: timestamp("m.trained_at"),
  championSince: timestampOrNull("m.champion_since"),
  aucWf: number<number | null>("m.auc_wf"),
  pfWf: number<number | null>("m.pf_wf"),
  nWf: number<number | null>("m.n_wf"),
  classFreq: json<number[] | null>("m.class_freq"),
  nCandles: number<number | null>("t.n_candles"),
  trainedFrom: timestampOrNull("t.from_ts"),
  trainedTo: timestampOrNull("t.to_ts"),
  dataHash: text<string | null>("t.data_hash"),
  champion: text<string | null>("t.champion"),
  reason: text<string | null>("t.reason"),
  claimN: number<number | null>("c.n"),
  skill: number<number | null>("c.skill"),
  skillLo: number<number | null>("c.skill_lo"),
  skillHi: number<number | null>("c.skill_hi"),
  ece: number<number | null>("c.ece"),
  eceLo: number<number | null>("c.ece_lo"),
  eceHi: number<number | null>("c.ece_hi"),
  directionalShare: number<number | null>("c.directional_share"),
  directionalShareLo: number<number | null>("c.directional_share_lo"),
  directionalShareHi: number<number | null>("c.directional_share_hi"),
  maxDrawdownR: number<number | null>("c.max_drawdown_r"),
  maxDrawdownRLo: number<number | null>("c.max_drawdown_r_lo"),
  maxDrawdownRHi: number<number | null>("c.max_drawdown_r_hi"),
  sealedAt: timestampOrNull("c.sealed_at"),
});
export type RecordModelRow = Row<typeof MODEL>;

/** Models with their first training and their claim, by slot: first the champion, then the others by newest training. */
export async function listRecordModels(
  handle: DatabaseHandle,
  wanted: { slotIds: number[] | undefined; modelV: string | undefined },
): Promise<RecordModelRow[]> {
  return MODEL.all(
    handle,
    sql`
    select ${MODEL.list}
      from models m
      join slots s on s.id = m.slot_id
      left join lateral (
        select * from trainings t where t.slot_id = m.slot_id and t.model_v = m.model_v order by trained_at limit 1) t on true
      left join model_claims c on c.model_id = m.id
     where ${wanted.slotIds === undefined ? sql`true` : sql`m.slot_id = any(${array(wanted.slotIds, "int")})`}
       and ${wanted.modelV === undefined ? sql`true` : sql`m.model_v = ${wanted.modelV}`}
     order by s.symbol, s.id, m.is_active desc, m.trained_at desc, m.id`,
  );
}

const MODEL_ENTRY = columns({
  kind: text<"promotion" | "claim">("e.kind"),
  slotId: number("s.id"),
  modelV: text("e.content::jsonb ->> 'model_v'"),
  entry: safeInteger("e.index"),
  at: timestamp("e.at"),
});
export type ModelEntryRow = Row<typeof MODEL_ENTRY>;

/** The ledger's entries about promotions and claims of models whose index is at least `from`, in order. */
export async function listModelEntries(handle: DatabaseHandle, from: number): Promise<ModelEntryRow[]> {
  return MODEL_ENTRY.all(
    handle,
    sql`
    select ${MODEL_ENTRY.list} from ledger_entries e
      join slots s on s.symbol = e.content::jsonb ->> 'symbol' and s.timeframe = e.content::jsonb ->> 'timeframe'
     where e.kind in ('promotion', 'claim') and e.index >= ${from} order by e.index`,
  );
}

type ClaimRow = Omit<typeof modelClaims.$inferInsert, "modelId" | "sealedAt">;

/** Stores the claim of a model (its expected figures) and queues it for the ledger. An existing claim is kept. */
export async function storeModelClaim(
  handle: DatabaseHandle,
  { slotId, modelV, claim }: { slotId: number; modelV: string; claim: ClaimRow },
): Promise<void> {
  const [model] = await handle
    .select({ id: models.id })
    .from(models)
    .where(and(eq(models.slotId, slotId), eq(models.modelV, modelV)));
  if (model === undefined) throw new Error("the model of the claim does not exist");
  const written = await handle
    .insert(modelClaims)
    .values({ ...claim, modelId: model.id })
    .onConflictDoNothing()
    .returning({ modelId: modelClaims.modelId });
  const { n, skill, ece, directionalShare, maxDrawdownR } = claim;
  const between = (lo: number | null | undefined, hi: number | null | undefined) => [lo ?? null, hi ?? null];
  if (written.length > 0)
    await insertLedgerOutboxRow(handle, {
      kind: "claim",
      slotId,
      content: {
        model_v: modelV,
        n,
        skill,
        skill_ci95: between(claim.skillLo, claim.skillHi),
        ece,
        ece_ci95: between(claim.eceLo, claim.eceHi),
        directional_share: directionalShare,
        directional_share_ci95: between(claim.directionalShareLo, claim.directionalShareHi),
        max_drawdown_r: maxDrawdownR,
        max_drawdown_r_ci95: between(claim.maxDrawdownRLo, claim.maxDrawdownRHi),
      },
    });
}
