import type { StoredNotTradedReport } from "@/db/queries/not-traded-signals";
import type { IssuedSignal, MarketPrice, ReportedPosition } from "@/db/queries/own-record";
import type { SignalFetchAdvance } from "@/db/queries/signal-fetches";
import { roundProbability } from "@/lib/wire/contracts/shared";
import { type FirstSignalFetch, firstSignalFetches } from "./first-fetches";
import { CLOCK_TOLERANCE_MS, type MatchedPositions } from "./match-positions";

/** A signal with its steps: made, fetched, followed, closed. */
export interface SignalJourney {
  signal: IssuedSignal;
  fetch: FirstSignalFetch | null;
  /** Whether fetches are stored from the signal's creation on, and it was not made too late to be fetched in time. */
  isFetchKnown: boolean;
  /** Earliest opening first. */
  positions: readonly ReportedPosition[];
  /** The market's price when the first of the positions opened; null without a position or a candle. */
  market: MarketPrice | null;
  /** The client's reason for not trading it; null: it reported none or traded it. */
  why: StoredNotTradedReport | null;
}

/** Whether a signal was made more than one candle's length after its candle closed, so that its times say nothing. */
export const isMadeLate = ({
  createdMs,
  closesMs,
  tsMs,
}: Pick<IssuedSignal, "createdMs" | "closesMs" | "tsMs">): boolean => createdMs - closesMs > closesMs - tsMs;

/**
 * Whether a position opened clearly before the first fetch of its signal, so that the fetch did not lead to it: the signal
 * came another way, such as by Telegram.
 */
export const isFetchedLater = (
  fetch: Pick<FirstSignalFetch, "atMs">,
  { openedMs }: Pick<ReportedPosition, "openedMs">,
): boolean => fetch.atMs - openedMs > CLOCK_TOLERANCE_MS;

const NONE: readonly ReportedPosition[] = [];

/**
 * Signals with their first fetches and the positions that followed them. Pure.
 *
 * @param bySignal positions by signal id
 * @param prices the market's price at the opening of each position, by `executionId`
 * @param fetchesSinceMs since when fetches are stored without gaps, in epoch ms
 * @param notTraded why the client did not trade a signal, by signal id
 */
export function signalJourneysOf(
  signals: readonly IssuedSignal[],
  advances: readonly SignalFetchAdvance[],
  bySignal: MatchedPositions["bySignal"],
  prices: ReadonlyMap<number, MarketPrice>,
  fetchesSinceMs: number,
  notTraded: ReadonlyMap<number, StoredNotTradedReport> = new Map(),
): SignalJourney[] {
  // Without a fetch, skip copying thousands of signals.
  const fetched =
    advances.length === 0
      ? []
      : firstSignalFetches(
          signals.map((signal) => ({
            seq: signal.seq,
            slotId: signal.slotId,
            createdMs: signal.createdMs,
            replacedMs: signal.replacedMs,
            confidence: roundProbability(signal.confidence),
            candleMs: signal.closesMs - signal.tsMs,
          })),
          advances,
        );
  return signals.map((signal, i) => {
    const positions = bySignal.get(signal.signalId) ?? NONE;
    return {
      signal,
      fetch: fetched[i] ?? null,
      isFetchKnown: signal.createdMs >= fetchesSinceMs && !isMadeLate(signal),
      positions,
      why: positions.length > 0 ? null : (notTraded.get(signal.signalId) ?? null),
      market: (positions[0] && prices.get(positions[0].executionId)) ?? null,
    };
  });
}
