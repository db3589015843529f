/** Indices of the candles of [from, to) whose class is known. */
export function rowsWithKnownClass(labels: ArrayLike<number>, from: number, to: number): Int32Array {
  const rows: number[] = [];
  for (let i = from; i < to; i++) if ((labels[i] ?? -1) >= 0) rows.push(i);
  return Int32Array.from(rows);
}

/** Fractional parts of its multiples are evenly spread over [0, 1). */
const GOLDEN_SECTION = (Math.sqrt(5) - 1) / 2;

/**
 * Selects at most `max` of some rows, one from each of `max` parts of equal length, at varying positions. Taking every
 * k-th row would be wrong: if k divides the number of a day's candles, only some hours of the day are seen.
 */
export function sampleRowsEvenly(rows: Int32Array, max: number): Int32Array {
  if (rows.length <= max) return rows;
  const length = rows.length / max;
  let place = -1;
  return Int32Array.from({ length: max }, (_, i) => {
    // Parts shorter than two rows may give the same row twice; then the next row is taken.
    place = Math.max(place + 1, Math.floor((i + ((i * GOLDEN_SECTION) % 1)) * length));
    return rows[place] ?? 0;
  });
}

/** Shares of the three classes among some candles; a third each when there are none. */
export function classFrequencies(
  labels: ArrayLike<number>,
  rows: ArrayLike<number>,
): [number, number, number] {
  const counts: [number, number, number] = [0, 0, 0];
  for (let r = 0; r < rows.length; r++) {
    const label = labels[rows[r] ?? 0];
    if (label === 0 || label === 1 || label === 2) counts[label]++;
  }
  const n = counts[0] + counts[1] + counts[2];
  return n === 0 ? [1 / 3, 1 / 3, 1 / 3] : [counts[0] / n, counts[1] / n, counts[2] / n];
}
