import type { LinePoint } from "@/app/_components/chart/line-chart";
import type { YearRow } from "@/app/_components/chart/month-table";
import { runningPeak } from "@/lib/engine/chart/drawdown";
import { addMinutes, DAY_MS } from "@/lib/time";
import type { PublicRecord } from "@/lib/wire/contracts/record";

type CurveDay = PublicRecord["curve"][number];

const LAST_MINUTE = DAY_MS / 60_000 - 1;
const morning = (date: string): Date => new Date(`${date}T00:00:00Z`);

/** Signals, coin and class frequencies as curves in R, from nothing on the first morning to their sum on each evening. */
export function equityCurves(days: readonly CurveDay[]) {
  const [first] = days;
  const start = first ? [{ at: morning(first.date), value: 0 }] : [];
  // The moments of all three are the same objects: a thousand days are a thousand of them.
  const evenings = days.map(({ date }) => addMinutes(morning(date), LAST_MINUTE));
  const curveOf = (valueBy: (day: CurveDay) => number): LinePoint[] => [
    ...start,
    ...evenings.flatMap((at, index) => {
      const day = days[index];
      return day ? [{ at, value: valueBy(day) }] : [];
    }),
  ];
  return {
    model: curveOf((day) => day.r),
    beside: [
      { name: "Coin", points: curveOf((day) => day.coin_r) },
      { name: "Class frequencies", points: curveOf((day) => day.frequencies_r) },
    ],
  };
}

/** How far the curve lies below its best so far: zero or less. */
export function belowPeak(points: readonly LinePoint[]): LinePoint[] {
  const peaks = runningPeak(points.map((point) => point.value));
  return points.map((point, index) => ({
    at: point.at,
    value: point.value === null ? null : point.value - (peaks[index] ?? 0),
  }));
}

/** Results by month in rows of years, newest year first. */
export function yearRows(months: PublicRecord["months"]): YearRow[] {
  const years = new Map<number, (number | null)[]>();
  for (const { month, total_r: totalR, n_followed: n } of months) {
    const year = Number(month.slice(0, 4));
    const row = years.get(year) ?? Array.from({ length: 12 }, () => null);
    if (n > 0) row[Number(month.slice(5)) - 1] = totalR;
    years.set(year, row);
  }
  return [...years]
    .toSorted(([a], [b]) => b - a)
    .map(([year, row]) => ({
      year,
      months: row,
      total: row.reduce((sum: number, value) => sum + (value ?? 0), 0),
    }));
}
