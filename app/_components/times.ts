/** Formats of times and ages. A time is in UTC, written with it, or on a named clock. */

import { clockOffsetLabel, type WallClock, wallTime } from "@/lib/market/clock";
import { minutesBetween } from "@/lib/time";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const longMonth = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "long", year: "numeric" });

/** `21 Nov` (UTC), where the year is clear from the context. */
export const formatDayWithoutYear = (at: Date): string => `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
/** `21 Nov 2026` (UTC). */
export const formatDay = (at: Date): string => `${formatDayWithoutYear(at)} ${at.getUTCFullYear()}`;
/** `November 2026` (UTC). */
export const formatMonth = (at: Date): string => longMonth.format(at);
/** `21 Nov 2026, 07:55 UTC`. */
export const formatInstant = (at: Date): string => `${formatDay(at)}, ${at.toISOString().slice(11, 16)} UTC`;
/** `21 Nov 2026` on a clock. */
export const formatDayOn = (clock: WallClock, at: Date): string => formatDay(wallTime(clock, at));
/** `21 Nov 2026, 09:55` on a clock that is named nearby. */
export const formatDateTimeOn = (clock: WallClock, at: Date): string => {
  const wall = wallTime(clock, at);
  return `${formatDay(wall)}, ${wall.toISOString().slice(11, 16)}`;
};
/** `21 Nov 2026, 09:55 UTC+2`. */
export const formatInstantOn = (clock: WallClock, at: Date): string =>
  `${formatDateTimeOn(clock, at)} ${clockOffsetLabel(clock, at)}`;
/**
 * The end of access on a clock: `31 Dec 2026`, and with the time at midnight, when access ends before that day:
 * `31 Dec 2026, 00:00 UTC`.
 */
export const formatEndOn = (clock: WallClock, at: Date): string => {
  const wall = wallTime(clock, at);
  const isMidnight = wall.getUTCHours() === 0 && wall.getUTCMinutes() === 0;
  return isMidnight ? formatInstantOn(clock, at) : formatDay(wall);
};
/** Whole seconds, always UTC: `2026-11-21T07:55:00Z`. */
export const formatIsoSeconds = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1440;

/**
 * A span in minutes, as text: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`, and whole days from 14 days on. Negative spans
 * count as 0.
 */
export function formatSpan(minutes: number): string {
  if (minutes < 1) return `${Math.max(0, Math.floor(minutes * 60))} s`;
  if (minutes < MINUTES_PER_HOUR) return `${Math.floor(minutes)} min`;
  if (minutes < MINUTES_PER_DAY) {
    const rest = Math.floor(minutes % MINUTES_PER_HOUR);
    return `${Math.floor(minutes / MINUTES_PER_HOUR)} h${rest > 0 ? ` ${rest} min` : ""}`;
  }
  const days = Math.floor(minutes / MINUTES_PER_DAY);
  const hours = Math.floor((minutes % MINUTES_PER_DAY) / MINUTES_PER_HOUR);
  return `${days} d${hours > 0 && days < 14 ? ` ${hours} h` : ""}`;
}

/** The distance between `at` and `now`: `12 min ago`, `in 3 d`, `just now` within five seconds. */
export function formatRelative(at: Date, now: Date): string {
  const minutes = minutesBetween(at, now);
  if (Math.abs(minutes) < 5 / 60) return "just now";
  return minutes > 0 ? `${formatSpan(minutes)} ago` : `in ${formatSpan(-minutes)}`;
}

/** Remaining time: `12 min` below an hour, `47 h` below two days, otherwise in rounded days, `12 days`. */
export function formatTimeLeft(until: Date, now: Date): string {
  const minutes = Math.max(0, minutesBetween(now, until));
  if (minutes < 2 * MINUTES_PER_DAY) {
    const hours = Math.floor(minutes / MINUTES_PER_HOUR);
    return hours > 0 ? `${hours} h` : formatSpan(minutes);
  }
  return `${Math.round(minutes / MINUTES_PER_DAY)} days`;
}
