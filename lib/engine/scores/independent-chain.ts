/**
 * `independentCount` by stretches of results in order of time: the count from any earlier result on.
 *
 * Counting continues at the first result that begins after the last kept one ended. That is one of the
 * stretch's first few, because a result ends within its horizon; the count from each of them is stored.
 */
export interface IndependentChain {
  /**
   * The stretch's first results in order. For counting from each of them: its begin, the number of independent
   * results, and the end of the last independent one.
   */
  starts: { begin: number; kept: number; end: number }[];
  /** Whether `starts` holds all results of the stretch. */
  isWhole: boolean;
}

/** More than the candles of a horizon. */
const MAX_STARTS = 16;

export const NO_CHAIN: IndependentChain = { starts: [], isWhole: true };

/** @param intervals begin and end of each result on one scale, in order of their begins */
export function independentChain(intervals: readonly { begin: number; end: number }[]): IndependentChain {
  const chains: { begin: number; kept: number; end: number }[] = [];
  for (let i = intervals.length - 1; i >= 0; i--) {
    const interval = intervals[i];
    if (!interval) continue;
    const next = firstFrom(intervals, i + 1, interval.end);
    const rest = chains[intervals.length - 1 - next];
    // Built from the last result to the first: the chain of result j is at place n - 1 - j.
    chains.push({ begin: interval.begin, kept: 1 + (rest?.kept ?? 0), end: rest?.end ?? interval.end });
  }
  const starts = chains.reverse();
  return { starts: starts.slice(0, MAX_STARTS), isWhole: starts.length <= MAX_STARTS };
}

/**
 * Index of the first result at or after `from` that begins at `time` or later; the number of results if there
 * is none.
 */
function firstFrom(intervals: readonly { begin: number }[], from: number, time: number): number {
  let index = from;
  while (index < intervals.length && (intervals[index]?.begin ?? time) < time) index++;
  return index;
}

/** The chain of `before` followed by `after`. Pure. */
export function joinChains(before: IndependentChain, after: IndependentChain): IndependentChain {
  const starts = before.starts.map(({ begin, kept, end }) => {
    const rest = countFrom(after, end);
    return { begin, kept: kept + rest.kept, end: rest.end };
  });
  if (before.isWhole) starts.push(...after.starts);
  return {
    starts: starts.slice(0, MAX_STARTS),
    isWhole: before.isWhole && after.isWhole && starts.length <= MAX_STARTS,
  };
}

/** Results kept after an earlier one that ended at `time`, and when the last of them ends. */
export function countFrom(chain: IndependentChain, time: number): { kept: number; end: number } {
  const start = chain.starts.find(({ begin }) => begin >= time);
  if (start) return start;
  const last = chain.starts.at(-1);
  // All of a whole stretch may begin before `time`. Otherwise an earlier result would outlast a horizon's candles.
  return chain.isWhole || !last ? { kept: 0, end: time } : last;
}
