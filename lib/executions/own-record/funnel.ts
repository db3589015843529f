import { compareTimeframes } from "@/lib/market/timeframes";
import { groupBy } from "@/lib/runtime/group-by";
import type { Timeframe } from "@/lib/vocabulary";
import { isFetchedLater, isMadeLate, type SignalJourney } from "./journey";

/**
 * Number of signals that reached each step, and each step's median duration in ms; null without any. Durations until
 * the opening only include signals made within one candle's length after their candle closed.
 */
export interface Funnel {
  nMade: number;
  /**
   * Signals made since the time from which all fetches are stored, without those made too late to be fetched in time: the
   * sample of `nFetched`.
   */
  nFetchKnown: number;
  nFetched: number;
  nFollowed: number;
  nClosed: number;
  /** Median time from the close of the candle until the signal was made, ms; null: no sample. So are the next three. */
  madeMs: number | null;
  /** From when the signal was made until its first fetch. */
  fetchMs: number | null;
  /** From the first fetch until the position opened; 0 if a slow clock dates it up to a minute before the fetch. */
  followMs: number | null;
  /** Followed signals that were not made late and were fetched before the opening: the sample of `followMs`. */
  nFollowTimes: number;
  closeMs: number | null;
}

export interface SlotFunnel extends Funnel {
  symbol: string;
  timeframe: Timeframe;
}

export function funnelOf(journeys: readonly SignalJourney[]): Funnel {
  const made: number[] = [];
  const fetches: number[] = [];
  const follows: number[] = [];
  const closes: number[] = [];
  let [nFetchKnown, nFetched, nFollowed] = [0, 0, 0];
  for (const { signal, fetch, isFetchKnown, positions } of journeys) {
    if (isFetchKnown) nFetchKnown++;
    if (fetch && isFetchKnown) nFetched++;
    const [first] = positions;
    if (first) nFollowed++;
    if (first && first.closedMs !== null) closes.push(first.closedMs - first.openedMs);
    if (isMadeLate(signal)) continue;
    made.push(signal.createdMs - signal.closesMs);
    if (fetch) fetches.push(fetch.atMs - signal.createdMs);
    // At least 0, because a client's clock may be slow.
    if (first && fetch && !isFetchedLater(fetch, first))
      follows.push(Math.max(0, first.openedMs - fetch.atMs));
  }
  return {
    nMade: journeys.length,
    nFetchKnown,
    nFetched,
    nFollowed,
    nClosed: closes.length,
    madeMs: median(made),
    fetchMs: median(fetches),
    followMs: median(follows),
    nFollowTimes: follows.length,
    closeMs: median(closes),
  };
}

/** The funnel of each slot, by symbol and length of timeframe. */
export function funnelsBySlot(journeys: readonly SignalJourney[]): SlotFunnel[] {
  const groups = groupBy(journeys, ({ signal }) => signal.slotId);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { symbol, timeframe } = first.signal;
      return [{ symbol, timeframe, ...funnelOf(group) }];
    })
    .sort((a, b) => a.symbol.localeCompare(b.symbol) || compareTimeframes(a.timeframe, b.timeframe));
}

/** The middle value, or the mean of the two middle ones; null for an empty list. */
export function median(values: readonly number[]): number | null {
  // A typed array sorts numbers without a comparison function.
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[half]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
