import { elementOrNaN } from "@/lib/engine/column";
import { type FeatureTable, makeFeatures } from "@/lib/engine/features";
import { makeMatrix } from "@/lib/engine/matrix";
import { labelCandles, OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { FIT_SETTINGS, type FitSettings } from "./fit-settings";
import { rowsWithKnownClass, sampleRowsEvenly } from "./training-rows";

/**
 * A sample of the candles of another slot of the same timeframe, evenly spread, for recipes that learn from several
 * slots.
 */
export interface PoolSlot {
  /** Features computed from this slot's candles only. */
  table: FeatureTable;
  labels: Int8Array;
  /**
   * When the class of each candle became final: the close of its horizon's last candle. Epoch ms, ascending.
   */
  finalMs: Float64Array;
}

/** Maximum number of other slots in a pool. */
export const MAX_POOL_SLOTS = 14;

/** Maximum number of rows of each of `slots` slots: together twice as many as models of a single slot use. */
export function rowsPerPoolSlot({ maxRows }: Pick<FitSettings, "maxRows">, slots: number): number {
  return Math.floor((2 * maxRows) / slots);
}

/**
 * The sample of one slot, with features and classes, for the pool of another slot.
 *
 * @param slots number of slots that a pooled model is fitted on; they share the number of rows
 */
export function makePoolSlot(
  candles: CandleSeries,
  timeframeMinutes: number,
  slots: number,
  settings: Pick<FitSettings, "maxRows"> = FIT_SETTINGS,
): PoolSlot {
  const table = makeFeatures(candles, timeframeMinutes);
  const { label } = labelCandles(candles);
  const last = label.length - OUTCOME_RULE.horizonCandles;
  const rows = sampleRowsEvenly(
    rowsWithKnownClass(label, table.firstIndex, last),
    rowsPerPoolSlot(settings, slots),
  );
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
      closesMs: Float64Array.from(rows, (row) => elementOrNaN(table.closesMs, row)),
      firstIndex: 0,
    },
    labels: Int8Array.from(rows, (row) => label[row] ?? -1),
    finalMs: Float64Array.from(rows, (row) =>
      elementOrNaN(table.closesMs, row + OUTCOME_RULE.horizonCandles),
    ),
  };
}

/** Indices of a pool slot's rows whose class was final at an instant (epoch ms). They are its first rows. */
export function rowsFinalAt({ finalMs }: PoolSlot, atMs: number): Int32Array {
  let n = 0;
  while (n < finalMs.length && elementOrNaN(finalMs, n) <= atMs) n++;
  return Int32Array.from({ length: n }, (_, i) => i);
}
