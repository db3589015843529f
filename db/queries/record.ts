import { type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { Forecaster, Timeframe } from "@/lib/vocabulary";
import { bigNumber, columns, number, type Row, text, texts } from "./columns";
import { array } from "./parameters";

interface OfDay {
  slotId: number;
  modelV: string;
  /** UTC day of the close, `YYYY-MM-DD`. */
  day: string;
}

export interface DayRow extends OfDay {
  sums: Record<DayColumn, number>;
}
export interface ResultRow extends OfDay {
  forecaster: Forecaster;
  sums: Record<ResultColumn, number>;
}
export interface BinRow extends OfDay {
  forecaster: Forecaster;
  bin: number;
  sums: Record<BinColumn, number>;
}

const DAY_COLUMNS = {
  n: "n",
  nIndependent: "n_independent",
  nDirectional: "n_directional",
  brier: "brier",
  brierFrequencies: "brier_frequencies",
  gainSquares: "gain_squares",
  evidence: "evidence",
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

/** Adds sums to a table of the record: one row for each key, made or added to. */
async function addSums<R extends { sums: Record<string, number> }>(
  handle: Handle,
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

/** Adds to the record what a batch of outcomes contributes. */
export async function addToRecord(
  handle: Handle,
  added: { days: DayRow[]; results: ResultRow[]; bins: BinRow[] },
): Promise<void> {
  const forecaster = {
    name: "forecaster",
    type: "text" as const,
    of: (row: { forecaster: string }) => row.forecaster,
  };
  await addSums<DayRow>(handle, "record_days", OF_DAY, DAY_COLUMNS, added.days);
  await addSums<ResultRow>(handle, "record_results", [...OF_DAY, forecaster], RESULT_COLUMNS, added.results);
  await addSums<BinRow>(
    handle,
    "record_bins",
    [...OF_DAY, forecaster, { name: "bin", type: "int", of: (row) => row.bin }],
    BIN_COLUMNS,
    added.bins,
  );
}

const OVERLAP = columns({
  slotId: number("slot_id"),
  modelV: text("model_v"),
  busyUntil: text("busy_until"),
});
export type OverlapRow = Row<typeof OVERLAP>;

/** Until when each model of some slots is busy with what was counted last. */
export async function readOverlaps(handle: Handle, slotIds: number[]): Promise<OverlapRow[]> {
  return OVERLAP.all(
    handle,
    sql`select ${OVERLAP.list} from record_overlaps where slot_id = any(${array(slotIds, "int")})`,
  );
}

export async function saveOverlaps(handle: Handle, rows: OverlapRow[]): Promise<void> {
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

/** What the record is narrowed to. */
export interface RecordSelection {
  slotIds?: number[];
  modelV?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

function condition({ slotIds, modelV, from, to }: RecordSelection): SQL {
  const parts = [sql`true`];
  if (slotIds) parts.push(sql`slot_id = any(${array(slotIds, "int")})`);
  if (modelV !== undefined) parts.push(sql`model_v = ${modelV}`);
  if (from !== undefined) parts.push(sql`day >= ${from}::date`);
  if (to !== undefined) parts.push(sql`day <= ${to}::date`);
  return sql.join(parts, sql` and `);
}

const sums = <K extends string>(names: Readonly<Record<K, string>>) =>
  // Every name keeps its key.
  Object.fromEntries(
    Object.entries<string>(names).map(([key, name]) => [key, bigNumber(`sum(${name})`)]),
  ) as Record<K, ReturnType<typeof bigNumber>>;

const DAY_SUMS = columns({
  slotId: number("slot_id"),
  models: texts("array_agg(distinct model_v)"),
  ...sums(DAY_COLUMNS),
});
const RESULT_SUMS = columns({
  slotId: number("slot_id"),
  forecaster: text<Forecaster>("forecaster"),
  ...sums(RESULT_COLUMNS),
});
const BIN_SUMS = columns({
  slotId: number("slot_id"),
  forecaster: text<Forecaster>("forecaster"),
  bin: number("bin"),
  ...sums(BIN_COLUMNS),
});
export type DaySums = Row<typeof DAY_SUMS>;
export type ResultSumsRow = Row<typeof RESULT_SUMS>;
export type BinSumsRow = Row<typeof BIN_SUMS>;

/** Sums of forecasts by slot. */
export async function sumDays(handle: Handle, selection: RecordSelection): Promise<DaySums[]> {
  return DAY_SUMS.all(
    handle,
    sql`select ${DAY_SUMS.list} from record_days where ${condition(selection)} group by slot_id`,
  );
}

/** Sums of results by slot and forecaster. */
export async function sumResults(handle: Handle, selection: RecordSelection): Promise<ResultSumsRow[]> {
  return RESULT_SUMS.all(
    handle,
    sql`select ${RESULT_SUMS.list} from record_results where ${condition(selection)} group by slot_id, forecaster`,
  );
}

/** Sums of the bins of confidence by slot and forecaster. */
export async function sumBins(handle: Handle, selection: RecordSelection): Promise<BinSumsRow[]> {
  return BIN_SUMS.all(
    handle,
    sql`select ${BIN_SUMS.list} from record_bins where ${condition(selection)} group by slot_id, forecaster, bin`,
  );
}

const SERIES = columns({ slotId: number("slot_id"), lines: text("lines") });

/** Sums of one slot by day, in order: columns of equal length. */
export interface RecordSeries {
  slotId: number;
  /** Days since 1970. */
  day: Float64Array;
  n: Float64Array;
  brier: Float64Array;
  brierFrequencies: Float64Array;
  evidence: Float64Array;
  nFollowed: Float64Array;
  r: Float64Array;
  coinR: Float64Array;
  frequenciesR: Float64Array;
}

const SERIES_COLUMNS = [
  "day",
  "n",
  "brier",
  "brierFrequencies",
  "evidence",
  "nFollowed",
  "r",
  "coinR",
  "frequenciesR",
] as const;

/** Sums by slot and day. They come as one text a slot: as many row objects would cost several times the query. */
export async function listSeries(handle: Handle, selection: RecordSelection): Promise<RecordSeries[]> {
  const where = condition(selection);
  const rows = await SERIES.all(
    handle,
    sql`
    select ${SERIES.list} from (
      select slot_id, string_agg(concat_ws(',', day - date '1970-01-01', coalesce(n, 0), coalesce(brier, 0),
                        coalesce(brier_frequencies, 0), coalesce(evidence, 0), coalesce(followed, 0), coalesce(r, 0),
                        coalesce(coin_r, 0), coalesce(frequencies_r, 0)), ';' order by day) as lines
        from (select slot_id, day, sum(n) as n, sum(brier) as brier, sum(brier_frequencies) as brier_frequencies,
                     sum(evidence) as evidence
                from record_days where ${where} group by slot_id, day) d
        left join (
              select slot_id, day, sum(n) filter (where forecaster = 'model') as followed,
                     sum(r) filter (where forecaster = 'model') as r,
                     sum(r) filter (where forecaster = 'coin') as coin_r,
                     sum(r) filter (where forecaster = 'frequencies') as frequencies_r
                from record_results where ${where} group by slot_id, day) r using (slot_id, day)
       group by slot_id) x
     order by slot_id`,
  );
  return rows.map(({ slotId, lines }) => {
    const cells = lines.split(";").map((line) => line.split(","));
    const column = (place: number) => Float64Array.from(cells, (cell) => Number(cell[place]));
    // Every name has its column.
    const series = Object.fromEntries(SERIES_COLUMNS.map((name, place) => [name, column(place)])) as Omit<
      RecordSeries,
      "slotId"
    >;
    return { slotId, ...series };
  });
}

const SLOT = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
});
export type RecordSlotRow = Row<typeof SLOT>;

/** Slots of the record's tables by name. */
export async function listRecordSlots(handle: Handle): Promise<RecordSlotRow[]> {
  return SLOT.all(handle, sql`select ${SLOT.list} from slots s order by s.symbol, s.id`);
}
