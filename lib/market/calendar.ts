/**
 * When markets trade, in New York time, and how much open time lies between two instants.
 *
 * FX trades from Sunday 17:00 to Friday 17:00 New York; metals the same less the 17:00 hour of each day;
 * crypto always. Holidays are not known here.
 *
 * Daylight saving is computed from the US rule instead of being asked of Intl, which is some hundred times slower.
 * The clocks change on Sunday 02:00, while every New York calendar is closed, so elapsed open time can be counted
 * on the wall clock; this is what makes `openMinutesBetween` plain arithmetic.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "@/lib/time";
import type { CalendarName } from "@/lib/vocabulary";

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

/** Whether the market trades at that instant; the opening instant is open, the closing instant is not. */
export function isMarketOpen(calendar: Calendar, at: Instant): boolean {
  const week = TRADING_WEEK[calendar];
  const sinceSundayMs = remainder(clockMs(week, epochMs(at)) - FIRST_SUNDAY_MS, WEEK_MS);
  const sinceOpenMs = sinceSundayMs - week.firstOpenMs;
  if (sinceOpenMs < 0 || sinceOpenMs >= week.sessions * DAY_MS) return false;
  return remainder(sinceOpenMs, DAY_MS) < week.sessionMs;
}

/** Open ms from a fixed Sunday up to an instant: constant while closed, growing as the clock while open. */
function openMsUpTo(week: TradingWeek, atMs: number): number {
  const sinceStartMs = clockMs(week, atMs) - FIRST_SUNDAY_MS;
  const weeks = Math.floor(sinceStartMs / WEEK_MS);
  const sinceOpenMs = Math.max(0, sinceStartMs - weeks * WEEK_MS - week.firstOpenMs);
  const sessions = Math.min(week.sessions, Math.floor(sinceOpenMs / DAY_MS));
  const partMs = sessions === week.sessions ? 0 : Math.min(week.sessionMs, sinceOpenMs - sessions * DAY_MS);
  return (weeks * week.sessions + sessions) * week.sessionMs + partMs;
}

/** Minutes, with fraction, during which the market was open from `from` to `to`; 0 when `to` is not later. */
export function openMinutesBetween(calendar: Calendar, from: Instant, to: Instant): number {
  const fromMs = epochMs(from);
  const toMs = epochMs(to);
  if (toMs <= fromMs) return 0;
  const week = TRADING_WEEK[calendar];
  return (openMsUpTo(week, toMs) - openMsUpTo(week, fromMs)) / MINUTE_MS;
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
  const targetMs = openMsUpTo(week, epochMs(from)) + Math.round(minutes * MINUTE_MS);
  const session = Math.floor(targetMs / week.sessionMs);
  const weeks = Math.floor(session / week.sessions);
  const sessionOpenMs =
    FIRST_SUNDAY_MS + weeks * WEEK_MS + week.firstOpenMs + (session - weeks * week.sessions) * DAY_MS;
  return new Date(instantOfClock(week, sessionOpenMs + (targetMs - session * week.sessionMs)));
}

/** Hour of the New York clock, 0..23. */
export function newYorkHour(at: Instant): number {
  const atMs = epochMs(at);
  return Math.floor(remainder(atMs + newYorkOffsetMs(atMs), DAY_MS) / HOUR_MS);
}

/** Day of the week in New York, 0 Sunday to 6 Saturday. */
export function newYorkWeekday(at: Instant): number {
  const atMs = epochMs(at);
  return Math.floor(remainder(atMs + newYorkOffsetMs(atMs) - FIRST_SUNDAY_MS, WEEK_MS) / DAY_MS);
}
