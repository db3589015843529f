import type { ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { countWithNoun, formatNumber, formatShare } from "@/app/_components/figures";
import { linearScale } from "@/lib/engine/chart/scale";
import { ChartFrame, StretchedPlot } from "./chart-frame";
import { percentOf } from "./percent-of";

/** A bin of forecasts: its edges, count, mean confidence and hit rate. All shares in 0..1. */
export type ReliabilityBin = {
  lo: number;
  hi: number;
  n: number;
  avgConfidence: number | null;
  hitRate: number | null;
  /** 95 % interval of the hit rate, drawn as a line through its dot. */
  ci95?: readonly [low: number, high: number] | null;
};

/** A count in at most four characters. */
const shortCount = (n: number): string => {
  if (n < 1_000) return formatNumber(n);
  if (n < 9_950) return `${formatNumber(n / 1_000, 1)}k`;
  return n < 999_500 ? `${formatNumber(n / 1_000)}k` : `${formatNumber(n / 1_000_000)}M`;
};

/** How a bin's count is written on a wide screen and on a phone, where the bars are narrow. */
const COUNT_WIDTHS = [
  { write: (n: number) => (n < 10_000 ? formatNumber(n) : shortCount(n)), className: "phone:hidden" },
  { write: shortCount, className: "hidden phone:block text-[9px]" },
] as const;

const PLOT = 240;
const COUNTS = 48;
const HEIGHT = PLOT + 16 + COUNTS;

/** Confidence of the forecasts against their hit rate; on the diagonal the two are equal. The counts are below it. */
export function ReliabilityDiagram({
  model,
  bins,
  ece,
  notes,
}: {
  model: string;
  bins: readonly ReliabilityBin[];
  /** Expected calibration error, 0..1; null while there is too little data. */
  ece: number | null;
  notes?: ReactNode;
}) {
  const y = linearScale([0, 1], [PLOT, 0]);
  const total = bins.reduce((sum, bin) => sum + bin.n, 0);
  const most = Math.max(1, ...bins.map((bin) => bin.n));
  const countY = linearScale([0, most], [HEIGHT, PLOT + 22]);
  const filled = bins.flatMap((bin) =>
    bin.avgConfidence === null || bin.hitRate === null
      ? []
      : [{ ...bin, avgConfidence: bin.avgConfidence, hitRate: bin.hitRate }],
  );
  const withIntervals = bins.some((bin) => bin.ci95);
  const summary =
    total === 0
      ? `${model}: no resolved forecasts yet.`
      : `${model}, ${countWithNoun(total, "forecast")}: ${ece === null ? "too few for a calibration error" : `stated confidence and outcomes differ by ${formatShare(ece, 1)} on average`}.`;

  return (
    <ChartFrame
      summary={summary}
      unit="came true"
      notes={notes ?? `n = ${formatNumber(total)}, ${bins.length} bins of equal width`}
      height={HEIGHT}
      yMarks={[0, 0.25, 0.5, 0.75, 1].map((tick) => ({ at: y(tick), label: formatShare(tick) }))}
      xMarks={[0, 0.25, 0.5, 0.75, 1].map((tick) => ({
        at: tick,
        label: tick === 0.5 ? "stated 50 %" : formatShare(tick),
      }))}
      twin={{
        columns: ["Stated", "n", "Mean confidence", "Came true", ...(withIntervals ? ["95 %"] : [])],
        rows: bins.map((bin) => [
          `${formatShare(bin.lo)} to ${formatShare(bin.hi)}`,
          formatNumber(bin.n),
          bin.avgConfidence === null ? "" : formatShare(bin.avgConfidence, 1),
          bin.hitRate === null ? "" : formatShare(bin.hitRate, 1),
          ...(withIntervals
            ? [bin.ci95 ? `${formatShare(bin.ci95[0])} to ${formatShare(bin.ci95[1])}` : ""]
            : []),
        ]),
      }}
    >
      <StretchedPlot height={HEIGHT}>
        <line
          x1="0"
          y1={PLOT}
          x2="1000"
          y2="0"
          strokeDasharray="4 4"
          vectorEffect="non-scaling-stroke"
          className="chart-zero"
        />
        <path
          d={filled
            .map(
              (bin, index) =>
                `${index === 0 ? "M" : "L"}${(bin.avgConfidence * 1000).toFixed(1)} ${y(bin.hitRate).toFixed(1)}`,
            )
            .join("")}
          className="chart-line"
        />
      </StretchedPlot>
      <text x="100%" y={PLOT - 8} textAnchor="end" className="chart-text chart-halo">
        dashed: comes true as stated
      </text>
      {filled.map(
        (bin) =>
          bin.ci95 && (
            <line
              key={bin.lo}
              x1={percentOf(bin.avgConfidence)}
              x2={percentOf(bin.avgConfidence)}
              y1={y(bin.ci95[0])}
              y2={y(bin.ci95[1])}
              strokeWidth="1.5"
              className="stroke-accent/60"
            />
          ),
      )}
      {filled.map((bin) => (
        <circle
          key={bin.lo}
          cx={percentOf(bin.avgConfidence)}
          cy={y(bin.hitRate)}
          r={2.5 + 4 * Math.sqrt(bin.n / most)}
          className="fill-accent stroke-raised stroke-[1.5]"
        />
      ))}
      {bins.map((bin) => (
        <g key={bin.lo}>
          <rect
            x={percentOf(bin.lo + 0.004)}
            width={percentOf(Math.max(0, bin.hi - bin.lo - 0.008))}
            y={countY(bin.n)}
            height={HEIGHT - countY(bin.n)}
            className="fill-edge/40"
          />
          {bin.n > 0 &&
            COUNT_WIDTHS.map(({ write, className }) => (
              <text
                key={className}
                x={percentOf((bin.lo + bin.hi) / 2)}
                y={countY(bin.n) - 3}
                textAnchor="middle"
                className={classNames("chart-text", className)}
              >
                {write(bin.n)}
              </text>
            ))}
        </g>
      ))}
      <line x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} className="chart-zero" />
    </ChartFrame>
  );
}
