import type { LinePoint } from "@/app/_components/chart/line-chart";
import type { YearRow } from "@/app/_components/chart/month-table";
import { runningPeak } from "@/lib/engine/chart/drawdown";
import { addMinutes, DAY_MS } from "@/lib/time";
import type { PublicRecord } from "@/lib/wire/contracts/record";

type CurveDay = PublicRecord["curve"][number];

const LAST_MINUTE = DAY_MS / 60_000 - 1;
const morning = (date: string): Date => new Date(`${date}T00:00:00Z`);
const evening = (date: string): Date => addMinutes(morning(date), LAST_MINUTE);

/** A curve from nothing on its first morning to its sum on each evening. */
function curveOf(days: readonly CurveDay[], valueBy: (day: CurveDay) => number): LinePoint[] {
  const first = days[0];
  if (!first) return [];
  return [
    { at: morning(first.date), value: 0 },
    ...days.map((day) => ({ at: evening(day.date), value: valueBy(day) })),
  ];
}

/** Signals, coin and class frequencies as curves in R. */
export const equityCurves = (days: readonly CurveDay[]) => ({
  model: curveOf(days, (day) => day.r),
  beside: [
    { name: "Coin", points: curveOf(days, (day) => day.coin_r) },
    { name: "Class frequencies", points: curveOf(days, (day) => day.frequencies_r) },
  ],
});

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
