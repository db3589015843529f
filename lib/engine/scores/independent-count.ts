/**
 * How many of a set of results do not overlap: in order of time, each one that begins before the last kept one ended
 * is dropped.
 *
 * @param intervals begin and end of each result on one scale (epoch ms or candle indices), in any order
 */
export function independentCount(intervals: Iterable<{ begin: number; end: number }>): number {
  const inOrder = [...intervals].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let kept = 0;
  let busyUntil = Number.NEGATIVE_INFINITY;
  for (const { begin, end } of inOrder) {
    if (begin < busyUntil) continue;
    kept++;
    busyUntil = end;
  }
  return kept;
}
