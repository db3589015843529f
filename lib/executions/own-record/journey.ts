import type { Advance } from "@/db/queries/fetches";
import type { MadeSignal, OwnPosition } from "@/db/queries/own-record";
import { roundProbability } from "@/lib/wire/contracts/shared";
import { type FirstFetch, firstFetches } from "./first-fetches";
import { matchPositions } from "./match-positions";

/** A signal on its way: made, fetched, followed, closed. */
export interface Journey {
  signal: MadeSignal;
  fetch: FirstFetch | null;
  /** false: made before fetches were recorded. */
  isFetchKnown: boolean;
  /** First opened first. */
  positions: readonly OwnPosition[];
}

const NONE: readonly OwnPosition[] = [];

/** Signals with their first fetches and the positions that followed them. Pure. */
export function journeysOf(
  signals: readonly MadeSignal[],
  advances: readonly Advance[],
  positions: readonly OwnPosition[],
  fetchesSinceMs: number,
): { journeys: Journey[]; nOthers: number } {
  // Of one who fetched nothing, thousands of signals would be copied for nothing.
  const fetched =
    advances.length === 0
      ? []
      : firstFetches(
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
  const { bySignal, nOthers } = matchPositions(signals, positions);
  const journeys = signals.map((signal, i) => ({
    signal,
    fetch: fetched[i] ?? null,
    isFetchKnown: signal.createdMs >= fetchesSinceMs,
    positions: bySignal.get(signal.signalId) ?? NONE,
  }));
  return { journeys, nOthers };
}
