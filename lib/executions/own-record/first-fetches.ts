import type { SignalFetchAdvance } from "@/db/queries/signal-fetches";
import { groupBy } from "@/lib/runtime/group-by";
import type { SignalFetchWay } from "@/lib/vocabulary";

/** The facts of a signal that decide which answers showed it. Times in epoch milliseconds. */
export interface FetchableSignal {
  seq: number;
  slotId: number;
  confidence: number;
  createdMs: number;
  /**
   * When the signal of the slot's next candle was created, which replaces this one in a scan; null: not replaced.
   */
  replacedMs: number | null;
  candleMs: number;
}

export interface FirstSignalFetch {
  atMs: number;
  way: SignalFetchWay;
}

/**
 * The first answer that showed each signal; null if none did. Pure.
 *
 * A scan shows the newest signal of each slot, so it fetched a signal only until the next one was made. A history
 * of n signals reaches back at least n candles, and further if the market was closed in between. A stream reports
 * every sequence number. Answers from before a signal was made never count: a restored database reuses sequence
 * numbers.
 *
 * @param signals in any order, which the result keeps
 */
export function firstSignalFetches(
  signals: readonly FetchableSignal[],
  advances: readonly SignalFetchAdvance[],
): (FirstSignalFetch | null)[] {
  const found: (FirstSignalFetch | null)[] = signals.map(() => null);
  const offer = (index: number, fetch: FirstSignalFetch) => {
    const held = found[index];
    if (!held || fetch.atMs < held.atMs) found[index] = fetch;
  };
  const inTime = advances.toSorted((a, b) => a.atMs - b.atMs);
  const streamed = inTime.filter(({ way }) => way === "stream");
  offerStreamed(signals, streamed, offer);

  const bySlot = groupBy(
    inTime.filter(({ way }) => way !== "stream"),
    ({ slotId }) => slotId,
  );
  const polled = new Map(
    [...bySlot].map(([slotId, advances]) => [slotId, { advances, longestReach: longestReachOf(advances) }]),
  );
  signals.forEach((signal, index) => {
    for (const slotId of [0, signal.slotId]) {
      const polls = polled.get(slotId);
      const shown = polls && firstShowing(signal, polls);
      if (shown) offer(index, { atMs: shown.atMs, way: shown.way });
    }
  });
  return found;
}

interface Polls {
  /** In order of time. */
  advances: readonly SignalFetchAdvance[];
  longestReach: number;
}

const longestReachOf = (advances: readonly SignalFetchAdvance[]) =>
  advances.reduce((longest, { reach }) => Math.max(longest, reach), 1);

/** The first poll that showed a signal. */
function firstShowing(signal: FetchableSignal, { advances, longestReach }: Polls): SignalFetchAdvance | null {
  const endMs = lastShownMs(signal, longestReach);
  for (let i = firstFrom(advances, signal.createdMs); i < advances.length; i++) {
    const poll = advances[i];
    if (!poll || poll.atMs >= endMs) return null;
    const tells = poll.upTo >= signal.seq && signal.confidence >= poll.minConfidence;
    if (tells && poll.atMs < lastShownMs(signal, poll.reach)) return poll;
  }
  return null;
}

/** Until when, at least, an answer that reaches back `reach` signals includes this one. */
function lastShownMs(signal: FetchableSignal, reach: number): number {
  if (signal.replacedMs === null) return Number.POSITIVE_INFINITY;
  return Math.max(signal.replacedMs, reach === 1 ? 0 : signal.createdMs + reach * signal.candleMs);
}

/** Index of the first poll at or after an instant. */
function firstFrom(polls: readonly SignalFetchAdvance[], atMs: number): number {
  let low = 0;
  let high = polls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((polls[middle]?.atMs ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Assigns to each stream event the signals in its range that no earlier event showed. */
function offerStreamed(
  signals: readonly FetchableSignal[],
  streamed: readonly SignalFetchAdvance[],
  offer: (index: number, fetch: FirstSignalFetch) => void,
): void {
  if (streamed.length === 0) return;
  const bySeq = signals.map((signal, index) => ({ ...signal, index })).toSorted((a, b) => a.seq - b.seq);
  // Union-find with path compression: the next index whose signal is not assigned yet.
  const next = Array.from({ length: bySeq.length + 1 }, (_, place) => place);
  const free = (from: number): number => {
    let place = from;
    while (next[place] !== place) {
      next[place] = next[next[place] ?? bySeq.length] ?? bySeq.length;
      place = next[place] ?? bySeq.length;
    }
    return place;
  };
  const placeAfter = (seq: number) => {
    let low = 0;
    let high = bySeq.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bySeq[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (const { upTo, reach, atMs, way } of streamed) {
    const end = placeAfter(upTo);
    for (let place = free(placeAfter(upTo - reach)); place < end; place = free(place + 1)) {
      const signal = bySeq[place];
      if (!signal || signal.createdMs > atMs) continue;
      offer(signal.index, { atMs, way });
      next[place] = place + 1;
    }
  }
}
