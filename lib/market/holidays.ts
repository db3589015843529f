/**
 * Holidays and early closes by rule. Those of the built-in calendars are on the New York clock, as exchanges and
 * most brokers keep them every year; those of operators' calendars (`operator-calendars.ts`) are on the calendar's
 * clock. Operators enter one-off closures, such as days of mourning, and other exceptions (`day-overrides.ts`).
 *
 * Sources: rule 7.2 of the NYSE for US shares; the holiday calendar of CME Globex for indices, metals and
 * energies, whose hours contracts for difference follow; FX pauses from 17:00 to 17:00 over Christmas and New
 * Year.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { BuiltInCalendar, CalendarName } from "@/lib/vocabulary";
import { findOperatorCalendar, holidayMs, isObservedHolidayRule } from "./operator-calendars";

/** A period without trading. Both ends are wall-clock times of the calendar's zone, stored as if they were UTC. */
export interface Closure {
  fromMs: number;
  toMs: number;
  /** Name of the holiday; on an operator's calendar its rule; empty for a day override. */
  name: string;
}

/** Midnight of a day; `month` counts from 1. */
const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date);
const weekday = (ms: number) => new Date(ms).getUTCDay();
const at = (hour: number, minute = 0) => hour * HOUR_MS + minute * MINUTE_MS;

/** The nth Monday, Thursday, ... of a month. */
function nthWeekday(year: number, month: number, wanted: number, n: number): number {
  const first = day(year, month, 1);
  return first + (((wanted - weekday(first) + 7) % 7) + 7 * (n - 1)) * DAY_MS;
}

function lastMonday(year: number, month: number): number {
  const last = day(year, month + 1, 0);
  return last - ((weekday(last) + 6) % 7) * DAY_MS;
}

/** Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and Butcher. */
export function easterSundayMs(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  return day(year, month, (h + l - 7 * m + 33 * month + 19) % 32);
}

/** A holiday on a weekend moves to the nearest weekday. */
function observed(ms: number): number {
  const offset = { 6: -1, 0: 1 }[weekday(ms)] ?? 0;
  return ms + offset * DAY_MS;
}

/** A holiday or an eve, and midnight of its day. */
interface Feast {
  ms: number;
  name: string;
}

/** US exchange holidays except Good Friday, Christmas and New Year. */
function usHolidays(year: number): Feast[] {
  return [
    ...(year >= 1998 ? [{ ms: nthWeekday(year, 1, 1, 3), name: "Martin Luther King Day" }] : []),
    { ms: nthWeekday(year, 2, 1, 3), name: "Presidents' Day" },
    { ms: lastMonday(year, 5), name: "Memorial Day" },
    ...(year >= 2022 ? [{ ms: observed(day(year, 6, 19)), name: "Juneteenth" }] : []),
    { ms: observed(day(year, 7, 4)), name: "Independence Day" },
    { ms: nthWeekday(year, 9, 1, 1), name: "Labor Day" },
    { ms: nthWeekday(year, 11, 4, 4), name: "Thanksgiving" },
  ];
}

const isWeekday = (ms: number) => weekday(ms) >= 1 && weekday(ms) <= 5;
const christmas = (year: number): Feast => ({ ms: observed(day(year, 12, 25)), name: "Christmas" });
const goodFriday = (year: number): Feast => ({ ms: easterSundayMs(year) - 2 * DAY_MS, name: "Good Friday" });
const dayAfterThanksgiving = (year: number): Feast => ({
  ms: nthWeekday(year, 11, 4, 4) + DAY_MS,
  name: "Day after Thanksgiving",
});

/** New Year on a Saturday does not move to Friday, the last day of the business year. */
function newYear(year: number): Feast {
  const first = day(year, 1, 1);
  return { ms: weekday(first) === 6 ? first : observed(first), name: "New Year" };
}

/** The eves of Independence Day and Christmas, on which markets close early, unless they are weekends or holidays. */
function eves(year: number): Feast[] {
  const holidays = [observed(day(year, 7, 4)), observed(day(year, 12, 25))];
  return [
    { ms: day(year, 7, 3), name: "Eve of Independence Day" },
    { ms: day(year, 12, 24), name: "Christmas Eve" },
  ].filter(({ ms }) => isWeekday(ms) && !holidays.includes(ms));
}

/** Start and end of a built-in calendar's trading day, in hours after its midnight. */
const DAY_ENDS: Record<BuiltInCalendar, { startsAt: number; endsAt: number }> = {
  fx: { startsAt: -7, endsAt: 17 },
  metal: { startsAt: -7, endsAt: 17 },
  energy: { startsAt: -7, endsAt: 17 },
  us_index: { startsAt: -7, endsAt: 17 },
  us_share: { startsAt: 0, endsAt: 24 },
  crypto: { startsAt: 0, endsAt: 24 },
};

const builtInEnds: ReadonlyMap<string, { startsAt: number; endsAt: number }> = new Map(
  Object.entries(DAY_ENDS),
);
// A day of an operator's calendar lasts from midnight to midnight.
const dayEnds = (calendar: CalendarName) => builtInEnds.get(calendar) ?? { startsAt: 0, endsAt: 24 };

/** Closure of a whole trading day. On calendars such as `fx` that day begins at 17:00 of the day before. */
export function wholeDayClosure(calendar: CalendarName, { ms, name }: Feast): Closure {
  const { startsAt, endsAt } = dayEnds(calendar);
  return { fromMs: ms + at(startsAt), toMs: ms + at(endsAt), name };
}

/** Closure of the rest of a trading day after an early close. */
export function earlyCloseClosure(
  calendar: CalendarName,
  { ms, name }: Feast,
  [hour, minute]: readonly [number, number],
): Closure {
  return { fromMs: ms + at(hour, minute), toMs: ms + at(dayEnds(calendar).endsAt), name };
}

/** Midnight of the trading day that a closure belongs to. */
export const closureDayMs = ({ toMs }: Closure): number => Math.floor((toMs - 1) / DAY_MS) * DAY_MS;

/**
 * Closures of futures in a year: whole days on New Year, Good Friday and Christmas, early closes at `holidayClose` on
 * other US holidays, and at `eveClose` on the day after Thanksgiving and the eves. After an early close they reopen at
 * 18:00, except on a Friday.
 */
function futures(
  calendar: CalendarName,
  year: number,
  holidayClose: [number, number],
  eveClose: [number, number],
): Closure[] {
  return [
    ...[newYear(year), goodFriday(year), christmas(year)].map((feast) => wholeDayClosure(calendar, feast)),
    ...usHolidays(year).map((feast) => earlyCloseClosure(calendar, feast, holidayClose)),
    ...[dayAfterThanksgiving(year), ...eves(year)].map((feast) =>
      earlyCloseClosure(calendar, feast, eveClose),
    ),
  ];
}

const RULES: Record<BuiltInCalendar, (year: number) => Closure[]> = {
  fx: (year) =>
    [
      { ms: day(year, 1, 1), name: "New Year" },
      { ms: day(year, 12, 25), name: "Christmas" },
    ].map((feast) => wholeDayClosure("fx", feast)),
  metal: (year) => futures("metal", year, [14, 30], [13, 45]),
  energy: (year) => futures("energy", year, [14, 30], [13, 45]),
  us_index: (year) => futures("us_index", year, [13, 0], [13, 15]),
  us_share: (year) => [
    ...[newYear(year), goodFriday(year), christmas(year), ...usHolidays(year)].map((feast) =>
      wholeDayClosure("us_share", feast),
    ),
    ...[dayAfterThanksgiving(year), ...eves(year)].map((feast) =>
      earlyCloseClosure("us_share", feast, [13, 0]),
    ),
  ],
  crypto: () => [],
};

const builtInRules: ReadonlyMap<string, (year: number) => Closure[]> = new Map(Object.entries(RULES));

/** The closures of a calendar whose trading day lies in a year, in order and without overlap. */
export function closuresOf(calendar: CalendarName, year: number): Closure[] {
  const rules = builtInRules.get(calendar) ?? ((of: number) => ownClosures(calendar, of));
  return rules(year).sort((a, b) => a.fromMs - b.fromMs);
}

/** The days without trading of an operator's calendar, in any order. Two rules for one weekday give one closure. */
function ownClosures(calendar: CalendarName, year: number): Closure[] {
  const days = new Map<number, string>();
  const moved: Feast[] = [];
  // Neighbouring years are included: a day may move into the next year, and `easter-90` may lie in the year before.
  for (const inYear of [year - 1, year, year + 1])
    for (const rule of findOperatorCalendar(calendar)?.holidays ?? []) {
      const ms = holidayMs(rule, inYear, easterSundayMs(inYear));
      if (ms === null) continue;
      if (isObservedHolidayRule(rule) && !isWeekday(ms)) moved.push({ ms, name: rule });
      else days.set(ms, rule);
    }
  for (const { ms, name } of moved) {
    let movedMs = ms;
    while (!isWeekday(movedMs) || days.has(movedMs)) movedMs += DAY_MS;
    days.set(movedMs, name);
  }
  return [...days]
    .filter(([ms]) => new Date(ms).getUTCFullYear() === year)
    .map(([ms, name]) => wholeDayClosure(calendar, { ms, name }));
}
