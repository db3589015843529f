import type { Timeframe } from "@/lib/vocabulary";
import { addOpenMinutes, type Calendar, isMarketOpen, openMinutesBetween } from "./calendar";
import { candleCloseAt, timeframeMinutes } from "./timeframes";

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
