/**
 * Days for which an operator overrides the rules of `holidays.ts`: a day of mourning, a broker that closes earlier, a
 * holiday with trading. An override replaces all rules for its day.
 */

import { DAY_MS } from "@/lib/time";
import type { CalendarName, DayOverrideKind } from "@/lib/vocabulary";
import { type Closure, closureDayMs, closuresOf, earlyCloseClosure, wholeDayClosure } from "./holidays";

/** An operator's entry for one day of one calendar. */
export interface DayOverride {
  calendar: CalendarName;
  /** `YYYY-MM-DD` on the calendar's clock. */
  day: string;
  kind: DayOverrideKind;
  /** `HH:MM` of an early close; null for other kinds. An early close without a time closes the whole day. */
  closesAt: string | null;
}

const NOTHING: readonly DayOverride[] = [];
const HELD = Symbol.for("signal-delivery-service.day-overrides");
// On the global object, because pages and the API load this file separately and must share the overrides.
const holder: Record<symbol, readonly DayOverride[] | undefined> = globalThis as never;

/** Replaces the operator's day overrides in this process. */
export function setDayOverrides(days: readonly DayOverride[]): void {
  holder[HELD] = days;
}

/** The day overrides that this process holds. */
export const currentDayOverrides = (): readonly DayOverride[] => holder[HELD] ?? NOTHING;

/**
 * The closures of a calendar in a year, in order of time: by the holiday rules, except on days that `days` overrides.
 */
export function closuresWithOverrides(
  days: readonly DayOverride[],
  calendar: CalendarName,
  year: number,
): readonly Closure[] {
  const said = days.filter((day) => day.calendar === calendar && Number(day.day.slice(0, 4)) === year);
  if (said.length === 0) return closuresOf(calendar, year);
  const saidMs = new Set(said.map(({ day }) => Date.parse(day)));
  return [
    ...closuresOf(calendar, year).filter((closure) => !saidMs.has(closureDayMs(closure))),
    ...said.flatMap((day) => closureOf(day) ?? []),
  ].sort((a, b) => a.fromMs - b.fromMs);
}

function closureOf({ calendar, day, kind, closesAt }: DayOverride): Closure | null {
  const feast = { ms: Date.parse(day), name: "" };
  if (kind === "open") return null;
  if (kind === "closed" || closesAt === null) return wholeDayClosure(calendar, feast);
  const [hour = 0, minute = 0] = closesAt.split(":").map(Number);
  const closure = earlyCloseClosure(calendar, feast, [hour, minute]);
  // An early close at or after the usual close changes nothing.
  return closure.fromMs < closure.toMs ? closure : null;
}

/** A holiday or a day with an early close. */
export interface UnusualDay {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Name of the holiday or, on an operator's calendar, its rule. */
  name: string;
  /** `HH:MM` of the early close; null: no trading at all. */
  closesAt: string | null;
}

/**
 * The holidays and early closes on Mondays to Fridays that the rules give for `years` years from a day on, without
 * operators' overrides.
 */
export function listUnusualDays(calendar: CalendarName, from: Date, years: number): UnusualDay[] {
  const first = from.getUTCFullYear();
  const untilMs = Date.UTC(first + years, from.getUTCMonth(), from.getUTCDate());
  return Array.from({ length: years + 1 }, (_, i) => closuresOf(calendar, first + i))
    .flat()
    .map((closure) => ({ closure, ms: closureDayMs(closure) }))
    .filter(({ ms }) => ms > from.getTime() - DAY_MS && ms < untilMs && isTradingDay(ms))
    .map(({ closure, ms }) => ({
      day: new Date(ms).toISOString().slice(0, 10),
      name: closure.name,
      closesAt: closure.fromMs > ms ? new Date(closure.fromMs).toISOString().slice(11, 16) : null,
    }));
}

const isTradingDay = (ms: number): boolean => {
  const weekday = new Date(ms).getUTCDay();
  return weekday >= 1 && weekday <= 5;
};
