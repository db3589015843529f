import { at } from "@/lib/engine/column";
import { type FeatureTable, makeFeatures } from "@/lib/engine/features";
import { makeMatrix } from "@/lib/engine/matrix";
import { labelCandles, OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { decidedRows, evenly } from "./decided-rows";
import { FIT_SETTINGS, type FitSettings } from "./fit-settings";

/** Candles of another slot of the same timeframe, for recipes that learn from several: some of them, evenly spread. */
export interface PoolSlot {
  /** Features of these candles alone. */
  table: FeatureTable;
  labels: Int8Array;
  /** When the class of each was final: the last candle of its horizon closed. Epoch ms, ascending. */
  finalMs: Float64Array;
}

/** Slots beside its own that a slot learns from at most. */
export const MOST_POOL_SLOTS = 14;

/** Rows of each of `slots` slots that learn together: of all of them twice as many as one slot's own models see. */
export function poolRows({ maxRows }: Pick<FitSettings, "maxRows">, slots: number): number {
  return Math.floor((2 * maxRows) / slots);
}

/** Candles of one of `slots` slots of a timeframe for the pool of another, with features and final classes. */
export function makePoolSlot(
  candles: CandleSeries,
  timeframeMinutes: number,
  slots: number,
  settings: Pick<FitSettings, "maxRows"> = FIT_SETTINGS,
): PoolSlot {
  const table = makeFeatures(candles, timeframeMinutes);
  const { label } = labelCandles(candles);
  const last = label.length - OUTCOME_RULE.horizonCandles;
  const rows = evenly(decidedRows(label, table.firstIndex, last), poolRows(settings, slots));
  const { columns, values } = table.matrix;
  const matrix = makeMatrix(rows.length, columns);
  for (const [i, row] of rows.entries()) {
    matrix.values.set(values.subarray(row * columns, (row + 1) * columns), i * columns);
  }
  return {
    table: {
      ...table,
      matrix,
      hourOfWeek: Uint8Array.from(rows, (row) => table.hourOfWeek[row] ?? 0),
      closesMs: Float64Array.from(rows, (row) => at(table.closesMs, row)),
      firstIndex: 0,
    },
    labels: Int8Array.from(rows, (row) => label[row] ?? -1),
    finalMs: Float64Array.from(rows, (row) => at(table.closesMs, row + OUTCOME_RULE.horizonCandles)),
  };
}

/** Rows of a pool slot whose class was final at an instant: the first so many. */
export function knownRows({ finalMs }: PoolSlot, atMs: number): Int32Array {
  let n = 0;
  while (n < finalMs.length && at(finalMs, n) <= atMs) n++;
  return Int32Array.from({ length: n }, (_, i) => i);
}
