"use client";

import type { ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { formatNumber, formatShare, formatSigned } from "@/app/_components/figures";
import { linearScale, niceTicks, paddedDomain, steppedIndices, tickDigits } from "@/lib/engine/chart/scale";
import { type AxisTick, ChartFrame } from "./chart-frame";
import { percentOf } from "./percent-of";

export type ChartBar = {
  label: string;
  value: number | null;
  n?: number;
  /** Share of winners among the `n` positions that won or lost. */
  wins?: { share: number; n: number } | undefined;
  /** Colours a count like a profit or a loss. */
  side?: "up" | "down";
  /** The address that the bar's column links to. */
  href?: string | undefined;
};

const HEIGHT = 200;
const STYLES = { up: "fill-up", down: "fill-down", none: "chart-count" } as const;
const LABELLED_BARS = 12;
/**
 * Characters of labels, gaps included, that fit under the bars on a phone. With more, the labels are slanted, or every
 * other one is left out if lines are below them.
 */
const PHONE_CHARACTERS = 34;
/** With more bars than this, values would overlap on a phone. */
const PHONE_VALUES = 7;
const MAX_LABELS = 8;
/** Widest bar as a share of the plot, so that a single bar is not a block. */
const WIDEST_BAR = 0.14;

/**
 * Bars from a zero line. `signed` bars are profits and losses (colour, side and sign); the others are counts. A bar
 * without a value is a gap. `summary` describes the chart in a sentence.
 */
export function BarChart({
  name,
  unit,
  summary,
  bars,
  signed = false,
  digits = 0,
  labelHeader = "Group",
  xMarks,
  notes,
}: {
  name: string;
  unit: string;
  summary: string;
  bars: readonly ChartBar[];
  signed?: boolean;
  digits?: number;
  labelHeader?: string;
  /** Replaces the labels below the bars, such as with the edges of bins. */
  xMarks?: readonly AxisTick[];
  notes?: ReactNode;
}) {
  const known = bars.flatMap((bar) => (bar.value === null ? [] : [bar.value]));
  // Counts that are all zero have no scale: only the summary is shown.
  if (!signed && known.every((value) => value === 0)) return <p className="text-sm text-muted">{summary}</p>;
  const domain = paddedDomain(known, { zero: true, air: 0.16 });
  const y = linearScale(domain, [HEIGHT - 1, 1]);
  const ticks = niceTicks(domain, 4);
  const write = (value: number) => (signed ? formatSigned(value, digits) : formatNumber(value, digits));
  const width = 1 / Math.max(1, bars.length);
  const barWidth = Math.min(0.72 * width, WIDEST_BAR);
  const labelled = bars.length <= LABELLED_BARS;
  const counts = bars.some((bar) => bar.n !== undefined);
  const rates = bars.some((bar) => bar.wins !== undefined);
  const isRoomy = bars.length <= PHONE_VALUES;
  const isTight = bars.length * (1 + Math.max(0, ...bars.map((bar) => bar.label.length))) > PHONE_CHARACTERS;

  return (
    <ChartFrame
      summary={summary}
      unit={unit}
      notes={notes}
      height={HEIGHT}
      yMarks={ticks.map((tick) => ({ at: y(tick), label: formatNumber(tick, tickDigits(ticks)) }))}
      xMarks={
        xMarks ??
        steppedIndices(bars.length, MAX_LABELS).flatMap((index, place) => {
          const bar = bars[index];
          const minor = isTight && counts && place % 2 === 1;
          const sub = isRoomy && bar?.value != null ? sampleUnder(bar) : undefined;
          return bar ? [{ at: (index + 0.5) * width, label: bar.label, sub, minor }] : [];
        })
      }
      slanted={isTight && !counts && xMarks === undefined}
      links={bars.flatMap((bar, index) =>
        bar.href === undefined || bar.value === null
          ? []
          : [
              {
                from: index * width,
                to: (index + 1) * width,
                href: bar.href,
                label: `${bar.label}: ${write(bar.value)} ${unit}, ${sampleOf(bar).join(", ")}`,
              },
            ],
      )}
      twin={{
        columns: [
          labelHeader,
          // Counts need no unit, which would repeat their name.
          signed ? `${name}, ${unit}` : name,
          ...(counts ? ["n"] : []),
          ...(rates ? ["Win rate", "of won and lost"] : []),
        ],
        rows: bars.map((bar) => [
          bar.label,
          bar.value === null ? "no data" : write(bar.value),
          ...(counts ? [bar.n === undefined ? "" : formatNumber(bar.n)] : []),
          ...(rates
            ? [bar.wins ? formatShare(bar.wins.share) : "", bar.wins ? formatNumber(bar.wins.n) : ""]
            : []),
        ]),
      }}
    >
      {bars.map((bar, index) => {
        if (bar.value === null) return null;
        const top = y(Math.max(0, bar.value));
        const height = Math.max(1, Math.abs(y(bar.value) - y(0)));
        const side = bar.side ?? (signed ? (bar.value < 0 ? "down" : "up") : "none");
        const className = STYLES[side];
        return (
          <g key={bar.label}>
            <rect
              x={percentOf((index + 0.5) * width - barWidth / 2)}
              width={percentOf(barWidth)}
              y={top}
              height={height}
              rx="1.5"
              className={className}
            />
            {labelled && (
              <text
                x={percentOf((index + 0.5) * width)}
                y={bar.value < 0 ? top + height + 12 : top - 5}
                textAnchor="middle"
                className={classNames(
                  "chart-text-strong chart-halo phone:text-[9px]",
                  bars.length > PHONE_VALUES && "phone:hidden",
                )}
              >
                {write(bar.value)}
              </text>
            )}
          </g>
        );
      })}
      <line x1="0" x2="100%" y1={y(0)} y2={y(0)} className="chart-zero" />
    </ChartFrame>
  );
}

/** `n 12` and `58 %` below a narrow bar: the notes explain that it is the win rate. */
const sampleUnder = ({ n, wins }: ChartBar): string[] => [
  ...(n === undefined ? [] : [`n ${formatNumber(n)}`]),
  ...(wins ? [formatShare(wins.share)] : []),
];

/** `n 12` and `58 % won`: the sample of a bar. */
function sampleOf({ n, wins }: ChartBar): string[] {
  return [
    ...(n === undefined ? [] : [`n ${formatNumber(n)}`]),
    ...(wins ? [`${formatShare(wins.share)} won`] : []),
  ];
}
