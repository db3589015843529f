/**
 * `independentCount` in stretches: what counting on from any earlier result gives, for results in order of time.
 *
 * Counting goes on from the first result that begins when the last kept one has ended. It is one of the first few,
 * because a result ends within its horizon of candles, and from each of them the count is known.
 */
export interface IndependentChain {
  /** Of the first results in order: its begin, how many are kept from it on, and when the last of those ends. */
  starts: { begin: number; kept: number; end: number }[];
  /** Whether `starts` are all results of the stretch. */
  isWhole: boolean;
}

/** More than a horizon has candles. */
const MOST_STARTS = 16;

export const NO_CHAIN: IndependentChain = { starts: [], isWhole: true };

/** @param intervals begin and end of each result on one scale, in order of their begins */
export function independentChain(intervals: readonly { begin: number; end: number }[]): IndependentChain {
  const chains: { begin: number; kept: number; end: number }[] = [];
  for (let i = intervals.length - 1; i >= 0; i--) {
    const interval = intervals[i];
    if (!interval) continue;
    const next = firstFrom(intervals, i + 1, interval.end);
    const rest = chains[intervals.length - 1 - next];
    // From the last to the first: the chain of result j stands at place n - 1 - j.
    chains.push({ begin: interval.begin, kept: 1 + (rest?.kept ?? 0), end: rest?.end ?? interval.end });
  }
  const starts = chains.reverse();
  return { starts: starts.slice(0, MOST_STARTS), isWhole: starts.length <= MOST_STARTS };
}

/** Index of the first result from `from` on that begins at `time` or later; the number of results when there is none. */
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
    starts: starts.slice(0, MOST_STARTS),
    isWhole: before.isWhole && after.isWhole && starts.length <= MOST_STARTS,
  };
}

/** How many results of the chain are kept when the last kept one before it ends at `time`. */
export function countFrom(chain: IndependentChain, time: number): { kept: number; end: number } {
  const start = chain.starts.find(({ begin }) => begin >= time);
  if (start) return start;
  const last = chain.starts.at(-1);
  // An earlier result that ends after so many candles of this stretch has a longer horizon than there is.
  return chain.isWhole || !last ? { kept: 0, end: time } : last;
}
