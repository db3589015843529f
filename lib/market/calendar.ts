/**
 * When markets trade, in New York time, and how much open time lies between two instants.
 *
 * FX trades from Sunday 17:00 to Friday 17:00 New York; metals, energies and US indices the same less the 17:00 hour of
 * each day; US shares from 9:30 to 16:00; crypto always. Holidays and early closes are in `holidays.ts`, and what an
 * operator says beside them in `calendar-days.ts`.
 *
 * Daylight saving is computed from the US rule instead of being asked of Intl, which is some hundred times slower.
 * The clocks change on Sunday 02:00, while every New York calendar is closed, so elapsed open time can be counted
 * on the wall clock; this is what makes `openMinutesBetween` plain arithmetic.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "@/lib/time";
import type { CalendarName } from "@/lib/vocabulary";
import { closuresWith, heldCalendarDays, type SaidDay } from "./calendar-days";
import { type Closure, wholeDay } from "./holidays";

export type Calendar = CalendarName;

/** A `Date`, or epoch ms where a loop over candles would otherwise make a `Date` for each. */
export type Instant = Date | number;

/** 1970-01-04 00:00, a Sunday, on the clock of the trading week. */
const FIRST_SUNDAY_MS = 3 * DAY_MS;

/** A trading week: `sessions` sessions of `sessionMs`, one a day, the first `firstOpenMs` after Sunday 00:00. */
interface TradingWeek {
  clock: "new_york" | "utc";
  firstOpenMs: number;
  sessions: number;
  sessionMs: number;
}

const TRADING_WEEK: Record<Calendar, TradingWeek> = {
  fx: { clock: "new_york", firstOpenMs: 17 * HOUR_MS, sessions: 5, sessionMs: DAY_MS },
  metal: { clock: "new_york", firstOpenMs: 18 * HOUR_MS, sessions: 5, sessionMs: 23 * HOUR_MS },
  energy: { clock: "new_york", firstOpenMs: 18 * HOUR_MS, sessions: 5, sessionMs: 23 * HOUR_MS },
  us_index: { clock: "new_york", firstOpenMs: 18 * HOUR_MS, sessions: 5, sessionMs: 23 * HOUR_MS },
  us_share: { clock: "new_york", firstOpenMs: DAY_MS + 9.5 * HOUR_MS, sessions: 5, sessionMs: 6.5 * HOUR_MS },
  crypto: { clock: "utc", firstOpenMs: 0, sessions: 7, sessionMs: DAY_MS },
};

/** A stretch of constant offset of the New York clock from UTC. */
interface OffsetPeriod {
  fromMs: number;
  toMs: number;
  offsetMs: number;
}

const EST_MS = -5 * HOUR_MS;
const EDT_MS = -4 * HOUR_MS;

/** Day of the month of the first Sunday on or after `day`. */
function sundayOnOrAfter(year: number, month: number, day: number): number {
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  return day + ((7 - weekday) % 7);
}

/**
 * The instants of a year at which New York's clocks go forward (02:00 EST) and back (02:00 EDT).
 * Source: Energy Policy Act of 2005 from 2007 on (second Sunday of March, first of November);
 * before it, since 1987, first Sunday of April and last of October, which is applied to earlier years as well.
 */
function daylightSaving(year: number): { startMs: number; endMs: number } {
  const [startMonth, startDay, endMonth, endDay] =
    year >= 2007
      ? [2, sundayOnOrAfter(year, 2, 8), 10, sundayOnOrAfter(year, 10, 1)]
      : [3, sundayOnOrAfter(year, 3, 1), 9, sundayOnOrAfter(year, 9, 25)];
  return {
    startMs: Date.UTC(year, startMonth, startDay, 2) - EST_MS,
    endMs: Date.UTC(year, endMonth, endDay, 2) - EDT_MS,
  };
}

const periodsByYear = new Map<number, readonly [OffsetPeriod, OffsetPeriod, OffsetPeriod]>();

function periodsOf(year: number): readonly [OffsetPeriod, OffsetPeriod, OffsetPeriod] {
  const known = periodsByYear.get(year);
  if (known) return known;
  const { startMs, endMs } = daylightSaving(year);
  const periods = [
    { fromMs: Date.UTC(year, 0, 1), toMs: startMs, offsetMs: EST_MS },
    { fromMs: startMs, toMs: endMs, offsetMs: EDT_MS },
    { fromMs: endMs, toMs: Date.UTC(year + 1, 0, 1), offsetMs: EST_MS },
  ] as const;
  periodsByYear.set(year, periods);
  return periods;
}

// Consecutive calls nearly always ask about the same half-year, so the period of the last call is tried first.
let lastPeriod: OffsetPeriod = { fromMs: 0, toMs: 0, offsetMs: EST_MS };

function newYorkOffsetMs(atMs: number): number {
  if (atMs >= lastPeriod.fromMs && atMs < lastPeriod.toMs) return lastPeriod.offsetMs;
  const [winter, summer, autumn] = periodsOf(new Date(atMs).getUTCFullYear());
  lastPeriod = atMs < summer.fromMs ? winter : atMs < autumn.fromMs ? summer : autumn;
  return lastPeriod.offsetMs;
}

function clockMs(week: TradingWeek, atMs: number): number {
  return week.clock === "utc" ? atMs : atMs + newYorkOffsetMs(atMs);
}

function remainder(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

function epochMs(at: Instant): number {
  const atMs = typeof at === "number" ? at : at.getTime();
  if (!Number.isFinite(atMs)) throw new RangeError("not an instant");
  return atMs;
}

/** A closure with how much of the trading week it and all before it took away. */
interface CountedClosure extends Omit<Closure, "name"> {
  lostMs: number;
  lostBeforeMs: number;
}

const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;
const closuresByCalendar = new Map<Calendar, readonly CountedClosure[]>();
/** The days that the closures above were counted with. */
let countedWith: readonly SaidDay[] | null = null;

function closures(calendar: Calendar): readonly CountedClosure[] {
  const days = heldCalendarDays();
  if (days !== countedWith) {
    closuresByCalendar.clear();
    countedWith = days;
  }
  const known = closuresByCalendar.get(calendar);
  if (known) return known;
  const week = TRADING_WEEK[calendar];
  let lostBeforeMs = 0;
  const counted: CountedClosure[] = [];
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
    for (const { fromMs, toMs } of closuresWith(days, calendar, year)) {
      const lostMs = weekOpenMs(week, toMs) - weekOpenMs(week, fromMs);
      // One that lies on a weekend takes nothing away.
      if (lostMs > 0) counted.push({ fromMs, toMs, lostMs, lostBeforeMs });
      lostBeforeMs += lostMs;
    }
  }
  closuresByCalendar.set(calendar, counted);
  return counted;
}

/** The last closure that begins at or before what the clock shows. */
function lastClosure(calendar: Calendar, shownMs: number): CountedClosure | undefined {
  const all = closures(calendar);
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.fromMs ?? 0) <= shownMs) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}

/** Whether the market trades at that instant; the opening instant is open, the closing instant is not. */
export function isMarketOpen(calendar: Calendar, at: Instant): boolean {
  const week = TRADING_WEEK[calendar];
  const shownMs = clockMs(week, epochMs(at));
  const sinceSundayMs = remainder(shownMs - FIRST_SUNDAY_MS, WEEK_MS);
  const sinceOpenMs = sinceSundayMs - week.firstOpenMs;
  if (sinceOpenMs < 0 || sinceOpenMs >= week.sessions * DAY_MS) return false;
  if (remainder(sinceOpenMs, DAY_MS) >= week.sessionMs) return false;
  const closure = lastClosure(calendar, shownMs);
  return closure === undefined || shownMs >= closure.toMs;
}

/** Open ms from a fixed Sunday up to an instant: constant while closed, growing as the clock while open. */
function openMsUpTo(calendar: Calendar, atMs: number): number {
  const week = TRADING_WEEK[calendar];
  const shownMs = clockMs(week, atMs);
  const openMs = weekOpenMs(week, shownMs);
  const closure = lastClosure(calendar, shownMs);
  if (closure === undefined) return openMs;
  const lostMs = shownMs >= closure.toMs ? closure.lostMs : openMs - weekOpenMs(week, closure.fromMs);
  return openMs - closure.lostBeforeMs - lostMs;
}

/** The same by the trading week alone, without holidays. */
function weekOpenMs(week: TradingWeek, shownMs: number): number {
  const sinceStartMs = shownMs - FIRST_SUNDAY_MS;
  const weeks = Math.floor(sinceStartMs / WEEK_MS);
  const sinceOpenMs = Math.max(0, sinceStartMs - weeks * WEEK_MS - week.firstOpenMs);
  const sessions = Math.min(week.sessions, Math.floor(sinceOpenMs / DAY_MS));
  const partMs = sessions === week.sessions ? 0 : Math.min(week.sessionMs, sinceOpenMs - sessions * DAY_MS);
  return (weeks * week.sessions + sessions) * week.sessionMs + partMs;
}

/** How long the market is open on a trading day, by the rules and by what is said beside them: minutes. */
export function openMinutesOfDay(days: readonly SaidDay[], calendar: Calendar, day: string): number {
  const week = TRADING_WEEK[calendar];
  const whole = wholeDay(calendar, { ms: Date.parse(day), name: "" });
  const openMs = (fromMs: number, toMs: number) => weekOpenMs(week, toMs) - weekOpenMs(week, fromMs);
  const lostMs = closuresWith(days, calendar, Number(day.slice(0, 4)))
    .filter(({ fromMs, toMs }) => fromMs < whole.toMs && toMs > whole.fromMs)
    .map(({ fromMs, toMs }) => openMs(Math.max(fromMs, whole.fromMs), Math.min(toMs, whole.toMs)))
    .reduce((sum, ms) => sum + ms, 0);
  return (openMs(whole.fromMs, whole.toMs) - lostMs) / MINUTE_MS;
}

/** Minutes, with fraction, during which the market was open from `from` to `to`; 0 when `to` is not later. */
export function openMinutesBetween(calendar: Calendar, from: Instant, to: Instant): number {
  const fromMs = epochMs(from);
  const toMs = epochMs(to);
  if (toMs <= fromMs) return 0;
  return (openMsUpTo(calendar, toMs) - openMsUpTo(calendar, fromMs)) / MINUTE_MS;
}

/** The instant at which the New York or UTC clock of a trading week shows `shownMs`; it shows no opening time twice. */
function instantOfClock(week: TradingWeek, shownMs: number): number {
  if (week.clock === "utc") return shownMs;
  const winterMs = shownMs - EST_MS;
  return shownMs - newYorkOffsetMs(winterMs);
}

/**
 * The last instant up to which no more than `minutes` open minutes have passed since `from`. When they run out
 * exactly as the market closes, that is the next opening: until then no further minute passes.
 */
export function addOpenMinutes(calendar: Calendar, from: Instant, minutes: number): Date {
  if (!(minutes >= 0 && Number.isFinite(minutes)))
    throw new RangeError("minutes must be a finite number that is not negative");
  const week = TRADING_WEEK[calendar];
  const targetMs = openMsUpTo(calendar, epochMs(from)) + Math.round(minutes * MINUTE_MS);
  // Each holiday that the answer meets moves it on, perhaps into the next one.
  let lostMs = 0;
  for (;;) {
    const shownMs = shownAfter(week, targetMs + lostMs);
    const closure = lastClosure(calendar, shownMs);
    const lostByThen = closure === undefined ? 0 : closure.lostBeforeMs + closure.lostMs;
    if (lostByThen === lostMs) return new Date(instantOfClock(week, shownMs));
    lostMs = lostByThen;
  }
}

/** What the clock shows after so much open time of the trading week. */
function shownAfter(week: TradingWeek, openMs: number): number {
  const session = Math.floor(openMs / week.sessionMs);
  const weeks = Math.floor(session / week.sessions);
  const sessionOpenMs =
    FIRST_SUNDAY_MS + weeks * WEEK_MS + week.firstOpenMs + (session - weeks * week.sessions) * DAY_MS;
  return sessionOpenMs + (openMs - session * week.sessionMs);
}

/** Time of the week on the New York clock, in ms since Sunday 00:00. */
export function newYorkWeekMs(at: Instant): number {
  const atMs = epochMs(at);
  return remainder(atMs + newYorkOffsetMs(atMs) - FIRST_SUNDAY_MS, WEEK_MS);
}

/** Hour of the New York clock, 0..23. */
export function newYorkHour(at: Instant): number {
  return Math.floor(remainder(newYorkWeekMs(at), DAY_MS) / HOUR_MS);
}

/** Day of the week in New York, 0 Sunday to 6 Saturday. */
export function newYorkWeekday(at: Instant): number {
  return Math.floor(newYorkWeekMs(at) / DAY_MS);
}
