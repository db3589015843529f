import type { LinePoint } from "@/app/_components/chart/line-chart";
import { type YearRow, yearRows } from "@/app/_components/chart/year-rows";
import { runningPeak } from "@/lib/engine/chart/drawdown";
import type { PublicRecord } from "@/lib/wire/contracts/record";

type CurveDay = PublicRecord["curve"][number];

/**
 * Cumulative results in R of the signals, the coin and the class frequencies: zero at the start of the first day, then
 * the total at the end of each UTC day.
 */
export function equityCurves(days: readonly CurveDay[]) {
  const [first] = days;
  const start = first ? [{ at: new Date(`${first.date}T00:00:00Z`), value: 0 }] : [];
  // The three curves share their Date objects: a long record has thousands of days.
  const evenings = days.map((day) => ({ day, at: new Date(`${day.date}T23:59:00Z`) }));
  const curveOf = (valueBy: (day: CurveDay) => number): LinePoint[] => [
    ...start,
    ...evenings.map(({ day, at }) => ({ at, value: valueBy(day) })),
  ];
  return {
    model: curveOf((day) => day.r),
    comparisons: [
      { name: "Coin", points: curveOf((day) => day.coin_r) },
      { name: "Class frequencies", points: curveOf((day) => day.frequencies_r) },
    ],
  };
}

/** Drawdown at each point of a cumulative curve: its distance below the running peak, zero or less. */
export function drawdownCurve(points: readonly LinePoint[]): readonly LinePoint[] {
  const peaks = runningPeak(points.map((point) => point.value));
  return points.map((point, index) => ({
    at: point.at,
    value: point.value === null ? null : point.value - (peaks[index] ?? 0),
  }));
}

/** Results by month, one row a year. A month without trades is empty. */
export const monthsByYear = (months: PublicRecord["months"], hrefOf?: (month: string) => string): YearRow[] =>
  yearRows(
    months.map(({ month, total_r: totalR, n_followed: n }) => ({ month, value: n > 0 ? totalR : null })),
    hrefOf,
  );
