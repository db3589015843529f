import type { Timeframe } from "@/lib/vocabulary";
import { addOpenMinutes, type Calendar, isMarketOpen, openMinutesBetween } from "./calendar";
import { candleCloseAt, candleCloseMs, candleOpenMs, timeframeMinutes } from "./timeframes";

/** How much later than one timeframe the next signal may come before the slot counts as stale. */
const FRESHNESS_GRACE_MINUTES = 15;

export interface SlotFreshness {
  /** Open-market minutes since the candle of the newest signal closed; null without a signal. */
  ageMinutes: number | null;
  /** Open-market minutes after which the next signal is due: the timeframe. */
  expectedMinutes: number;
  /** Open-market minutes after which the newest signal counts no longer. */
  staleAfterMinutes: number;
  marketOpen: boolean;
  stale: boolean;
}

function staleAfterMinutes(timeframe: Timeframe): number {
  return timeframeMinutes(timeframe) + FRESHNESS_GRACE_MINUTES;
}

/**
 * How old a slot's newest signal is, in open-market time. `lastTs` is the open time of that signal's candle.
 * A slot is stale once more than one timeframe and 15 minutes have passed, or when it never had a signal.
 */
export function slotFreshness(slot: {
  calendar: Calendar;
  timeframe: Timeframe;
  lastTs: Date | null;
  now: Date;
}): SlotFreshness {
  const { calendar, timeframe, lastTs, now } = slot;
  const ageMinutes =
    lastTs === null ? null : openMinutesBetween(calendar, candleCloseAt(lastTs, timeframe), now);
  return {
    ageMinutes,
    expectedMinutes: timeframeMinutes(timeframe),
    staleAfterMinutes: staleAfterMinutes(timeframe),
    marketOpen: isMarketOpen(calendar, now),
    stale: ageMinutes === null || ageMinutes > staleAfterMinutes(timeframe),
  };
}

/** The last instant at which the signal of the candle opened at `ts` still counts as fresh. */
export function validUntil(ts: Date, timeframe: Timeframe, calendar: Calendar): Date {
  return addOpenMinutes(calendar, candleCloseAt(ts, timeframe), staleAfterMinutes(timeframe));
}

/**
 * Whether a signal that is recorded at `recordedAt` still is one of the moment: its candle closed at most two timeframes
 * and 15 minutes of open market ago. So a feed that is a candle late, or a short stop, leaves no gap in the record.
 */
export function isTimely(
  slot: { calendar: Calendar; timeframe: Timeframe },
  closesAt: Date,
  recordedAt: Date,
): boolean {
  const allowedMinutes = staleAfterMinutes(slot.timeframe) + timeframeMinutes(slot.timeframe);
  return openMinutesBetween(slot.calendar, closesAt, recordedAt) <= allowedMinutes;
}

/** When the candle of a slot closes that is forming now or, while the market is closed, forms first after it opens. */
export function nextCloseAt(calendar: Calendar, timeframe: Timeframe, now: Date): Date {
  const openMs = addOpenMinutes(calendar, now, 0).getTime();
  return new Date(candleCloseMs(candleOpenMs(openMs, timeframe), timeframe));
}
