import type { OpenPause } from "@/db/queries/pauses";
import type { LatestSignal } from "@/db/queries/signals";
import { coveringPause } from "@/lib/access/pauses";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { type SlotFreshness, signalValidUntil, slotFreshness } from "@/lib/market/freshness";
import { compareSlots } from "@/lib/market/slot-order";
import type { Timeframe } from "@/lib/vocabulary";
import { readSignalSnapshot } from "./scan";
import { slotStatesAtVersion } from "./slot-states";

/** A slot for display: its newest signal, and until when it is valid. */
export interface SlotView {
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
  digits: number;
  freshness: SlotFreshness;
  /** null: no signal that the scope may see yet. */
  signal: LatestSignal | null;
  /** End of the signal's validity; null without a signal. */
  validUntil: Date | null;
  /** The pause during which the signal must not be followed; null: no pause. */
  pause: OpenPause | null;
}

export interface SlotViews {
  /** By symbol, then by length of timeframe. */
  slots: SlotView[];
  /** Number of slots outside the scope that have a model or a signal. */
  nHidden: number;
  /** Names of the slots outside the scope, such as `EURUSD/H1`. */
  hidden: ReadonlySet<string>;
}

/** Every slot in scope that has a model or a signal, as of version `version` of the stored signals or a later one. */
export async function listSlotViews(scope: Scope, version: number, now: Date): Promise<SlotViews> {
  const [states, snapshot] = await Promise.all([
    slotStatesAtVersion(version),
    readSignalSnapshot(scope, version, now),
  ]);
  const newest = new Map(snapshot.signals.map((signal) => [`${signal.symbol}/${signal.timeframe}`, signal]));
  const slots: SlotView[] = [];
  const hidden = new Set<string>();
  for (const state of states) {
    const { timeframe } = state;
    const signal = newest.get(`${state.symbol}/${state.timeframe}`) ?? null;
    if (state.modelV === null && signal === null) continue;
    if (!scopeIncludes(scope, state.symbol, timeframe)) {
      hidden.add(`${state.symbol}/${timeframe}`);
      continue;
    }
    const freshness = slotFreshness({ ...state, lastTs: signal?.ts ?? null, now });
    slots.push({
      slotId: state.slotId,
      symbol: state.symbol,
      timeframe,
      digits: state.digits,
      freshness,
      signal,
      validUntil: signal && signalValidUntil(state, signal.ts),
      pause: coveringPause(snapshot.pauses, state),
    });
  }
  return { slots: slots.sort(compareSlots), nHidden: hidden.size, hidden };
}

/** A slot whose newest signal can be acted on now. */
export type ActionableSlot = SlotView & { signal: LatestSignal; validUntil: Date };

/** Whether a slot's newest signal can be acted on: a direction, still valid, in an open market, not paused. */
export const isActionable = (slot: SlotView): slot is ActionableSlot =>
  slot.signal !== null &&
  slot.signal.signal !== "NO_TRADE" &&
  slot.validUntil !== null &&
  slot.pause === null &&
  slot.freshness.marketOpen &&
  !slot.freshness.stale;

/**
 * Sort order for display: actionable slots, then other slots with BUY, SELL or no signal, then NO_TRADE. Within each
 * group, the higher confidence is first.
 */
export function compareSlotSalience(a: SlotView, b: SlotView): number {
  const rank = (slot: SlotView) => (isActionable(slot) ? 2 : slot.signal?.signal === "NO_TRADE" ? 0 : 1);
  return rank(b) - rank(a) || (b.signal?.confidence ?? 0) - (a.signal?.confidence ?? 0);
}
