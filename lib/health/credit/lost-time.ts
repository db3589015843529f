import { addOpenMinutes, isMarketOpen } from "@/lib/market/calendar";
import { signalValidUntil } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { CalendarName, Timeframe } from "@/lib/vocabulary";

/** A time interval; `toMs` is exclusive. */
export interface TimeInterval {
  fromMs: number;
  toMs: number;
}

export interface SlotOfPlan {
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
  calendar: CalendarName;
}

/** A live signal whose next signal was late or is missing. */
export interface SignalBeforeGap {
  slotId: number;
  tsMs: number;
  nextCandleMs: number | null;
  nextMadeMs: number | null;
}

/** Open-market minutes that a signal may lag behind its candle's close. */
const LATE_MINUTES = 15;

/**
 * The time in which a slot had no fresh signal although its candle was there: from the end of the last signal's
 * validity, or 15 minutes after the next candle's close if that is later, until the next signal (`untilMs` if there is
 * none). Without a next candle the market counts as closed, and no time is lost. null: none.
 */
export function staleInterval(slot: SlotOfPlan, late: SignalBeforeGap, untilMs: number): TimeInterval | null {
  const { timeframe, calendar } = slot;
  if (late.nextCandleMs === null) return null;
  const closed = candleCloseAt(new Date(late.nextCandleMs), timeframe);
  const awaitedMs = addOpenMinutes(calendar, closed, LATE_MINUTES).getTime();
  const validMs = signalValidUntil(slot, new Date(late.tsMs)).getTime();
  const fromMs = Math.max(validMs, awaitedMs);
  const toMs = late.nextMadeMs ?? untilMs;
  return toMs > fromMs ? { fromMs, toMs } : null;
}

/**
 * The minutes of a window in which at least `share` (0 to 1) of the slots with an open market had no fresh signal,
 * because the service was down (`away`) or the signals were stale. Merged into intervals.
 */
export function lostIntervals(
  window: TimeInterval,
  slots: readonly (SlotOfPlan & { stale: readonly TimeInterval[] })[],
  away: readonly TimeInterval[],
  share: number,
): TimeInterval[] {
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
  const found: TimeInterval[] = [];
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

/** An array with one entry per minute of the window: 1 if the minute begins within an interval, else 0. */
function mark(window: TimeInterval, length: number, stretches: readonly TimeInterval[]): Uint8Array {
  const marked = new Uint8Array(length);
  for (const { fromMs, toMs } of stretches) {
    const from = Math.max(0, Math.ceil((fromMs - window.fromMs) / MINUTE_MS));
    const to = Math.min(length, Math.ceil((toMs - window.fromMs) / MINUTE_MS));
    if (to > from) marked.fill(1, from, to);
  }
  return marked;
}

/** The intervals clipped to a window. */
export function clipIntervals(stretches: readonly TimeInterval[], window: TimeInterval): TimeInterval[] {
  return stretches.flatMap(({ fromMs, toMs }) => {
    const from = Math.max(fromMs, window.fromMs);
    const to = Math.min(toMs, window.toMs);
    return to > from ? [{ fromMs: from, toMs: to }] : [];
  });
}

export function totalMinutes(stretches: readonly TimeInterval[]): number {
  return Math.round(stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / MINUTE_MS);
}
