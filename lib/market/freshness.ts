import type { CalendarName, Timeframe } from "@/lib/vocabulary";
import { addOpenMinutes, isMarketOpen, openMinutesBetween } from "./calendar";
import { candleCloseAt, candleCloseMs, candleOpenMs, timeframeMinutes } from "./timeframes";

/** Minutes beyond one timeframe before a slot without a new signal counts as stale, if the operator set none for it. */
export const FRESHNESS_GRACE_MINUTES = 15;

/** A slot by name, with its trading calendar. */
export interface SlotWithCalendar {
  symbol: string;
  timeframe: Timeframe;
  calendar: CalendarName;
}

type Graces = ReadonlyMap<string, number>;
const HELD = Symbol.for("signal-delivery-service.slot-graces");
// On the global object, because pages and the API load this file separately and must share the minutes.
const holder: Record<symbol, Graces | undefined> = globalThis as never;

/**
 * Replaces, in this process, the grace minutes that the operator set for single slots. Keys are such as `EURUSD/H1`.
 */
export function setSlotGraceMinutes(graces: Graces): void {
  holder[HELD] = graces;
}

export interface SlotFreshness {
  /** Open-market minutes since the candle of the newest signal closed; null without a signal. */
  ageMinutes: number | null;
  /** Age (`ageMinutes`) of the newest signal at which the next one is due: the length of the timeframe. */
  expectedMinutes: number;
  /** Age (`ageMinutes`) beyond which the newest signal is stale. */
  staleAfterMinutes: number;
  marketOpen: boolean;
  stale: boolean;
}

function staleAfterMinutes({ symbol, timeframe }: Pick<SlotWithCalendar, "symbol" | "timeframe">): number {
  const grace = holder[HELD]?.get(`${symbol}/${timeframe}`) ?? FRESHNESS_GRACE_MINUTES;
  return timeframeMinutes(timeframe) + grace;
}

/**
 * Age of a slot's newest signal, in open-market time. `lastTs` is the open time of that signal's candle. A slot is
 * stale if it has no signal, or if its signal is older than one timeframe plus the grace minutes (15, or the operator's
 * for this slot).
 */
export function slotFreshness(slot: SlotWithCalendar & { lastTs: Date | null; now: Date }): SlotFreshness {
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

/** The last instant at which the signal of the candle that opened at `ts` is not stale. */
export function signalValidUntil(slot: SlotWithCalendar, ts: Date): Date {
  return addOpenMinutes(slot.calendar, candleCloseAt(ts, slot.timeframe), staleAfterMinutes(slot));
}

/**
 * Whether a signal that this service makes at `recordedAt` on a real market counts as live: its candle closed at most
 * two timeframes and 15 minutes of open market earlier. This tolerance keeps a late feed or a short outage from leaving
 * a gap in the record. The operator's grace minutes do not apply, so that one rule holds for all slots.
 */
export function isTimely(
  slot: { calendar: CalendarName; timeframe: Timeframe },
  closesAt: Date,
  recordedAt: Date,
): boolean {
  const allowedMinutes = 2 * timeframeMinutes(slot.timeframe) + FRESHNESS_GRACE_MINUTES;
  return openMinutesBetween(slot.calendar, closesAt, recordedAt) <= allowedMinutes;
}

/** Close of the candle that is forming at `now` or, if the market is closed, of the first candle after it opens. */
export function nextCandleCloseAt(calendar: CalendarName, timeframe: Timeframe, now: Date): Date {
  const openMs = addOpenMinutes(calendar, now, 0).getTime();
  return new Date(candleCloseMs(candleOpenMs(openMs, timeframe), timeframe));
}
