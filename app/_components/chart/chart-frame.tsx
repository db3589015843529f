import { Table2 } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "@/app/_components/class-names";
import { ChartTable, type ChartTableData } from "./chart-table";
import { percentOf } from "./percent-of";

/** `minor` marks are hidden on a phone; `strong` marks displace their neighbours. */
export type AxisTick = {
  at: number;
  label: string;
  /** Lines below the label of an x mark, such as the sample size. */
  sub?: readonly string[] | undefined;
  strong?: boolean;
  minor?: boolean;
};
/** Height of slanted labels on a phone. */
const SLANTED = "phone:h-16";
/** A column of the plot that is a link, from its left to its right edge. */
export type PlotLink = { from: number; to: number; href: string; label: string };
/** The page's own address with the table, and whether the table is shown. */
export type ChartTableToggle = { href: string; isOpen: boolean };
/** x is a share, y is in pixels; null: no value. */
export type CurvePoint = { x: number; y: number | null };

const CHARACTER_PX = 6.7;
/** Height in pixels of a line below the label of an x mark. */
const SUB_PX = 15;
const NEAR_PX = 13;
const ROOMY_MARKS = 4;

/** A drawing with its marks along both axes. */
type Plot = { yMarks: readonly AxisTick[]; xMarks: readonly AxisTick[]; children: ReactNode };

type Props = Plot & {
  summary: string;
  /** The title of the y axis. */
  unit?: string;
  /** Sample, interval and time zone of the data. */
  notes?: ReactNode;
  height: number;
  twin: ChartTableData;
  /** On a heavy page the table is rendered only at this address. */
  table?: ChartTableToggle | undefined;
  /** A smaller plot for phones. */
  phone?: Plot | undefined;
  /** On a phone the x labels are slanted, because they are too many to fit side by side. */
  slanted?: boolean;
  /** The legend below the plot. */
  legend?: ReactNode;
  links?: readonly PlotLink[];
  /** Every point of a curve in the order of the table's rows, for the crosshair. */
  curve?: readonly CurvePoint[];
  /** Renders an interactive chart over the static picture. */
  over?: (picture: ReactNode) => ReactNode;
};

/**
 * The frame of every chart: a summary sentence, the plot with its axes, and the same data as a table. The plot is as wide
 * as its container. Positions along x are shares in 0..1, positions along y are pixels, so that text does not shrink with
 * the drawing. The server renders all of it.
 */
export function ChartFrame(props: Props) {
  const { summary, unit, notes, twin, table, over, phone, legend } = props;
  // Whether the table's rows are sent for the crosshair.
  const sendsTable = table !== undefined && !table.isOpen;
  const whole = pictureOf(props, sendsTable);
  const picture = phone ? (
    <>
      <div className="phone:hidden">{whole}</div>
      <div className="hidden phone:block">{pictureOf({ ...props, ...phone }, sendsTable)}</div>
    </>
  ) : (
    whole
  );
  return (
    <figure className="min-w-0">
      <div className="mb-2 flex min-h-5 flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs text-faint">
        <span>{notes}</span>
        {unit && <span className="ml-auto">{unit}</span>}
      </div>
      {over ? over(picture) : picture}
      {legend}
      <figcaption className="mt-3 text-sm text-muted">{summary}</figcaption>
      {table && !table.isOpen ? (
        <a
          href={table.href}
          data-keeps-scroll
          className="mt-2 inline-flex min-h-6 items-center gap-1.5 text-sm text-muted hover:text-ink"
        >
          <Table2 aria-hidden="true" className="size-3.5" />
          Show the table
        </a>
      ) : (
        <ChartTable twin={twin} about={summary} open={table?.isOpen} />
      )}
    </figure>
  );
}

/** The plot and its axes. */
function pictureOf(
  { summary, height, yMarks, xMarks, twin, links = [], curve, slanted = false, children }: Props,
  sendsTable: boolean,
): ReactNode {
  const strong = yMarks.filter((mark) => mark.strong);
  const shown = yMarks.filter(
    (mark) => mark.strong || strong.every((other) => Math.abs(other.at - mark.at) > NEAR_PX),
  );
  const axisPx = Math.ceil(Math.max(3, ...shown.map((mark) => mark.label.length)) * CHARACTER_PX) + 8;
  const subLines = Math.max(0, ...xMarks.map(({ sub }) => sub?.length ?? 0));
  const xHeight = 22 + subLines * (SUB_PX + 1);
  return (
    <>
      <div className="flex">
        <div className="relative min-w-0 flex-1">
          <svg
            width="100%"
            height={height}
            role="img"
            aria-label={summary}
            className="block overflow-visible"
          >
            {yMarks
              .filter((mark) => !mark.strong)
              .map((mark) => (
                <line key={mark.label} x1="0" x2="100%" y1={mark.at} y2={mark.at} className="chart-grid" />
              ))}
            {children}
          </svg>
          {links.length > 0 && <PlotLinks links={links} height={height} />}
          {curve && <Crosshair curve={curve} height={height} twin={sendsTable ? twin : null} />}
        </div>
        {shown.length > 0 && (
          <svg width={axisPx} height={height} aria-hidden="true" className="shrink-0 overflow-visible">
            {shown.map((mark) => (
              <text
                key={`${mark.label}${mark.strong ? "!" : ""}`}
                x={axisPx}
                y={mark.at}
                dy="0.35em"
                textAnchor="end"
                className={mark.strong ? "chart-text-strong" : "chart-text"}
              >
                {mark.label}
              </text>
            ))}
          </svg>
        )}
      </div>
      {xMarks.length > 0 && (
        <div className="flex">
          <div className="min-w-0 flex-1">
            <svg
              width="100%"
              height={xHeight}
              aria-hidden="true"
              className={classNames("block overflow-visible", slanted && SLANTED)}
            >
              {slanted &&
                xMarks.map((mark) => (
                  <svg
                    key={`${mark.at}`}
                    aria-hidden="true"
                    x={percentOf(mark.at)}
                    y="10"
                    className="overflow-visible"
                  >
                    <text
                      transform="rotate(-45)"
                      textAnchor="end"
                      className="chart-text hidden phone:block phone:text-[10px]"
                    >
                      {mark.label}
                    </text>
                  </svg>
                ))}
              {xMarks.map((mark) => (
                <text
                  key={`${mark.at}`}
                  x={percentOf(mark.at)}
                  y="16"
                  textAnchor={mark.at < 0.04 ? "start" : mark.at > 0.96 ? "end" : "middle"}
                  className={classNames(
                    "chart-text",
                    (mark.minor || slanted) && "phone:hidden",
                    xMarks.length > ROOMY_MARKS && "phone:text-[9px]",
                  )}
                >
                  {mark.label}
                  {mark.sub?.map((line) => (
                    <tspan
                      key={line}
                      x={percentOf(mark.at)}
                      dy={SUB_PX}
                      className="chart-text phone:text-[9px]"
                    >
                      {line}
                    </tspan>
                  ))}
                </text>
              ))}
            </svg>
          </div>
          {shown.length > 0 && (
            <svg width={axisPx} height={xHeight} aria-hidden="true" className="shrink-0" />
          )}
        </div>
      )}
    </>
  );
}

/**
 * A line that follows the pointer or the arrow keys along a curve and shows the row of the table at that point;
 * `public/enhance.js` moves it. The rows are sent with the crosshair if the page has no table.
 */
function Crosshair({
  curve,
  height,
  twin,
}: {
  curve: readonly CurvePoint[];
  height: number;
  twin: ChartTableData | null;
}) {
  const places = curve.map(({ x, y }) => `${x.toFixed(4)},${y === null ? "" : y.toFixed(1)}`).join(" ");
  return (
    <div
      data-curve={places}
      data-curve-table={twin ? JSON.stringify([twin.columns, ...twin.rows]) : undefined}
      role="application"
      aria-label="The curve, point by point. Left and right move along it."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the crosshair
      tabIndex={0}
      className="absolute inset-0 rounded-sm outline-none focus-visible:outline-2 focus-visible:outline-accent print:hidden"
    >
      <div data-curve-cross="" hidden>
        <svg width="100%" height={height} aria-hidden="true" className="overflow-visible">
          <line y1="0" y2={height} strokeDasharray="2 3" className="chart-zero" />
          <circle r="4" className="fill-accent stroke-raised stroke-2" />
        </svg>
      </div>
      <p
        data-curve-says=""
        aria-live="polite"
        hidden
        className="pointer-events-none absolute top-1 left-1 z-10 rounded-sm bg-raised/90 px-1.5 py-0.5 text-xs text-ink tabular-nums"
      />
    </div>
  );
}

/** Links over the columns of a plot, outside of the picture, because screen readers treat the picture as one image. */
function PlotLinks({ links, height }: { links: readonly PlotLink[]; height: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a drawing
    <svg
      width="100%"
      height={height}
      role="group"
      aria-label="The bars as links"
      className="absolute inset-0 overflow-visible print:hidden"
    >
      {links.map(({ from, to, href, label }) => (
        <a
          key={href}
          href={href}
          aria-label={label}
          className="outline-none [&:focus-visible>rect]:stroke-accent"
        >
          <title>{label}</title>
          <rect
            x={percentOf(from)}
            width={percentOf(to - from)}
            y="0"
            height={height}
            rx="2"
            className="fill-transparent stroke-transparent stroke-2 hover:fill-ink/5"
          />
        </a>
      ))}
    </svg>
  );
}

/**
 * The stretched part of the plot: a view box 1000 wide. A stroke in it keeps its width only with
 * `vector-effect: non-scaling-stroke`, as in `chart-line`.
 */
export function StretchedPlot({ height, children }: { height: number; children: ReactNode }) {
  return (
    <svg
      x="0"
      y="0"
      width="100%"
      height={height}
      viewBox={`0 0 1000 ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="overflow-visible"
    >
      {children}
    </svg>
  );
}
