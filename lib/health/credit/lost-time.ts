import { addOpenMinutes, isMarketOpen } from "@/lib/market/calendar";
import { validUntil } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { CalendarName, Timeframe } from "@/lib/vocabulary";

/** From an instant up to but without another. */
export interface Interval {
  fromMs: number;
  toMs: number;
}

export interface SlotOfPlan {
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
  calendar: CalendarName;
}

/** A live signal whose successor came late. */
export interface LateSignal {
  slotId: number;
  tsMs: number;
  nextCandleMs: number | null;
  nextMadeMs: number | null;
}

/** How late a signal may be after its candle. */
const LATE_MINUTES = 15;

/**
 * When a slot had no fresh signal although a candle to make one from was there: from the end of the last one's validity,
 * or 15 minutes after the next candle's close where that is later, until the next signal was made. Without a further
 * candle the feed was closed, as far as anyone can tell, and nothing was lost.
 */
export function staleInterval(slot: SlotOfPlan, late: LateSignal, untilMs: number): Interval | null {
  const { timeframe, calendar } = slot;
  if (late.nextCandleMs === null) return null;
  const closed = candleCloseAt(new Date(late.nextCandleMs), timeframe);
  const awaitedMs = addOpenMinutes(calendar, closed, LATE_MINUTES).getTime();
  const validMs = validUntil(slot, new Date(late.tsMs)).getTime();
  const fromMs = Math.max(validMs, awaitedMs);
  const toMs = late.nextMadeMs ?? untilMs;
  return toMs > fromMs ? { fromMs, toMs } : null;
}

/**
 * The minutes of a window in which at least `share` of a plan's slots whose market was open had no fresh signal: because
 * the service was away, or because they were stale. Put together to stretches.
 */
export function lostIntervals(
  window: Interval,
  slots: readonly (SlotOfPlan & { stale: readonly Interval[] })[],
  away: readonly Interval[],
  share: number,
): Interval[] {
  const length = Math.max(0, Math.ceil((window.toMs - window.fromMs) / MINUTE_MS));
  const isAway = mark(window, length, away);
  const open = new Map(
    [...new Set(slots.map(({ calendar }) => calendar))].map((calendar) => [
      calendar,
      Uint8Array.from({ length }, (_, minute) =>
        isMarketOpen(calendar, new Date(window.fromMs + minute * MINUTE_MS)) ? 1 : 0,
      ),
    ]),
  );
  const nOpen = new Uint16Array(length);
  const nLost = new Uint16Array(length);
  for (const { calendar, stale } of slots) {
    const isOpen = open.get(calendar) ?? new Uint8Array(length);
    const isStale = mark(window, length, stale);
    for (let minute = 0; minute < length; minute++) {
      if (isOpen[minute] === 0) continue;
      nOpen[minute] = (nOpen[minute] ?? 0) + 1;
      if (isAway[minute] === 1 || isStale[minute] === 1) nLost[minute] = (nLost[minute] ?? 0) + 1;
    }
  }
  const found: Interval[] = [];
  for (let minute = 0; minute < length; minute++) {
    const n = nOpen[minute] ?? 0;
    if (n === 0 || (nLost[minute] ?? 0) < share * n || nLost[minute] === 0) continue;
    const fromMs = window.fromMs + minute * MINUTE_MS;
    const last = found.at(-1);
    if (last?.toMs === fromMs) last.toMs = fromMs + MINUTE_MS;
    else found.push({ fromMs, toMs: fromMs + MINUTE_MS });
  }
  return found;
}

/** The minutes of the window that begin within one of the stretches. */
function mark(window: Interval, length: number, stretches: readonly Interval[]): Uint8Array {
  const marked = new Uint8Array(length);
  for (const { fromMs, toMs } of stretches) {
    const from = Math.max(0, Math.ceil((fromMs - window.fromMs) / MINUTE_MS));
    const to = Math.min(length, Math.ceil((toMs - window.fromMs) / MINUTE_MS));
    if (to > from) marked.fill(1, from, to);
  }
  return marked;
}

/** The part of the stretches within a window. */
export function within(stretches: readonly Interval[], window: Interval): Interval[] {
  return stretches.flatMap(({ fromMs, toMs }) => {
    const from = Math.max(fromMs, window.fromMs);
    const to = Math.min(toMs, window.toMs);
    return to > from ? [{ fromMs: from, toMs: to }] : [];
  });
}

export function minutesOf(stretches: readonly Interval[]): number {
  return Math.round(stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / MINUTE_MS);
}
