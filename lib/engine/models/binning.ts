import { elementOrNaN } from "@/lib/engine/column";
import type { Matrix } from "@/lib/engine/matrix";

/** Candidate thresholds of every feature, and each value's bin: how many thresholds lie below it. */
export interface Binning {
  /** Ascending, per feature. A value goes left of threshold t when value <= t. */
  thresholds: Float64Array[];
  /** Bin of each value, by column: for partitioning rows by one feature. */
  columns: Uint8Array[];
  /** Position of each value's bin in a histogram, row by row: for summing all bins of a row. */
  places: Uint16Array;
  /** Positions per row: one per feature, padded to a multiple of four with positions behind the last bin. */
  placesPerRow: number;
  /**
   * Number of bins per feature for which a histogram has room: no more than the thresholds need, so that histograms
   * stay in the processor's cache.
   */
  room: number;
  /** A histogram of all rows, with the row counts filled in and the sums still 0. */
  counted: Float64Array;
}

/** Numbers per bin in a histogram: sum of gradients, sum of Hessians, row count. */
export const HISTOGRAM_CELL_SIZE = 3;

/**
 * Divides every feature into at most `maxBins` bins. Up to `maxBins` distinct values: thresholds are
 * midpoints of neighbours. More: midpoints at the quantiles, so that bins hold about the same number of rows.
 *
 * @param maxBins 2..256
 */
export function binFeatures(x: Matrix, maxBins: number): Binning {
  if (!(maxBins >= 2 && maxBins <= 256)) throw new RangeError("2 to 256 bins");
  const thresholds = Array.from({ length: x.columns }, (_, j) => thresholdsOf(columnOf(x, j), maxBins));
  const room = 1 + thresholds.reduce((max, edges) => Math.max(max, edges.length), 0);
  const behind = HISTOGRAM_CELL_SIZE * x.columns * room;
  if (behind > MAX_CELLS) throw new RangeError("too many features for so many bins");
  const placesPerRow = 4 * Math.ceil(x.columns / 4);
  const places = new Uint16Array(x.rows * placesPerRow).fill(behind);
  const counted = new Float64Array(behind + HISTOGRAM_CELL_SIZE);
  const columns = thresholds.map((edges, j) => {
    const column = new Uint8Array(x.rows);
    for (let i = 0; i < x.rows; i++) {
      const bin = countBelow(edges, elementOrNaN(x.values, i * x.columns + j));
      const place = HISTOGRAM_CELL_SIZE * (j * room + bin);
      column[i] = bin;
      places[i * placesPerRow + j] = place;
      counted[place + 2] = elementOrNaN(counted, place + 2) + 1;
    }
    return column;
  });
  return { thresholds, columns, places, placesPerRow, room, counted };
}

/** Maximum length of a histogram's array, because positions in it are 16-bit numbers. */
const MAX_CELLS = 2 ** 16 - HISTOGRAM_CELL_SIZE;

function columnOf(x: Matrix, j: number): Float64Array {
  const column = new Float64Array(x.rows);
  for (let i = 0; i < x.rows; i++) column[i] = elementOrNaN(x.values, i * x.columns + j);
  return column;
}

function thresholdsOf(column: Float64Array, maxBins: number): Float64Array {
  const sorted = column.sort();
  const distinct = fewDistinct(sorted, maxBins);
  const edges: number[] = [];
  if (distinct !== null) {
    for (let i = 1; i < distinct.length; i++) edges.push(((distinct[i - 1] ?? 0) + (distinct[i] ?? 0)) / 2);
    return Float64Array.from(edges);
  }
  for (let k = 1; k < maxBins; k++) {
    const position = Math.floor((k * sorted.length) / maxBins);
    const edge = (elementOrNaN(sorted, position - 1) + elementOrNaN(sorted, position)) / 2;
    if (edge > (edges.at(-1) ?? Number.NEGATIVE_INFINITY)) edges.push(edge);
  }
  return Float64Array.from(edges);
}

/** The distinct values of an ascending column; null when there are more than `max`. */
function fewDistinct(sorted: Float64Array, max: number): number[] | null {
  const distinct: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && elementOrNaN(sorted, i) === elementOrNaN(sorted, i - 1)) continue;
    if (distinct.length === max) return null;
    distinct.push(elementOrNaN(sorted, i));
  }
  return distinct;
}

/** How many of the ascending edges lie strictly below a value. */
function countBelow(edges: Float64Array, value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elementOrNaN(edges, middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
