import { formatDayWithoutYear, formatMonth } from "@/app/_components/times";
import { instantOf, type WallClock, wallTime } from "@/lib/market/clock";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { AxisTick } from "./chart-frame";

/** The distance between marks: milliseconds of the wall clock, or months. */
type Step = { ms: number } | { months: number };

const STEPS: readonly Step[] = [
  ...[5, 15, 30].map((minutes) => ({ ms: minutes * MINUTE_MS })),
  ...[1, 2, 3, 4, 6, 12].map((hours) => ({ ms: hours * HOUR_MS })),
  ...[1, 2, 7, 14].map((days) => ({ ms: days * DAY_MS })),
  ...[1, 2, 3, 6, 12, 24, 60].map((months) => ({ months })),
];

const MAX_MARKS = 6;
const PHONE_MARKS = 4;
/** Share of a phone's plot that a long label takes, such as a month with its year or a day with its time. */
const LONG_LABEL_SHARE = 0.3;
/** The Unix epoch began on a Thursday; weeks begin on Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** The index of the step that contains a wall time. */
function stretchOf(step: Step, wall: Date): number {
  if ("months" in step) return Math.floor((wall.getUTCFullYear() * 12 + wall.getUTCMonth()) / step.months);
  const origin = step.ms % (7 * DAY_MS) === 0 ? MONDAY_MS : 0;
  return Math.floor((wall.getTime() - origin) / step.ms);
}

/** The wall time at which a step begins. */
function beginOf(step: Step, stretch: number): Date {
  if ("months" in step) return new Date(Date.UTC(1970, stretch * step.months - 1970 * 12, 1));
  const origin = step.ms % (7 * DAY_MS) === 0 ? MONDAY_MS : 0;
  return new Date(stretch * step.ms + origin);
}

/** Marks at round times of a clock between two instants; `place` gives the position of an instant as a share in 0..1. */
export function timeTicks(from: Date, to: Date, clock: WallClock, place: (at: Date) => number): AxisTick[] {
  const [first, last] = [wallTime(clock, from), wallTime(clock, to)];
  for (const step of STEPS) {
    const low = stretchOf(step, first);
    const high = stretchOf(step, last);
    if (high - low > MAX_MARKS) continue;
    const walls = Array.from({ length: high - low + 1 }, (_, index) => beginOf(step, low + index)).filter(
      (wall) => wall >= first && wall <= last,
    );
    return labelled(
      step,
      walls.map((wall) => ({ wall, at: place(instantOf(clock, wall)) })),
    );
  }
  return [];
}

/**
 * Marks for items in equal columns, such as candles: at the first item of each step. `place` gives the position of the
 * item with this index as a share in 0..1.
 */
export function columnTimeTicks(
  ats: readonly Date[],
  clock: WallClock,
  place: (index: number) => number,
): AxisTick[] {
  const walls = ats.map((at) => wallTime(clock, at));
  for (const step of STEPS) {
    const found = walls.flatMap((wall, index) => {
      const stretch = stretchOf(step, wall);
      const before = walls[index - 1];
      // The first item counts only if it is at the beginning of its step.
      const begins = before
        ? stretchOf(step, before) !== stretch
        : beginOf(step, stretch).getTime() === wall.getTime();
      return begins ? [{ wall, at: place(index) }] : [];
    });
    if (found.length > MAX_MARKS) continue;
    return labelled(step, apart(found));
  }
  return [];
}

/** Drops marks that would overlap their neighbour, such as around a weekend. */
function apart<T extends { at: number }>(marks: readonly T[]): T[] {
  const kept: T[] = [];
  for (const mark of marks) {
    const before = kept.at(-1);
    if (!before || mark.at - before.at > 0.6 / MAX_MARKS) kept.push(mark);
  }
  return kept;
}

/** Labels: dates for days, names for months, and times if several marks fall on one day. */
function labelled(step: Step, marks: readonly { wall: Date; at: number }[]): AxisTick[] {
  const tooMany = marks.length > PHONE_MARKS;
  return marks.map(({ wall, at }, index) => {
    const before = marks[index - 1]?.wall;
    if ("months" in step) {
      const newYear = before?.getUTCFullYear() !== wall.getUTCFullYear();
      const month = formatMonth(wall).slice(0, 3);
      const label =
        step.months >= 12
          ? String(wall.getUTCFullYear())
          : newYear
            ? `${month} ${wall.getUTCFullYear()}`
            : month;
      const previous = marks[index - 1];
      const isNearYear = index === 1 && previous !== undefined && at - previous.at < LONG_LABEL_SHARE;
      return { at, label, minor: (tooMany && index % 2 === 1) || isNearYear };
    }
    const newDay = before?.toISOString().slice(0, 10) !== wall.toISOString().slice(0, 10);
    const isHour = step.ms < DAY_MS && !newDay;
    const time = wall.toISOString().slice(11, 16);
    // A date alone means the beginning of its day.
    const hasTime = step.ms < DAY_MS && time !== "00:00";
    const day = hasTime ? `${formatDayWithoutYear(wall)} ${time}` : formatDayWithoutYear(wall);
    const next = marks[index + 1];
    const isNearNext = newDay && hasTime && next !== undefined && next.at - at < LONG_LABEL_SHARE;
    return {
      at,
      label: isHour ? time : day,
      minor: (tooMany && (step.ms < DAY_MS ? isHour : index % 2 === 1)) || isNearNext,
    };
  });
}
