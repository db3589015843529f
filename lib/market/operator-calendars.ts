/**
 * Operators' calendars: weekly hours on the clock of a time zone, and yearly days without trading. They are
 * stored as rows, and every process holds a copy, like the days of `day-overrides.ts`.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "@/lib/time";
import { isTimeZone } from "./clock";

export interface OperatorCalendar {
  name: string;
  title: string;
  /** IANA name. */
  timeZone: string;
  /**
   * Opening hours of one weekday or of several per line, such as `Mon-Fri 09:00-17:30`. An end at or before the start
   * is on the next day.
   */
  hours: readonly string[];
  /**
   * Days without trading, one rule per line: `12-25`, `easter-2`, `first monday 05`, `last monday 08`. With `observed`
   * behind it, a day on a weekend moves to the next weekday that is no other holiday: `12-26 observed`.
   */
  holidays: readonly string[];
}

/** A span of the week in which a market is open, in ms after Sunday 00:00 on the market's clock. */
export interface OpenSpan {
  fromMs: number;
  toMs: number;
}

const NOTHING: readonly OperatorCalendar[] = [];
const HELD = Symbol.for("signal-delivery-service.operator-calendars");
// On the global object, because pages and the API load this file separately and must share the calendars.
const holder: Record<symbol, readonly OperatorCalendar[] | undefined> = globalThis as never;

/** Replaces the operators' calendars in this process. */
export function setOperatorCalendars(calendars: readonly OperatorCalendar[]): void {
  holder[HELD] = calendars;
}

/** The operators' calendars in this process. */
export const currentOperatorCalendars = (): readonly OperatorCalendar[] => holder[HELD] ?? NOTHING;

export const findOperatorCalendar = (name: string): OperatorCalendar | undefined =>
  currentOperatorCalendars().find((calendar) => calendar.name === name);

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const LINE =
  /^(sun|mon|tue|wed|thu|fri|sat)(?:-(sun|mon|tue|wed|thu|fri|sat))? ([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/**
 * Parses the open spans of a week, in order and joined where they touch. Returns an error message if the lines are
 * invalid.
 */
export function parseHours(lines: readonly string[]): OpenSpan[] | string {
  const spans: OpenSpan[] = [];
  for (const line of lines) {
    const [, first = "", last = first, ...times] = LINE.exec(line.trim().toLowerCase()) ?? [];
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = times.map(Number);
    if (first === "" || toHour * 60 + toMinute > 1_440)
      return `cannot read "${line}": write Mon-Fri 09:00-17:30`;
    const open = fromHour * HOUR_MS + fromMinute * MINUTE_MS;
    const close = toHour * HOUR_MS + toMinute * MINUTE_MS;
    const lengthMs = close > open ? close - open : close + DAY_MS - open;
    const start = DAYS.indexOf(first);
    const days = ((DAYS.indexOf(last) - start + 7) % 7) + 1;
    for (let i = 0; i < days; i++) {
      const fromMs = ((start + i) % 7) * DAY_MS + open;
      spans.push({ fromMs, toMs: Math.min(fromMs + lengthMs, WEEK_MS) });
      // A span across the end of Saturday continues at the start of the week.
      if (fromMs + lengthMs > WEEK_MS) spans.push({ fromMs: 0, toMs: fromMs + lengthMs - WEEK_MS });
    }
  }
  if (spans.length === 0) return "must have at least one line such as Mon-Fri 09:00-17:30";
  const joined: OpenSpan[] = [];
  for (const span of spans.sort((a, b) => a.fromMs - b.fromMs)) {
    const before = joined.at(-1);
    if (before && span.fromMs < before.toMs) return "has hours that overlap";
    if (before && span.fromMs === before.toMs) before.toMs = span.toMs;
    else joined.push({ ...span });
  }
  return joined;
}

const OBSERVED = / observed$/;
/** Whether a holiday rule moves a holiday on a weekend to the next weekday. */
export const isObservedHolidayRule = (rule: string): boolean => OBSERVED.test(rule.trim().toLowerCase());

const MONTH_DAY = /^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const EASTER = /^easter(?:([+-])([1-9]\d?))?$/;
const NTH =
  /^(first|second|third|fourth|last) (sunday|monday|tuesday|wednesday|thursday|friday|saturday) (0[1-9]|1[0-2])$/;
const ORDINALS = ["first", "second", "third", "fourth"];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * Midnight of the holiday that a rule gives in a year, before an `observed` one is moved. Null for an invalid rule, and
 * for a day that the year does not have.
 *
 * @param easterMs midnight of the year's Easter Sunday
 */
export function holidayMs(rule: string, year: number, easterMs: number): number | null {
  const text = rule.trim().toLowerCase().replace(OBSERVED, "");
  const fixed = MONTH_DAY.exec(text);
  if (fixed) {
    const ms = Date.UTC(year, Number(fixed[1]) - 1, Number(fixed[2]));
    return new Date(ms).getUTCMonth() === Number(fixed[1]) - 1 ? ms : null;
  }
  const easter = EASTER.exec(text);
  if (easter) return easterMs + (easter[1] === "-" ? -1 : 1) * Number(easter[2] ?? 0) * DAY_MS;
  const [, ordinal, weekday = "", month] = NTH.exec(text) ?? [];
  if (ordinal === undefined) return null;
  const wanted = WEEKDAYS.indexOf(weekday);
  if (ordinal === "last") {
    const lastMs = Date.UTC(year, Number(month), 0);
    return lastMs - ((new Date(lastMs).getUTCDay() - wanted + 7) % 7) * DAY_MS;
  }
  const firstMs = Date.UTC(year, Number(month) - 1, 1);
  const days = ((wanted - new Date(firstMs).getUTCDay() + 7) % 7) + 7 * ORDINALS.indexOf(ordinal);
  return firstMs + days * DAY_MS;
}

const SOME_LEAP_YEAR = 2028;

/**
 * Why a calendar cannot be stored, with the invalid property; null if it can.
 *
 * @param findClockChange returns the next clock change of a zone during open hours, or null
 */
export function calendarProblem(
  calendar: OperatorCalendar,
  findClockChange: (spans: readonly OpenSpan[], zone: string) => Date | null,
): { property: "timeZone" | "hours" | "holidays"; text: string } | null {
  if (!isTimeZone(calendar.timeZone)) return { property: "timeZone", text: "is not a known time zone" };
  const spans = parseHours(calendar.hours);
  if (typeof spans === "string") return { property: "hours", text: spans };
  const unread = calendar.holidays.find((rule) => holidayMs(rule, SOME_LEAP_YEAR, 0) === null);
  if (unread !== undefined)
    return {
      property: "holidays",
      text: `cannot read "${unread}": write 12-25, easter-2 or first monday 05`,
    };
  const changed = findClockChange(spans, calendar.timeZone);
  return changed === null
    ? null
    : {
        property: "hours",
        text: `must be closed when the clocks of ${calendar.timeZone} change, as on ${changed.toISOString().slice(0, 16)} UTC; use UTC for a market that never closes`,
      };
}
