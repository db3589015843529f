import { at } from "@/lib/engine/column";
import type { Matrix } from "@/lib/engine/matrix";

/** Candidate thresholds of every feature, and each value's bin: how many thresholds lie below it. */
export interface Binning {
  /** Ascending, per feature. A value goes left of threshold t when value <= t. */
  thresholds: Float64Array[];
  /** rows x columns, row by row: to sum up the bins of a row. */
  bins: Uint8Array;
  /** The same by column: to part rows by one of them. */
  columns: Uint8Array[];
}

/**
 * Parts every feature into at most `maxBins` bins.
 *
 * Up to `maxBins` distinct values: the thresholds are the midpoints of neighbours. More: midpoints at the quantiles, so
 * that bins hold about equally many rows.
 *
 * @param maxBins 2..256
 */
export function binFeatures(x: Matrix, maxBins: number): Binning {
  if (!(maxBins >= 2 && maxBins <= 256)) throw new RangeError("2 to 256 bins");
  const thresholds = Array.from({ length: x.columns }, (_, j) => thresholdsOf(columnOf(x, j), maxBins));
  const bins = new Uint8Array(x.rows * x.columns);
  const columns = thresholds.map((edges, j) => {
    const column = new Uint8Array(x.rows);
    for (let i = 0; i < x.rows; i++) {
      const cell = i * x.columns + j;
      const bin = countBelow(edges, at(x.values, cell));
      bins[cell] = bin;
      column[i] = bin;
    }
    return column;
  });
  return { thresholds, bins, columns };
}

function columnOf(x: Matrix, j: number): Float64Array {
  const column = new Float64Array(x.rows);
  for (let i = 0; i < x.rows; i++) column[i] = at(x.values, i * x.columns + j);
  return column;
}

function thresholdsOf(column: Float64Array, maxBins: number): Float64Array {
  const sorted = column.sort();
  const distinct = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  const edges: number[] = [];
  if (distinct.length <= maxBins) {
    for (let i = 1; i < distinct.length; i++) edges.push((at(distinct, i - 1) + at(distinct, i)) / 2);
    return Float64Array.from(edges);
  }
  for (let k = 1; k < maxBins; k++) {
    const position = Math.floor((k * sorted.length) / maxBins);
    const edge = (at(sorted, position - 1) + at(sorted, position)) / 2;
    if (edge > (edges.at(-1) ?? Number.NEGATIVE_INFINITY)) edges.push(edge);
  }
  return Float64Array.from(edges);
}

/** How many of the ascending edges lie strictly below a value. */
function countBelow(edges: Float64Array, value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(edges, middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
