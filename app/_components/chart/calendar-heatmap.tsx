"use client";

import { classNames } from "@/app/_components/class-names";
import { countWithNoun, formatSigned, formatSignedShort, signOf } from "@/app/_components/figures";
import { formatDay, formatMonth } from "@/app/_components/times";

/** The result of one day of the month (`day` 1..31): a signed amount from `n` results. */
export type CalendarDay = { day: number; value: number; n: number; href?: string };

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

// Three shades for each sign; the sign is also written in the cell.
const DEPTH = {
  up: ["bg-up/12", "bg-up/22", "bg-up/34"],
  down: ["bg-down/12", "bg-down/22", "bg-down/34"],
} as const;

function classOf(value: number, largest: number, digits: number): string {
  const side = signOf(value, digits);
  if (side === "flat" || largest === 0) return "bg-sunken";
  const depth = Math.min(2, Math.floor((Math.abs(value) / largest) * 3));
  return DEPTH[side][depth] ?? DEPTH[side][2];
}

/** One month as a grid of days, Monday first. `month` is any instant in it, in UTC. Days without results are empty. */
export function CalendarHeatmap({
  month,
  days,
  unit,
  digits = 2,
  noun = "position",
}: {
  month: Date;
  days: readonly CalendarDay[];
  unit: string;
  digits?: number;
  noun?: string;
}) {
  const year = month.getUTCFullYear();
  const monthIndex = month.getUTCMonth();
  const length = new Date(Date.UTC(year, monthIndex + 1, 0)).getUTCDate();
  const lead = (new Date(Date.UTC(year, monthIndex, 1)).getUTCDay() + 6) % 7;
  const byDay = new Map(days.map((day) => [day.day, day]));
  const largest = Math.max(0, ...days.map((day) => Math.abs(day.value)));
  const total = days.reduce((sum, day) => sum + day.value, 0);
  const results = days.reduce((sum, day) => sum + day.n, 0);
  const weeks = Array.from({ length: Math.ceil((lead + length) / 7) }, (_, week) =>
    WEEKDAYS.map((_, weekday) => {
      const day = week * 7 + weekday - lead + 1;
      return day >= 1 && day <= length ? day : null;
    }),
  );
  const winning = days.filter((day) => signOf(day.value, digits) === "up").length;
  const losing = days.filter((day) => signOf(day.value, digits) === "down").length;

  return (
    // `border-spacing` also applies outside the cells: the negative margin aligns the edges with the card.
    <table className="-mx-1 w-[calc(100%+0.5rem)] table-fixed border-separate border-spacing-1 text-xs">
      <caption className="mb-2 px-1 text-left text-sm text-muted">
        {formatMonth(month)}: {formatSigned(total, digits)} {unit} from {countWithNoun(results, noun)};{" "}
        {countWithNoun(winning, "day")} above zero, {countWithNoun(losing, "day")} below.
      </caption>
      <thead>
        <tr>
          {WEEKDAYS.map((weekday) => (
            <th key={weekday} scope="col" className="pb-1 font-medium text-faint">
              {weekday}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, weekIndex) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: weeks have no name but their place
          <tr key={weekIndex}>
            {week.map((day, weekday) => {
              if (day === null) return <td key={WEEKDAYS[weekday]} />;
              const entry = byDay.get(day);
              const date = formatDay(new Date(Date.UTC(year, monthIndex, day)));
              const className = classNames(
                "relative flex min-h-12 flex-col justify-between rounded-sm px-1 py-1 sm:min-h-14",
                entry ? classOf(entry.value, largest, digits) : "border border-line/60",
              );
              const words =
                entry &&
                `${date}: ${formatSigned(entry.value, digits)} ${unit}, ${countWithNoun(entry.n, noun)}`;
              const face = (
                <>
                  <span className={entry ? "text-ink" : "text-faint"}>{day}</span>
                  {entry && (
                    <span
                      aria-hidden="true"
                      className="text-right text-[11px] font-medium tracking-tight phone:text-[10px]"
                    >
                      {formatSignedShort(entry.value, largest)}
                    </span>
                  )}
                  {entry && <span className="sr-only">{` ${words}`}</span>}
                </>
              );
              return (
                <td key={WEEKDAYS[weekday]} className="p-0 align-top tabular-nums">
                  {entry?.href ? (
                    <a
                      href={entry.href}
                      title={words}
                      className={classNames(className, "hover:ring-1 hover:ring-edge")}
                    >
                      {face}
                    </a>
                  ) : (
                    <div title={words} className={className}>
                      {face}
                    </div>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
