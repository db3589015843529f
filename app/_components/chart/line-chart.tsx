import type { ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { counted, formatNumber, formatSigned } from "@/app/_components/figures";
import { formatDayOn, formatTimeOn } from "@/app/_components/times";
import { deepestDrawdown, runningPeak } from "@/lib/engine/chart/drawdown";
import { linearScale, niceTicks, paddedDomain, tickDigits } from "@/lib/engine/chart/scale";
import { thinCurve } from "@/lib/engine/chart/thin-curve";
import { type Clock, clockName, UTC_CLOCK } from "@/lib/market/clock";
import { ChartFrame, Stretched } from "./chart-frame";
import { placeLabel } from "./label-place";
import { bandPath, linePath, unbrokenRuns } from "./line-path";
import { percentOf } from "./percent-of";
import { timeMarks } from "./time-ticks";

export type LinePoint = { at: Date; value: number | null };

const HEIGHT = 240;
/** The words of the deepest fall as a share of the plot, on a screen and on a phone. */
const FALL_WIDTHS = [
  { share: 0.22, className: "phone:hidden" },
  { share: 0.6, className: "hidden phone:block" },
] as const;
/** From this amount on no decimals are shown, to save room. */
const WHOLE_FROM = 1_000;

/** The sentence under an equity curve: span, end, best, deepest fall, sample. */
export function describeLine(
  name: string,
  points: readonly LinePoint[],
  unit: string,
  digits: number,
  clock: Clock = UTC_CLOCK,
): string {
  const known = points.filter((point): point is { at: Date; value: number } => point.value !== null);
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
    `${counted(known.length, "point")}${missing > 0 ? `, ${missing} missing` : ""}.`,
  ].join("; ");
}

/** Points with the highest value so far at each; a curve without gaps is thinned to what a screen can show. */
function drawnPoints(points: readonly LinePoint[]): (LinePoint & { peak: number })[] {
  const peaks = runningPeak(points.map((point) => point.value));
  const curve = points.map((point, index) => ({ ...point, peak: peaks[index] ?? 0 }));
  const known = curve.flatMap(({ value, ...point }) => (value === null ? [] : [{ ...point, value }]));
  return known.length === curve.length ? thinCurve(known) : curve;
}

/**
 * A cumulative result over time with the drawdown shaded under its running peak. Gaps stay gaps. It takes the whole
 * curve and thins it for drawing by itself, so that its words speak of every point.
 */
export function LineChart({
  name,
  unit,
  points,
  digits = 2,
  drawdown = true,
  mark,
  clock = UTC_CLOCK,
  notes,
  simulated,
}: {
  name: string;
  unit: string;
  points: readonly LinePoint[];
  digits?: number;
  drawdown?: boolean;
  /** A moment that splits the curve, such as the first live report. */
  mark?: { at: Date; label: string };
  clock?: Clock;
  notes?: ReactNode;
  simulated?: boolean;
}) {
  const values = points.map((point) => point.value);
  const known = values.filter((value) => value !== null);
  const domain = paddedDomain(known, { zero: true });
  const y = linearScale(domain, [HEIGHT - 4, 10]);
  const drawn = drawnPoints(points);
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
  const bands = unbrokenRuns(
    drawn.map((point, index) => ({ x: index, y: point.value === null ? null : y(point.value) })),
  ).map((run) =>
    run.map(({ x: index, y: lower }) => ({
      x: xOf(drawn[index]?.at ?? new Date(firstAt)),
      upper: y(drawn[index]?.peak ?? 0),
      lower,
    })),
  );

  return (
    <ChartFrame
      summary={describeLine(name, points, unit, digits, clock)}
      unit={unit}
      notes={notes}
      simulated={simulated}
      height={HEIGHT}
      yMarks={[
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
      ]}
      xMarks={timeMarks(new Date(firstAt), new Date(lastAt), clock, (at) => share(at.getTime()))}
      twin={{
        columns: [`Time, ${clockName(clock, new Date(lastAt))}`, `${name}, ${unit}`, "Below peak"],
        rows: drawn.map((point) => [
          formatTimeOn(clock, point.at),
          point.value === null ? "no data" : formatSigned(point.value, digits),
          point.value === null ? "" : formatNumber(point.peak - point.value, digits),
        ]),
      }}
    >
      <Stretched height={HEIGHT}>
        {drawdown && <path d={bands.map(bandPath).join("")} className="fill-down/14" />}
      </Stretched>
      <line x1="0" x2="100%" y1={y(0)} y2={y(0)} className="chart-zero" />
      <Stretched height={HEIGHT}>
        <path
          d={linePath(
            drawn.map((point) => ({ x: xOf(point.at), y: point.value === null ? null : y(point.value) })),
          )}
          className="chart-line"
        />
      </Stretched>
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
            const place = placeLabel(curve, share(trough.at.getTime()), width, HEIGHT);
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
    </ChartFrame>
  );
}
