/**
 * When markets trade, and how much open time lies between two instants.
 *
 * FX trades from Sunday 17:00 to Friday 17:00 New York; metals, energies and US indices the same less the
 * 17:00 hour of each day; US shares from 9:30 to 16:00; crypto always. Operators' calendars are in
 * `operator-calendars.ts`, holidays and early closes in `holidays.ts`, operators' changes to them in
 * `day-overrides.ts`.
 *
 * New York's daylight saving is computed from the US rule, because Intl is about a hundred times slower; offsets of
 * other zones come from Intl. Clocks change while the market is closed, so open time can be counted on the wall
 * clock; this makes `openMinutesBetween` plain arithmetic.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "@/lib/time";
import type { BuiltInCalendar, CalendarName } from "@/lib/vocabulary";
import { wallTime } from "./clock";
import { closuresWithOverrides, currentDayOverrides, type DayOverride } from "./day-overrides";
import { type Closure, wholeDayClosure } from "./holidays";
import {
  currentOperatorCalendars,
  findOperatorCalendar,
  type OpenSpan,
  type OperatorCalendar,
  parseHours,
} from "./operator-calendars";

/** A `Date`, or epoch ms where a loop over candles would otherwise make a `Date` for each. */
export type Instant = Date | number;

/** 1970-01-04 00:00, a Sunday, on the clock of the trading week. */
const FIRST_SUNDAY_MS = 3 * DAY_MS;

/** The open hours of a week, on the clock of a time zone. */
interface TradingWeek {
  zone: string;
  /** Open spans in order; spans that touch within the week are one. `beforeMs`: the week's open time before a span. */
  spans: readonly (OpenSpan & { beforeMs: number })[];
  /** Open time per week. */
  openMs: number;
}

const NEW_YORK = "America/New_York";

function weekOf(zone: string, open: readonly OpenSpan[]): TradingWeek {
  let openMs = 0;
  const spans = open.map((span) => {
    const beforeMs = openMs;
    openMs += span.toMs - span.fromMs;
    return { ...span, beforeMs };
  });
  return { zone, spans, openMs };
}

/** Sessions of `sessionMs` on five consecutive days; the first opens `firstOpenMs` after Sunday 00:00. */
const fiveSessions = (firstOpenMs: number, sessionMs: number): OpenSpan[] =>
  [0, 1, 2, 3, 4].map((day) => {
    const fromMs = firstOpenMs + day * DAY_MS;
    return { fromMs, toMs: fromMs + sessionMs };
  });

const futures = weekOf(NEW_YORK, fiveSessions(18 * HOUR_MS, 23 * HOUR_MS));
const BUILT_IN: Record<BuiltInCalendar, TradingWeek> = {
  fx: weekOf(NEW_YORK, [{ fromMs: 17 * HOUR_MS, toMs: 17 * HOUR_MS + 5 * DAY_MS }]),
  metal: futures,
  energy: futures,
  us_index: futures,
  us_share: weekOf(NEW_YORK, fiveSessions(DAY_MS + 9.5 * HOUR_MS, 6.5 * HOUR_MS)),
  crypto: weekOf("UTC", [{ fromMs: 0, toMs: WEEK_MS }]),
};

const builtInWeeks: ReadonlyMap<string, TradingWeek> = new Map(Object.entries(BUILT_IN));
const operatorWeeks = new WeakMap<OperatorCalendar, TradingWeek>();

/**
 * The trading week of a calendar; that of FX if this process does not hold the calendar or cannot read its hours.
 */
function tradingWeek(calendar: CalendarName): TradingWeek {
  const builtIn = builtInWeeks.get(calendar);
  if (builtIn !== undefined) return builtIn;
  const own = findOperatorCalendar(calendar);
  if (own === undefined) return BUILT_IN.fx;
  const known = operatorWeeks.get(own);
  if (known !== undefined) return known;
  const spans = parseHours(own.hours);
  const week = typeof spans === "string" ? BUILT_IN.fx : weekOf(own.timeZone, spans);
  operatorWeeks.set(own, week);
  return week;
}

/** The last span of a week that begins at or before an instant in it. */
function spanAt({ spans }: TradingWeek, sinceSundayMs: number) {
  for (let i = spans.length - 1; i >= 0; i--) {
    const span = spans[i];
    if (span !== undefined && span.fromMs <= sinceSundayMs) return span;
  }
  return undefined;
}

/** A period in which New York has a constant offset from UTC. */
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

// Consecutive calls nearly always fall into the same period, so the last period is tried first.
let lastPeriod: OffsetPeriod = { fromMs: 0, toMs: 0, offsetMs: EST_MS };

function newYorkOffsetMs(atMs: number): number {
  if (atMs >= lastPeriod.fromMs && atMs < lastPeriod.toMs) return lastPeriod.offsetMs;
  const [winter, summer, autumn] = periodsOf(new Date(atMs).getUTCFullYear());
  lastPeriod = atMs < summer.fromMs ? winter : atMs < autumn.fromMs ? summer : autumn;
  return lastPeriod.offsetMs;
}

const zoneDays = new Map<string, readonly number[]>();

/**
 * A zone's offset from UTC, from a table by day. On days with a clock change, Intl computes it for the instant itself.
 */
function zoneOffsetMs(zone: string, atMs: number): number {
  const year = new Date(atMs).getUTCFullYear();
  const firstMs = Date.UTC(year, 0, 1);
  const key = `${zone} ${year}`;
  let days = zoneDays.get(key);
  if (days === undefined) {
    days = Array.from({ length: 367 }, (_, day) => offsetAt(zone, firstMs + day * DAY_MS));
    zoneDays.set(key, days);
  }
  const day = Math.floor((atMs - firstMs) / DAY_MS);
  const offset = days[day] ?? 0;
  return offset === days[day + 1] ? offset : offsetAt(zone, atMs);
}

const offsetAt = (zone: string, atMs: number): number =>
  wallTime({ kind: "local", zone, addMinutes: 0 }, new Date(atMs)).getTime() - atMs;

function offsetMs(zone: string, atMs: number): number {
  if (zone === "UTC") return 0;
  return zone === NEW_YORK ? newYorkOffsetMs(atMs) : zoneOffsetMs(zone, atMs);
}

/**
 * Start of the hour in which a zone's clocks next change during open hours; null if there is no such change within
 * three years of `from`.
 */
export function clockChangeWhileOpen(open: readonly OpenSpan[], zone: string, from: Date): Date | null {
  const week = weekOf(zone, open);
  for (let hour = 0; hour < 3 * 366 * 24; hour++) {
    const atMs = Math.floor(from.getTime() / HOUR_MS) * HOUR_MS + hour * HOUR_MS;
    const [before, after] = [offsetMs(zone, atMs), offsetMs(zone, atMs + HOUR_MS)];
    if (before === after) continue;
    for (const shownMs of [atMs + before, atMs + HOUR_MS + before, atMs + HOUR_MS + after]) {
      const sinceSundayMs = remainder(shownMs - FIRST_SUNDAY_MS, WEEK_MS);
      const span = spanAt(week, sinceSundayMs);
      if (span !== undefined && sinceSundayMs < span.toMs) return new Date(atMs);
    }
  }
  return null;
}

const clockMs = (week: TradingWeek, atMs: number): number => atMs + offsetMs(week.zone, atMs);

function remainder(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

function epochMs(at: Instant): number {
  const atMs = typeof at === "number" ? at : at.getTime();
  if (!Number.isFinite(atMs)) throw new RangeError("not an instant");
  return atMs;
}

/** A closure, with the open time that it removes (`lostMs`) and that all earlier closures remove (`lostBeforeMs`). */
interface CountedClosure extends Omit<Closure, "name"> {
  lostMs: number;
  lostBeforeMs: number;
}

const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;
const closuresByCalendar = new Map<CalendarName, readonly CountedClosure[]>();
/** The overrides and (`countedOperatorCalendars`) the operators' calendars with which `closuresByCalendar` was computed. */
let countedWith: readonly DayOverride[] | null = null;
let countedOperatorCalendars: readonly OperatorCalendar[] | null = null;

function closures(calendar: CalendarName): readonly CountedClosure[] {
  const days = currentDayOverrides();
  const own = currentOperatorCalendars();
  if (days !== countedWith || own !== countedOperatorCalendars) {
    closuresByCalendar.clear();
    countedWith = days;
    countedOperatorCalendars = own;
  }
  const known = closuresByCalendar.get(calendar);
  if (known) return known;
  const week = tradingWeek(calendar);
  let lostBeforeMs = 0;
  const counted: CountedClosure[] = [];
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
    for (const { fromMs, toMs } of closuresWithOverrides(days, calendar, year)) {
      const lostMs = weekOpenMs(week, toMs) - weekOpenMs(week, fromMs);
      // A closure at a weekend removes no open time.
      if (lostMs > 0) counted.push({ fromMs, toMs, lostMs, lostBeforeMs });
      lostBeforeMs += lostMs;
    }
  }
  closuresByCalendar.set(calendar, counted);
  return counted;
}

/** The last closure that begins at or before a wall-clock time. */
function lastClosure(calendar: CalendarName, shownMs: number): CountedClosure | undefined {
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
export function isMarketOpen(calendar: CalendarName, at: Instant): boolean {
  const week = tradingWeek(calendar);
  const shownMs = clockMs(week, epochMs(at));
  const sinceSundayMs = remainder(shownMs - FIRST_SUNDAY_MS, WEEK_MS);
  const span = spanAt(week, sinceSundayMs);
  if (span === undefined || sinceSundayMs >= span.toMs) return false;
  const closure = lastClosure(calendar, shownMs);
  return closure === undefined || shownMs >= closure.toMs;
}

/** Open time from a fixed Sunday to an instant, in ms, less closures. It grows only while the market is open. */
function openMsUpTo(calendar: CalendarName, atMs: number): number {
  const week = tradingWeek(calendar);
  const shownMs = clockMs(week, atMs);
  const openMs = weekOpenMs(week, shownMs);
  const closure = lastClosure(calendar, shownMs);
  if (closure === undefined) return openMs;
  const lostMs = shownMs >= closure.toMs ? closure.lostMs : openMs - weekOpenMs(week, closure.fromMs);
  return openMs - closure.lostBeforeMs - lostMs;
}

/** Open time from `FIRST_SUNDAY_MS` to a wall-clock time, in ms, as if there were no closures. */
function weekOpenMs(week: TradingWeek, shownMs: number): number {
  const sinceStartMs = shownMs - FIRST_SUNDAY_MS;
  const weeks = Math.floor(sinceStartMs / WEEK_MS);
  const sinceSundayMs = sinceStartMs - weeks * WEEK_MS;
  const span = spanAt(week, sinceSundayMs);
  const partMs = span === undefined ? 0 : span.beforeMs + Math.min(span.toMs, sinceSundayMs) - span.fromMs;
  return weeks * week.openMs + partMs;
}

/** Open minutes of a trading day (`YYYY-MM-DD`), by the weekly hours, the holiday rules and these overrides. */
export function openMinutesOfDay(days: readonly DayOverride[], calendar: CalendarName, day: string): number {
  const week = tradingWeek(calendar);
  const whole = wholeDayClosure(calendar, { ms: Date.parse(day), name: "" });
  const openMs = (fromMs: number, toMs: number) => weekOpenMs(week, toMs) - weekOpenMs(week, fromMs);
  const lostMs = closuresWithOverrides(days, calendar, Number(day.slice(0, 4)))
    .filter(({ fromMs, toMs }) => fromMs < whole.toMs && toMs > whole.fromMs)
    .map(({ fromMs, toMs }) => openMs(Math.max(fromMs, whole.fromMs), Math.min(toMs, whole.toMs)))
    .reduce((sum, ms) => sum + ms, 0);
  return (openMs(whole.fromMs, whole.toMs) - lostMs) / MINUTE_MS;
}

/** Minutes, with fraction, during which the market was open from `from` to `to`; 0 when `to` is not later. */
export function openMinutesBetween(calendar: CalendarName, from: Instant, to: Instant): number {
  const fromMs = epochMs(from);
  const toMs = epochMs(to);
  if (toMs <= fromMs) return 0;
  return (openMsUpTo(calendar, toMs) - openMsUpTo(calendar, fromMs)) / MINUTE_MS;
}

/**
 * The instant at which the clock of a trading week shows `shownMs`. It is unique in open hours: clocks change only
 * while the market is closed.
 */
function instantOfClock(week: TradingWeek, shownMs: number): number {
  const guessMs = shownMs - offsetMs(week.zone, shownMs);
  return shownMs - offsetMs(week.zone, guessMs);
}

/**
 * The last instant up to which at most `minutes` open minutes have passed since `from`. If these minutes end exactly at
 * a close, the result is the next opening, because no open time passes in between. Throws RangeError for minutes that
 * are negative or not finite.
 */
export function addOpenMinutes(calendar: CalendarName, from: Instant, minutes: number): Date {
  if (!(minutes >= 0 && Number.isFinite(minutes)))
    throw new RangeError("minutes must be a finite number that is not negative");
  const week = tradingWeek(calendar);
  const targetMs = openMsUpTo(calendar, epochMs(from)) + Math.round(minutes * MINUTE_MS);
  // Every closure before the result moves it later, perhaps into the next closure.
  let lostMs = 0;
  for (;;) {
    const shownMs = shownAfter(week, targetMs + lostMs);
    const closure = lastClosure(calendar, shownMs);
    const lostByThen = closure === undefined ? 0 : closure.lostBeforeMs + closure.lostMs;
    if (lostByThen === lostMs) return new Date(instantOfClock(week, shownMs));
    lostMs = lostByThen;
  }
}

/**
 * The wall-clock time at which `openMs` of open time have passed since `FIRST_SUNDAY_MS`, as if there were no closures.
 */
function shownAfter(week: TradingWeek, openMs: number): number {
  const weeks = Math.floor(openMs / week.openMs);
  const restMs = openMs - weeks * week.openMs;
  const span = week.spans.findLast(({ beforeMs }) => beforeMs <= restMs);
  const shownMs = span === undefined ? 0 : span.fromMs + restMs - span.beforeMs;
  return FIRST_SUNDAY_MS + weeks * WEEK_MS + shownMs;
}

/** Time of the week on the New York clock, in ms since Sunday 00:00. */
export function newYorkTimeOfWeekMs(at: Instant): number {
  const atMs = epochMs(at);
  return remainder(atMs + newYorkOffsetMs(atMs) - FIRST_SUNDAY_MS, WEEK_MS);
}

/** Hour of the New York clock, 0..23. */
export function newYorkHour(at: Instant): number {
  return Math.floor(remainder(newYorkTimeOfWeekMs(at), DAY_MS) / HOUR_MS);
}

/** Day of the week in New York, 0 Sunday to 6 Saturday. */
export function newYorkWeekday(at: Instant): number {
  return Math.floor(newYorkTimeOfWeekMs(at) / DAY_MS);
}
