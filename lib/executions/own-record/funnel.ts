import { compareTimeframes } from "@/lib/market/timeframes";
import { groupBy } from "@/lib/runtime/group-by";
import type { Timeframe } from "@/lib/vocabulary";
import type { Journey } from "./journey";

/**
 * How many signals came how far, and the median time of each step in milliseconds; null without any. Times until the
 * opening are those of signals that were made within one length of their candle.
 */
export interface Funnel {
  nMade: number;
  /** Signals of which it is known whether they were fetched: the sample of `nFetched`. */
  nFetchKnown: number;
  nFetched: number;
  nFollowed: number;
  nClosed: number;
  /** From the close of the candle until the signal was made. */
  madeMs: number | null;
  /** From there until it was first fetched. */
  fetchMs: number | null;
  /** From the first fetch, or without one from the making, until the position was opened. */
  followMs: number | null;
  closeMs: number | null;
}

export interface SlotFunnel extends Funnel {
  symbol: string;
  timeframe: Timeframe;
}

export function funnelOf(journeys: readonly Journey[]): Funnel {
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
    // How long the steps took says nothing of a signal that was made for the past.
    if (signal.createdMs - signal.closesMs > signal.closesMs - signal.tsMs) continue;
    made.push(signal.createdMs - signal.closesMs);
    if (fetch) fetches.push(fetch.atMs - signal.createdMs);
    // A client's clock may be a little behind.
    if (first)
      follows.push(Math.max(0, first.openedMs - Math.min(fetch?.atMs ?? first.openedMs, first.openedMs)));
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
    closeMs: median(closes),
  };
}

/** The same for each slot, by symbol and length of timeframe. */
export function funnelsBySlot(journeys: readonly Journey[]): SlotFunnel[] {
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

/** The middle value, or the mean of the two in the middle; null of none. */
export function median(values: readonly number[]): number | null {
  // Numbers of one kind are sorted without a call for each pair.
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[half]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
