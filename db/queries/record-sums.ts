import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { FORECASTERS } from "@/lib/vocabulary";
import { columns, number, safeInteger, text } from "./columns";
import { array } from "./parameters";
import { BIN_COLUMN_NAMES, FORECAST_COLUMN_NAMES, RESULT_COLUMN_NAMES } from "./record";

/** The public record's sums of one model and day. */
export interface RecordDaySums {
  modelV: string;
  /** Days since 1970. */
  day: number;
  /** Sums of forecasts, in the order of FORECAST_COLUMN_NAMES. */
  forecasts: number[];
  /** Sums of results: for each of FORECASTERS, in their order, the sums in the order of RESULT_COLUMN_NAMES. */
  results: number[];
  /** For each non-empty bin: the index of its forecaster, the bin, and its sums in the order of BIN_COLUMN_NAMES. */
  bins: number[];
}

/** Days of one slot with the sums of its record. */
export interface SlotRecordDays {
  slotId: number;
  days: RecordDaySums[];
}

const LINES = columns({ slotId: number("slot_id"), modelV: text("model_v"), lines: text("lines") });
const DAY = "day - date '1970-01-01'";
const PLACE = `case forecaster ${FORECASTERS.map((name, place) => `when '${name}' then ${place}`).join(" ")} end`;

/** SQL: the rows of a table as one text per slot and model. To decode single rows would take several times as long. */
const asLines = (cells: readonly string[], rows: SQL) => sql`
  select ${LINES.list} from (
    select slot_id, model_v, string_agg(concat_ws(',', ${sql.raw(cells.join(", "))}), ';') as lines
      from ${rows} group by slot_id, model_v) x`;

const PARTS = [
  { table: "record_results", cells: [DAY, PLACE, ...RESULT_COLUMN_NAMES] },
  { table: "record_bins", cells: [DAY, PLACE, "bin", ...BIN_COLUMN_NAMES] },
] as const;

/** All days of these slots with the sums of the public record. */
export async function listAllDaySums(
  handle: DatabaseHandle,
  slotIds: readonly number[],
): Promise<SlotRecordDays[]> {
  const some = sql`slot_id = any(${array([...slotIds], "int")})`;
  const [results, bins] = PARTS;
  const days = new Days();
  days.addDays(
    await LINES.all(handle, asLines([DAY, ...FORECAST_COLUMN_NAMES], sql`record_days where ${some}`)),
  );
  days.addResults(await LINES.all(handle, asLines(results.cells, sql`record_results where ${some}`)));
  days.addBins(await LINES.all(handle, asLines(bins.cells, sql`record_bins where ${some}`)));
  return days.bySlot();
}

/**
 * The days of each slot that changed since the record's sums included `size` ledger entries. Finds them by one index
 * range per slot.
 */
export async function listDaysChangedSince(
  handle: DatabaseHandle,
  since: readonly { slotId: number; size: number }[],
): Promise<SlotRecordDays[]> {
  if (since.length === 0) return [];
  const requested = sql`unnest(${array(
    since.map(({ slotId }) => slotId),
    "int",
  )}, ${array(
    since.map(({ size }) => size),
    "bigint",
  )}) as requested(slot, since)`;
  const days = new Days();
  days.addDays(
    await LINES.all(
      handle,
      asLines(
        [DAY, ...FORECAST_COLUMN_NAMES],
        // `offset 0`, because the planner expects many rows per slot and would read the whole table.
        sql`${requested} cross join lateral (select * from record_days where slot_id = slot and entry > since offset 0) d`,
      ),
    ),
  );
  const keys = days.keys();
  if (keys.length === 0) return [];
  const wanted = sql`unnest(${array(
    keys.map(({ slotId }) => slotId),
    "int",
  )}, ${array(
    keys.map(({ modelV }) => modelV),
    "text",
  )}, ${array(
    keys.map(({ day }) => day),
    "int",
  )}) as wanted(slot, version, number)`;
  const of = (table: string) =>
    sql`${wanted} cross join lateral (select * from ${sql.raw(table)}
          where slot_id = slot and model_v = version and day = date '1970-01-01' + number offset 0) d`;
  const [results, bins] = PARTS;
  days.addResults(await LINES.all(handle, asLines(results.cells, of(results.table))));
  days.addBins(await LINES.all(handle, asLines(bins.cells, of(bins.table))));
  return days.bySlot();
}

type LinesRow = { slotId: number; modelV: string; lines: string };

/** Merges the rows of the tables record_days, record_results and record_bins by slot, model and day. */
class Days {
  readonly #slots = new Map<number, Map<string, RecordDaySums>>();

  addDays(rows: readonly LinesRow[]): void {
    for (const { slotId, modelV, lines } of rows) {
      const slot = this.#slots.get(slotId) ?? new Map<string, RecordDaySums>();
      this.#slots.set(slotId, slot);
      for (const [day = 0, ...forecasts] of cellsOf(lines))
        slot.set(`${day}/${modelV}`, {
          modelV,
          day,
          forecasts,
          results: new Array(FORECASTERS.length * RESULT_COLUMN_NAMES.length).fill(0),
          bins: [],
        });
    }
  }

  addResults(rows: readonly LinesRow[]): void {
    for (const [day, [place = 0, ...sums]] of this.#cells(rows))
      for (const [i, sum] of sums.entries()) day.results[place * RESULT_COLUMN_NAMES.length + i] = sum;
  }

  addBins(rows: readonly LinesRow[]): void {
    for (const [day, cells] of this.#cells(rows)) day.bins.push(...cells);
  }

  *#cells(rows: readonly LinesRow[]): Generator<[RecordDaySums, number[]]> {
    for (const { slotId, modelV, lines } of rows) {
      const slot = this.#slots.get(slotId);
      for (const [number = 0, ...cells] of cellsOf(lines)) {
        const day = slot?.get(`${number}/${modelV}`);
        if (day) yield [day, cells];
      }
    }
  }

  keys(): { slotId: number; modelV: string; day: number }[] {
    return this.bySlot().flatMap(({ slotId, days }) =>
      days.map(({ modelV, day }) => ({ slotId, modelV, day })),
    );
  }

  bySlot(): SlotRecordDays[] {
    return [...this.#slots].map(([slotId, days]) => ({ slotId, days: [...days.values()] }));
  }
}

const cellsOf = (lines: string): number[][] => lines.split(";").map((line) => line.split(",").map(Number));

const LEAF = columns({ index: safeInteger("index"), hash: text("encode(leaf_hash, 'hex')") });

/** Leaf hashes of the ledger's entries with these indexes, by index; indexes beyond the end are left out. */
export async function readLedgerLeafHashes(
  handle: DatabaseHandle,
  places: readonly number[],
): Promise<Map<number, string>> {
  const rows = await LEAF.all(
    handle,
    sql`select ${LEAF.list} from ledger_entries where index = any(${array([...places], "bigint")})`,
  );
  return new Map(rows.map(({ index, hash }) => [index, hash]));
}
