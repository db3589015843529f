/**
 * Days on which an operator says something else than the rules of `holidays.ts`: a day of mourning, a broker that
 * closes earlier, a holiday that is traded. What is held replaces the rules of its day.
 */

import { DAY_MS } from "@/lib/time";
import type { CalendarDayKind, CalendarName } from "@/lib/vocabulary";
import { afterClose, type Closure, closuresOf, dayOfClosure, wholeDay } from "./holidays";

/** What is said of one day. */
export interface SaidDay {
  calendar: CalendarName;
  /** `YYYY-MM-DD` on the calendar's clock. */
  day: string;
  kind: CalendarDayKind;
  /** `HH:MM`; of an early close alone. */
  closesAt: string | null;
}

const NOTHING: readonly SaidDay[] = [];
const HELD = Symbol.for("signal-delivery-service.calendar-days");
// Pages and the interface load this file once each, and both must know the same days.
const holder: Record<symbol, readonly SaidDay[] | undefined> = globalThis as never;

/** Puts days in force, for the whole process, in place of those before. */
export function holdCalendarDays(days: readonly SaidDay[]): void {
  holder[HELD] = days;
}

/** The days in force. */
export const heldCalendarDays = (): readonly SaidDay[] => holder[HELD] ?? NOTHING;

/** The closures of a year by the rules and by what is said beside them, in order. */
export function closuresWith(
  days: readonly SaidDay[],
  calendar: CalendarName,
  year: number,
): readonly Closure[] {
  const said = days.filter((day) => day.calendar === calendar && Number(day.day.slice(0, 4)) === year);
  if (said.length === 0) return closuresOf(calendar, year);
  const saidMs = new Set(said.map(({ day }) => Date.parse(day)));
  return [
    ...closuresOf(calendar, year).filter((closure) => !saidMs.has(dayOfClosure(closure))),
    ...said.flatMap((day) => closureOf(day) ?? []),
  ].sort((a, b) => a.fromMs - b.fromMs);
}

function closureOf({ calendar, day, kind, closesAt }: SaidDay): Closure | null {
  const feast = { ms: Date.parse(day), name: "" };
  if (kind === "open") return null;
  if (kind === "closed" || closesAt === null) return wholeDay(calendar, feast);
  const [hour = 0, minute = 0] = closesAt.split(":").map(Number);
  const closure = afterClose(calendar, feast, [hour, minute]);
  // At or after the usual close nothing is taken away.
  return closure.fromMs < closure.toMs ? closure : null;
}

/** A day of a calendar that differs from an ordinary one. */
export interface UnusualDay {
  /** `YYYY-MM-DD`. */
  day: string;
  /** What is kept; empty where only the operator knows. */
  name: string;
  /** `HH:MM` of the early close; null: no trading at all. */
  closesAt: string | null;
}

/** What the rules propose for the days from one on, weekends left out, since they are no trading days anyway. */
export function proposedDays(calendar: CalendarName, from: Date, years: number): UnusualDay[] {
  const first = from.getUTCFullYear();
  const untilMs = Date.UTC(first + years, from.getUTCMonth(), from.getUTCDate());
  return Array.from({ length: years + 1 }, (_, i) => closuresOf(calendar, first + i))
    .flat()
    .map((closure) => ({ closure, ms: dayOfClosure(closure) }))
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
