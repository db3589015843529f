/**
 * Holidays and early closes by rule, on the New York clock: dates as exchanges and most brokers keep them every year.
 * Days that were closed once, such as those of mourning, are not known here.
 *
 * Sources: rule 7.2 of the NYSE for US shares; the holiday calendar of CME Globex for indices, metals and energies, whose
 * hours contracts for difference follow; FX pauses from 17:00 to 17:00 over Christmas and New Year.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { CalendarName } from "@/lib/vocabulary";

/** A stretch without trading. Both ends are what the New York clock shows, as if it were UTC. */
export interface Closure {
  fromMs: number;
  toMs: number;
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
export function easterSunday(year: number): number {
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

/** A date that falls on a weekend is kept on the nearest weekday. */
function observed(ms: number): number {
  const offset = { 6: -1, 0: 1 }[weekday(ms)] ?? 0;
  return ms + offset * DAY_MS;
}

/** The holidays of US exchanges but Good Friday, Christmas and New Year. */
function usHolidays(year: number): number[] {
  return [
    ...(year >= 1998 ? [nthWeekday(year, 1, 1, 3)] : []),
    nthWeekday(year, 2, 1, 3),
    lastMonday(year, 5),
    ...(year >= 2022 ? [observed(day(year, 6, 19))] : []),
    observed(day(year, 7, 4)),
    nthWeekday(year, 9, 1, 1),
    nthWeekday(year, 11, 4, 4),
  ];
}

const isWeekday = (ms: number) => weekday(ms) >= 1 && weekday(ms) <= 5;
const goodFriday = (year: number) => easterSunday(year) - 2 * DAY_MS;
const dayAfterThanksgiving = (year: number) => nthWeekday(year, 11, 4, 4) + DAY_MS;

/** New Year on a Saturday is not kept on the Friday before, which is the last day of the business year. */
function newYear(year: number): number {
  const first = day(year, 1, 1);
  return weekday(first) === 6 ? first : observed(first);
}

/** The afternoons before Independence Day and Christmas that end early, where they are trading days themselves. */
function eves(year: number): number[] {
  const eves = [day(year, 7, 3), day(year, 12, 24)].filter(isWeekday);
  const holidays = [observed(day(year, 7, 4)), observed(day(year, 12, 25))];
  return eves.filter((eve) => !holidays.includes(eve));
}

/** Trading days that run from 17:00 or 18:00 of the evening before: all of them, and the part after an early close. */
const wholeDay = (ms: number): Closure => ({ fromMs: ms - at(7), toMs: ms + at(17) });
const fromHour = (ms: number, hour: number, minute = 0): Closure => ({
  fromMs: ms + at(hour, minute),
  toMs: ms + at(17),
});

/** Futures on `closeHour` of US holidays, and earlier still before feasts; they open again in the evening. */
function futures(year: number, holidayClose: [number, number], eveClose: [number, number]): Closure[] {
  return [
    wholeDay(newYear(year)),
    wholeDay(goodFriday(year)),
    wholeDay(observed(day(year, 12, 25))),
    ...usHolidays(year).map((ms) => fromHour(ms, ...holidayClose)),
    ...[dayAfterThanksgiving(year), ...eves(year)].map((ms) => fromHour(ms, ...eveClose)),
  ];
}

const RULES: Record<CalendarName, (year: number) => Closure[]> = {
  fx: (year) => [wholeDay(day(year, 1, 1)), wholeDay(day(year, 12, 25))],
  metal: (year) => futures(year, [14, 30], [13, 45]),
  energy: (year) => futures(year, [14, 30], [13, 45]),
  us_index: (year) => futures(year, [13, 0], [13, 15]),
  us_share: (year) => [
    ...[newYear(year), goodFriday(year), observed(day(year, 12, 25)), ...usHolidays(year)].map((ms) => ({
      fromMs: ms,
      toMs: ms + DAY_MS,
    })),
    ...[dayAfterThanksgiving(year), ...eves(year)].map((ms) => ({ fromMs: ms + at(13), toMs: ms + at(16) })),
  ],
  crypto: () => [],
};

/** The closures of a calendar that begin in a year or in the evening before it, in order; none overlap. */
export function closuresOf(calendar: CalendarName, year: number): Closure[] {
  return RULES[calendar](year).sort((a, b) => a.fromMs - b.fromMs);
}
