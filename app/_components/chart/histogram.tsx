import type { ReactNode } from "react";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { BarChart } from "./bar-chart";

export type HistogramBin = { lo: number; hi: number; n: number };

/** How often values fall into each bin; bins are listed from low to high and include their lower edge. */
export function Histogram({
  name,
  unit,
  bins,
  digits = 0,
  aroundZero = false,
  notes,
}: {
  name: string;
  unit: string;
  bins: readonly HistogramBin[];
  digits?: number;
  /** Values are profits and losses: bins below zero have another colour. */
  aroundZero?: boolean;
  notes?: ReactNode;
}) {
  const total = bins.reduce((sum, bin) => sum + bin.n, 0);
  const fullest = bins.reduce<HistogramBin | null>(
    (best, bin) => (best === null || bin.n > best.n ? bin : best),
    null,
  );
  const span = (bin: HistogramBin) => `${formatNumber(bin.lo, digits)} to ${formatNumber(bin.hi, digits)}`;
  const summary =
    total === 0 || !fullest
      ? `${name}: nothing recorded yet.`
      : `${name}, ${countWithNoun(total, "value")}: most often ${span(fullest)} ${unit} (${formatNumber(fullest.n)} of ${formatNumber(total)}).`;
  return (
    <BarChart
      name="Count"
      unit={`count per bin of ${unit}`}
      summary={summary}
      bars={bins.map((bin) => ({
        label: span(bin),
        value: bin.n,
        side: !aroundZero ? undefined : bin.hi <= 0 ? "down" : bin.lo >= 0 ? "up" : undefined,
      }))}
      xMarks={[...bins.map((bin) => bin.lo), ...bins.slice(-1).map((bin) => bin.hi)].map((edge, index) => ({
        at: index / Math.max(1, bins.length),
        label: formatNumber(edge, digits),
        minor: index % 2 === 1,
      }))}
      labelHeader={`${name}, ${unit}`}
      notes={notes ?? `n = ${formatNumber(total)}`}
    />
  );
}
