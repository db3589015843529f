/** Candles of [from, to) whose class is known. */
export function decidedRows(labels: ArrayLike<number>, from: number, to: number): Int32Array {
  const rows: number[] = [];
  for (let i = from; i < to; i++) if ((labels[i] ?? -1) >= 0) rows.push(i);
  return Int32Array.from(rows);
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
