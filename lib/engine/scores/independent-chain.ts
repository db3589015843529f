/**
 * Counts results that do not overlap, as `independentCount` does, in consecutive periods that can be joined.
 *
 * When a period is joined to an earlier one, counting continues at its first result that begins when the last counted
 * result has ended. This is one of the period's first few results, because a result ends within its horizon. So the
 * count from each of these is stored.
 */
export interface IndependentChain {
  /**
   * The period's first results in order. For each: its begin, the number of independent results if counting starts with
   * it, and the end of the last of these.
   */
  starts: { begin: number; kept: number; end: number }[];
  /** Whether `starts` holds all results of the period. */
  isWhole: boolean;
}

/** Maximum number of stored starts: more than the 12 candles of a horizon. */
const MAX_STARTS = 16;

export const EMPTY_INDEPENDENT_CHAIN: IndependentChain = { starts: [], isWhole: true };

/**
 * The chain of one period.
 *
 * @param intervals begin and end of each result on one scale, in order of their begins
 */
export function independentChain(intervals: readonly { begin: number; end: number }[]): IndependentChain {
  const chains: { begin: number; kept: number; end: number }[] = [];
  for (let i = intervals.length - 1; i >= 0; i--) {
    const interval = intervals[i];
    if (!interval) continue;
    const next = firstFrom(intervals, i + 1, interval.end);
    const rest = chains[intervals.length - 1 - next];
    // Chains are built from the last result to the first, so that of result j is at place n - 1 - j.
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

/** The chain of all results of `before` and then of `after`. */
export function joinIndependentChains(before: IndependentChain, after: IndependentChain): IndependentChain {
  const starts = before.starts.map(({ begin, kept, end }) => {
    const rest = countIndependentFrom(after, end);
    return { begin, kept: kept + rest.kept, end: rest.end };
  });
  if (before.isWhole) starts.push(...after.starts);
  return {
    starts: starts.slice(0, MAX_STARTS),
    isWhole: before.isWhole && after.isWhole && starts.length <= MAX_STARTS,
  };
}

/** Number of independent results after an earlier one that ended at `time`, and when the last of them ends. */
export function countIndependentFrom(chain: IndependentChain, time: number): { kept: number; end: number } {
  const start = chain.starts.find(({ begin }) => begin >= time);
  if (start) return start;
  const last = chain.starts.at(-1);
  // No stored result begins at `time` or later. If `starts` holds all results of the period, none of them counts.
  // Otherwise the earlier result lasted longer than a horizon, and counting goes on from the last stored start.
  return chain.isWhole || !last ? { kept: 0, end: time } : last;
}
