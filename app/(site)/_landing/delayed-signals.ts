import type { DatabaseHandle } from "@/db/client";
import { listLatestShownSignals } from "@/db/queries/signals";
import { type Plan, scopeIncludes, scopeOfPlan } from "@/lib/access/plans";
import { compareSlots } from "@/lib/market/slot-order";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { addMinutes } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";

/** Delay of public signals: a visitor sees a signal at the earliest this many minutes after the close of its candle. */
export const PUBLIC_DELAY_MINUTES = 60;
/** Maximum number of slots in the list of latest signals. */
const MAX_SLOTS = 6;

interface Slot {
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
}

/**
 * The slots whose delayed signals visitors may see: only slots that every plan on offer includes, so that no signal of
 * a larger plan is free. If there are too many, each symbol gets its shortest timeframe before any symbol gets a second
 * one.
 */
export function slotsForVisitors<S extends Slot>(slots: readonly S[], offered: readonly Plan[]): S[] {
  const included = slots
    .filter((slot) => offered.every((plan) => scopeIncludes(scopeOfPlan(plan), slot.symbol, slot.timeframe)))
    .toSorted(compareSlots);
  const taken = new Map<string, number>();
  return included
    .map((slot) => {
      const round = taken.get(slot.symbol) ?? 0;
      taken.set(slot.symbol, round + 1);
      return { slot, round };
    })
    .toSorted((a, b) => a.round - b.round)
    .slice(0, MAX_SLOTS)
    .map(({ slot }) => slot)
    .toSorted(compareSlots);
}

/** Candles of a timeframe that opened at this time or earlier closed at least `PUBLIC_DELAY_MINUTES` before `now`. */
export const latestShownOpenAt = (timeframe: Timeframe, now: Date): Date =>
  addMinutes(now, -PUBLIC_DELAY_MINUTES - timeframeMinutes(timeframe));

/** The newest public signal of each slot that has one. On a real market a signal that was entered later is not shown. */
export const listDelayedSignals = (handle: DatabaseHandle, slots: readonly Slot[], now: Date) =>
  listLatestShownSignals(
    handle,
    slots.map(({ slotId, timeframe }) => ({ slotId, latestShownOpenAt: latestShownOpenAt(timeframe, now) })),
    { inTimeOnly: !isDemonstration() },
  );
