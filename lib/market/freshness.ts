import type { Timeframe } from "@/lib/vocabulary";
import { addOpenMinutes, type Calendar, isMarketOpen, openMinutesBetween } from "./calendar";
import { candleCloseAt, candleCloseMs, candleOpenMs, timeframeMinutes } from "./timeframes";

/** How much later than one timeframe the next signal may come before a slot of which nothing is said counts as stale. */
export const FRESHNESS_GRACE_MINUTES = 15;

/** A slot by name, with the calendar that it trades by. */
export interface NamedSlot {
  symbol: string;
  timeframe: Timeframe;
  calendar: Calendar;
}

type Graces = ReadonlyMap<string, number>;
const HELD = Symbol.for("signal-delivery-service.slot-graces");
// Pages and the interface load this file once each, and both must know the same minutes.
const holder: Record<symbol, Graces | undefined> = globalThis as never;

/** Puts the minutes of single slots, by `EURUSD/H1`, in force for the whole process, in place of those before. */
export function holdSlotGraces(graces: Graces): void {
  holder[HELD] = graces;
}

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

function staleAfterMinutes({ symbol, timeframe }: Pick<NamedSlot, "symbol" | "timeframe">): number {
  const grace = holder[HELD]?.get(`${symbol}/${timeframe}`) ?? FRESHNESS_GRACE_MINUTES;
  return timeframeMinutes(timeframe) + grace;
}

/**
 * How old a slot's newest signal is, in open-market time. `lastTs` is the open time of that signal's candle.
 * A slot is stale once more than one timeframe and 15 minutes, or what the operator says of it instead, have passed,
 * or when it never had a signal.
 */
export function slotFreshness(slot: NamedSlot & { lastTs: Date | null; now: Date }): SlotFreshness {
  const { calendar, timeframe, lastTs, now } = slot;
  const ageMinutes =
    lastTs === null ? null : openMinutesBetween(calendar, candleCloseAt(lastTs, timeframe), now);
  return {
    ageMinutes,
    expectedMinutes: timeframeMinutes(timeframe),
    staleAfterMinutes: staleAfterMinutes(slot),
    marketOpen: isMarketOpen(calendar, now),
    stale: ageMinutes === null || ageMinutes > staleAfterMinutes(slot),
  };
}

/** The last instant at which the signal of the candle opened at `ts` still counts as fresh. */
export function validUntil(slot: NamedSlot, ts: Date): Date {
  return addOpenMinutes(slot.calendar, candleCloseAt(ts, slot.timeframe), staleAfterMinutes(slot));
}

/**
 * Whether a signal that is recorded at `recordedAt` still is one of the moment: its candle closed at most two timeframes
 * and 15 minutes of open market ago. So a feed that is a candle late, or a short stop, leaves no gap in the record. What
 * an operator says of the slot does not count: the record is judged by one rule.
 */
export function isTimely(
  slot: { calendar: Calendar; timeframe: Timeframe },
  closesAt: Date,
  recordedAt: Date,
): boolean {
  const allowedMinutes = 2 * timeframeMinutes(slot.timeframe) + FRESHNESS_GRACE_MINUTES;
  return openMinutesBetween(slot.calendar, closesAt, recordedAt) <= allowedMinutes;
}

/** When the candle of a slot closes that is forming now or, while the market is closed, forms first after it opens. */
export function nextCloseAt(calendar: Calendar, timeframe: Timeframe, now: Date): Date {
  const openMs = addOpenMinutes(calendar, now, 0).getTime();
  return new Date(candleCloseMs(candleOpenMs(openMs, timeframe), timeframe));
}
