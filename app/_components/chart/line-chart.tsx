import type { ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { countWithNoun, formatNumber, formatSigned } from "@/app/_components/figures";
import { formatDateTimeOn, formatDayOn } from "@/app/_components/times";
import { deepestDrawdown, runningPeak } from "@/lib/engine/chart/drawdown";
import { linearScale, niceTicks, paddedDomain, tickDigits } from "@/lib/engine/chart/scale";
import { thinCurve } from "@/lib/engine/chart/thin-curve";
import { clockOffsetLabel, UTC_CLOCK, type WallClock } from "@/lib/market/clock";
import { ChartFrame, type ChartTableToggle, StretchedPlot } from "./chart-frame";
import { placeLabel } from "./label-place";
import { bandPath, linePath, unbrokenRuns } from "./line-path";
import { percentOf } from "./percent-of";
import { timeTicks } from "./time-ticks";

export type LinePoint = { at: Date; value: number | null };
/** A second curve over the same time, for comparison. */
export type ComparisonLine = { name: string; points: readonly LinePoint[] };

const HEIGHT = 240;
/** Width of the drawdown label as a share of the plot, on a wide screen and on a phone. */
const FALL_WIDTHS = [
  { share: 0.22, className: "phone:hidden" },
  { share: 0.6, className: "hidden phone:block" },
] as const;
/** Dash patterns of the first, second and third comparison curve. */
const COMPARISON_DASHES = ["6 4", "2 3", "10 3 2 3"] as const;
/** From this amount on values have no decimals, to save space. */
const WHOLE_FROM = 1_000;

/** The sentence under an equity curve: span, end, best, deepest fall, sample. */
export function describeLine(
  name: string,
  points: readonly LinePoint[],
  unit: string,
  digits: number,
  clock: WallClock = UTC_CLOCK,
): string {
  const known = points.filter(isKnown);
  const first = known[0];
  const last = known.at(-1);
  if (!first || !last) return `${name}: nothing recorded yet.`;
  const highest = known.reduce((best, point) => (point.value > best.value ? point : best));
  const fall = deepestDrawdown(known.map((point) => point.value));
  const missing = points.length - known.length;
  return [
    `${name} from ${formatDayOn(clock, first.at)} to ${formatDayOn(clock, last.at)}: ends at ${formatSigned(last.value, digits)} ${unit}`,
    `highest ${formatSigned(highest.value, digits)} on ${formatDayOn(clock, highest.at)}`,
    fall ? `deepest drawdown ${formatNumber(fall.depth, digits)}` : "no drawdown",
    `${countWithNoun(known.length, "point")}${missing > 0 ? `, ${missing} missing` : ""}.`,
  ].join("; ");
}

type KnownPoint = { at: Date; value: number };
const isKnown = (point: LinePoint): point is KnownPoint => point.value !== null;

/** A curve without gaps is reduced to the resolution of a screen. */
const drawnPoints = (points: readonly LinePoint[]): readonly LinePoint[] =>
  points.every(isKnown) ? thinCurve(points) : points;

/** The running peak at each point. */
function peaksOf(points: readonly LinePoint[]): ReadonlyMap<LinePoint, number> {
  const peaks = runningPeak(points.map(({ value }) => value));
  return new Map(points.map((point, index) => [point, peaks[index] ?? 0]));
}

type Props = {
  name: string;
  unit: string;
  points: readonly LinePoint[];
  digits?: number;
  drawdown?: boolean;
  comparisons?: readonly ComparisonLine[];
  /** Instants of changes, such as of the model, drawn as vertical lines. The page also lists them as text. */
  changes?: readonly Date[];
  /** Describes the chart; by default the end, the best value and the deepest drawdown. */
  summary?: string;
  /** An instant that splits the curve, such as the first live report. */
  mark?: { at: Date; label: string };
  clock?: WallClock;
  notes?: ReactNode;
  table?: ChartTableToggle;
};

/**
 * A cumulative result over time with the drawdown shaded below its running peak. Gaps stay gaps. Takes the whole curve
 * and reduces it only for drawing, so that the summary covers every point.
 */
export function LineChart({ notes, table, ...drawn }: Props) {
  const { name, comparisons = [] } = drawn;
  return (
    <ChartFrame
      {...drawingOf(drawn)}
      notes={
        comparisons.length > 0 ? (
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <LegendEntry name={name} className="chart-line" />
            {comparisons.map((line, index) => (
              <LegendEntry
                key={line.name}
                name={line.name}
                className="chart-comparison"
                dashes={COMPARISON_DASHES[index]}
              />
            ))}
            {notes}
          </span>
        ) : (
          notes
        )
      }
      table={table}
    />
  );
}

/** The parts of a chart frame for a curve. */
function drawingOf({
  name,
  unit,
  points,
  digits = 2,
  drawdown = true,
  mark,
  comparisons = [],
  changes = [],
  summary,
  clock = UTC_CLOCK,
}: Omit<Props, "notes" | "table">) {
  const values = points.map((point) => point.value);
  const known = values.filter((value) => value !== null);
  const knownComparisons = comparisons
    .flatMap((line) => line.points.map(({ value }) => value))
    .filter((value) => value !== null);
  const domain = paddedDomain([...known, ...knownComparisons], { zero: true });
  const y = linearScale(domain, [HEIGHT - 4, 10]);
  const drawn = drawnPoints(points);
  const peaks = drawdown ? peaksOf(points) : null;
  const peakAt = (point: LinePoint | undefined) => (point && peaks?.get(point)) ?? 0;
  const firstAt = points[0]?.at.getTime() ?? 0;
  const lastAt = points.at(-1)?.at.getTime() ?? 1;
  const share = linearScale([firstAt, lastAt], [0, 1]);
  const xOf = (at: Date) => share(at.getTime()) * 1000;

  const curve = drawn.map((point) => ({
    x: share(point.at.getTime()),
    y: point.value === null ? null : y(point.value),
  }));

  const ticks = niceTicks(domain);
  const last = points.findLast((point) => point.value !== null);
  const fall = drawdown ? deepestDrawdown(values) : null;
  const trough = fall ? points[fall.index] : undefined;
  const bands = !drawdown
    ? []
    : unbrokenRuns(
        drawn.map((point, index) => ({ x: index, y: point.value === null ? null : y(point.value) })),
      ).map((run) =>
        run.map(({ x: index, y: lower }) => ({
          x: xOf(drawn[index]?.at ?? new Date(firstAt)),
          upper: y(peakAt(drawn[index])),
          lower,
        })),
      );

  const comparisonsAt = comparisons.map(
    (line) => new Map(line.points.map((point) => [point.at.getTime(), point.value])),
  );
  return {
    summary:
      summary ??
      describeLine(name, points, unit, digits, clock) + describeComparisons(comparisons, unit, digits),
    unit,
    height: HEIGHT,
    curve: known.length > 0 ? curve : undefined,
    yMarks: [
      ...ticks.map((tick) => ({ at: y(tick), label: formatNumber(tick, tickDigits(ticks)) })),
      ...(last?.value != null
        ? [
            {
              at: y(last.value),
              label: formatSigned(last.value, Math.abs(last.value) < WHOLE_FROM ? digits : 0),
              strong: true,
            },
          ]
        : []),
    ],
    xMarks: timeTicks(new Date(firstAt), new Date(lastAt), clock, (at) => share(at.getTime())),
    twin: {
      columns: [
        `Time, ${clockOffsetLabel(clock, new Date(lastAt))}`,
        `${name}, ${unit}`,
        ...(drawdown ? ["Below peak"] : []),
        ...comparisons.map((line) => line.name),
      ],
      rows: drawn.map((point) => [
        formatDateTimeOn(clock, point.at),
        point.value === null ? "no data" : formatSigned(point.value, digits),
        ...(drawdown ? [point.value === null ? "" : formatNumber(peakAt(point) - point.value, digits)] : []),
        ...comparisonsAt.map((values) => {
          const value = values.get(point.at.getTime()) ?? null;
          return value === null ? "" : formatSigned(value, digits);
        }),
      ]),
    },
    children: (
      <>
        <StretchedPlot height={HEIGHT}>
          {drawdown && <path d={bands.map(bandPath).join("")} className="fill-down/14" />}
        </StretchedPlot>
        <line x1="0" x2="100%" y1={y(0)} y2={y(0)} className="chart-zero" />
        {changes.map((at) => (
          <line
            key={at.getTime()}
            x1={percentOf(share(at.getTime()))}
            x2={percentOf(share(at.getTime()))}
            y1="0"
            y2={HEIGHT}
            strokeDasharray="2 3"
            className="chart-zero"
          />
        ))}
        <StretchedPlot height={HEIGHT}>
          {comparisons.map((line, index) => (
            <path
              key={line.name}
              d={linePath(
                drawnPoints(line.points).map((point) => ({
                  x: xOf(point.at),
                  y: point.value === null ? null : y(point.value),
                })),
              )}
              strokeDasharray={COMPARISON_DASHES[index]}
              className="chart-comparison"
            />
          ))}
          <path
            d={linePath(
              drawn.map((point) => ({ x: xOf(point.at), y: point.value === null ? null : y(point.value) })),
            )}
            className="chart-line"
          />
        </StretchedPlot>
        {mark && (
          <>
            <line
              x1={percentOf(share(mark.at.getTime()))}
              x2={percentOf(share(mark.at.getTime()))}
              y1="0"
              y2={HEIGHT}
              strokeDasharray="2 3"
              className="chart-zero"
            />
            <text x={percentOf(share(mark.at.getTime()))} y="10" dx="5" className="chart-text chart-halo">
              {mark.label}
            </text>
          </>
        )}
        {fall && trough?.value != null && (
          <>
            <circle
              cx={percentOf(share(trough.at.getTime()))}
              cy={y(trough.value)}
              r="3"
              className="fill-down stroke-raised stroke-1"
            />
            {FALL_WIDTHS.map(({ share: width, className }) => {
              const place = placeLabel(curve, share(trough.at.getTime()), width, HEIGHT, y(0));
              return (
                <text
                  key={className}
                  x={percentOf(place.x)}
                  y={place.y}
                  textAnchor="middle"
                  className={classNames("chart-halo fill-down text-[11px] font-medium", className)}
                >
                  max drawdown {formatNumber(fall.depth, digits)}
                </text>
              );
            })}
          </>
        )}
        {last?.value != null && (
          <circle
            cx={percentOf(share(last.at.getTime()))}
            cy={y(last.value)}
            r="3.5"
            className="fill-accent stroke-raised stroke-2"
          />
        )}
      </>
    ),
  };
}

/** The line and name of a curve, above the plot so that no name covers a curve. */
function LegendEntry({
  name,
  className,
  dashes,
}: {
  name: string;
  className: string;
  dashes?: string | undefined;
}) {
  return (
    <span className="inline-flex items-center gap-1.5 text-muted">
      <svg width="24" height="8" aria-hidden="true">
        <line x1="0" x2="24" y1="4" y2="4" strokeDasharray={dashes} className={className} />
      </svg>
      {name}
    </span>
  );
}

function describeComparisons(comparisons: readonly ComparisonLine[], unit: string, digits: number): string {
  const ends = comparisons.flatMap(({ name, points }) => {
    const last = points.findLast((point) => point.value !== null);
    return last?.value == null ? [] : [`${name} ends at ${formatSigned(last.value, digits)} ${unit}`];
  });
  return ends.length > 0 ? ` ${ends.join(", ")}.` : "";
}
