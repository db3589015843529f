import type { Timeframe } from "@/lib/vocabulary";
import { addOpenMinutes, type Calendar, isMarketOpen, openMinutesBetween } from "./calendar";
import { candleCloseAt, candleCloseMs, candleOpenMs, timeframeMinutes } from "./timeframes";

/** Default minutes beyond one timeframe before a slot without a new signal counts as stale. */
export const FRESHNESS_GRACE_MINUTES = 15;

/** A slot by name, with the calendar that it trades by. */
export interface NamedSlot {
  symbol: string;
  timeframe: Timeframe;
  calendar: Calendar;
}

type Graces = ReadonlyMap<string, number>;
const HELD = Symbol.for("signal-delivery-service.slot-graces");
// On the global object: pages and the interface each load this file, and must share the minutes.
const holder: Record<symbol, Graces | undefined> = globalThis as never;

/** Replaces the minutes of single slots, by `EURUSD/H1`, in this process. */
export function setSlotGraces(graces: Graces): void {
  holder[HELD] = graces;
}

export interface SlotFreshness {
  /** Open-market minutes since the candle of the newest signal closed; null without a signal. */
  ageMinutes: number | null;
  /** Open-market minutes after which the next signal is due: the timeframe. */
  expectedMinutes: number;
  /** Open-market minutes after which the newest signal no longer counts. */
  staleAfterMinutes: number;
  marketOpen: boolean;
  stale: boolean;
}

function staleAfterMinutes({ symbol, timeframe }: Pick<NamedSlot, "symbol" | "timeframe">): number {
  const grace = holder[HELD]?.get(`${symbol}/${timeframe}`) ?? FRESHNESS_GRACE_MINUTES;
  return timeframeMinutes(timeframe) + grace;
}

/**
 * Age of a slot's newest signal, in open-market time. `lastTs` is the open time of that signal's candle. A
 * slot is stale after one timeframe and 15 minutes (or the operator's own minutes). One that never had a signal
 * is stale while its market is open.
 */
export function slotFreshness(slot: NamedSlot & { lastTs: Date | null; now: Date }): SlotFreshness {
  const { calendar, timeframe, lastTs, now } = slot;
  const ageMinutes =
    lastTs === null ? null : openMinutesBetween(calendar, candleCloseAt(lastTs, timeframe), now);
  const marketOpen = isMarketOpen(calendar, now);
  return {
    ageMinutes,
    expectedMinutes: timeframeMinutes(timeframe),
    staleAfterMinutes: staleAfterMinutes(slot),
    marketOpen,
    stale: ageMinutes === null ? marketOpen : ageMinutes > staleAfterMinutes(slot),
  };
}

/** The last instant at which the signal of the candle opened at `ts` counts as fresh. */
export function validUntil(slot: NamedSlot, ts: Date): Date {
  return addOpenMinutes(slot.calendar, candleCloseAt(ts, slot.timeframe), staleAfterMinutes(slot));
}

/**
 * Whether a signal recorded at `recordedAt` counts as live: its candle closed at most two timeframes and 15
 * minutes of open market ago, so that a late feed or a short stop leaves no gap in the record. The operator's
 * minutes do not apply: one rule holds for the whole record.
 */
export function isTimely(
  slot: { calendar: Calendar; timeframe: Timeframe },
  closesAt: Date,
  recordedAt: Date,
): boolean {
  const allowedMinutes = 2 * timeframeMinutes(slot.timeframe) + FRESHNESS_GRACE_MINUTES;
  return openMinutesBetween(slot.calendar, closesAt, recordedAt) <= allowedMinutes;
}

/** Close of the candle that is forming now or, in a closed market, of the first one after it opens. */
export function nextCloseAt(calendar: Calendar, timeframe: Timeframe, now: Date): Date {
  const openMs = addOpenMinutes(calendar, now, 0).getTime();
  return new Date(candleCloseMs(candleOpenMs(openMs, timeframe), timeframe));
}
