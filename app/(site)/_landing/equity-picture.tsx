import { StretchedPlot } from "@/app/_components/chart/chart-frame";
import { describeLine, type LinePoint } from "@/app/_components/chart/line-chart";
import { linePath } from "@/app/_components/chart/line-path";
import { percentOf } from "@/app/_components/chart/percent-of";
import { timeTicks } from "@/app/_components/chart/time-ticks";
import { formatNumber } from "@/app/_components/figures";
import { equityCurves } from "@/app/(site)/_record/curves";
import { linearScale, niceTicks, paddedDomain, tickDigits } from "@/lib/engine/chart/scale";
import { thinCurve } from "@/lib/engine/chart/thin-curve";
import { UTC_CLOCK } from "@/lib/market/clock";
import type { PublicRecord } from "@/lib/wire/contracts/record";

const HEIGHT = 168;
const DRAWING_WIDTH = 1000;
const TICKS = 3;

/**
 * The cumulative result compared with random entries, as a static chart. The record page has the same chart with a
 * table.
 */
export function EquityPicture({ record }: { record: PublicRecord }) {
  const { model, comparisons } = equityCurves(record.curve);
  const coin = comparisons[0]?.points ?? [];
  const values = [...model, ...coin].flatMap(({ value }) => (value === null ? [] : [value]));
  const domain = paddedDomain(values, { zero: true });
  const y = linearScale(domain, [HEIGHT - 4, 6]);
  const [first, last] = [model[0]?.at ?? new Date(0), model.at(-1)?.at ?? new Date(1)];
  const share = linearScale([first.getTime(), last.getTime()], [0, 1]);
  const pathOf = (points: readonly LinePoint[]) =>
    linePath(
      thinCurve(points.flatMap(({ at, value }) => (value === null ? [] : [{ at, value }]))).map(
        ({ at, value }) => ({ x: share(at.getTime()) * DRAWING_WIDTH, y: y(value) }),
      ),
    );
  const ticks = niceTicks(domain, TICKS);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap gap-x-5 text-xs text-muted">
        <LegendEntry name="The signals" className="chart-line" />
        <LegendEntry name="Random entries (coin)" className="chart-comparison" dashes="6 4" />
        <span className="ml-auto text-faint">R</span>
      </figcaption>
      <div className="flex">
        <svg
          width="100%"
          height={HEIGHT + 22}
          role="img"
          aria-label={describeLine("All slots together", model, "R", 1)}
          className="block min-w-0 flex-1 overflow-visible"
        >
          {ticks.map((tick) => (
            <line
              key={tick}
              x1="0"
              x2="100%"
              y1={y(tick)}
              y2={y(tick)}
              className={tick === 0 ? "chart-zero" : "chart-grid"}
            />
          ))}
          <StretchedPlot height={HEIGHT}>
            <path d={pathOf(coin)} strokeDasharray="6 4" className="chart-comparison" />
            <path d={pathOf(model)} className="chart-line" />
          </StretchedPlot>
          {timeTicks(first, last, UTC_CLOCK, (at) => share(at.getTime())).map((mark) => (
            <text
              key={mark.at}
              x={percentOf(mark.at)}
              y={HEIGHT + 16}
              textAnchor={mark.at < 0.06 ? "start" : mark.at > 0.94 ? "end" : "middle"}
              className={mark.minor ? "chart-text phone:hidden" : "chart-text"}
            >
              {mark.label}
            </text>
          ))}
        </svg>
        <svg width="40" height={HEIGHT} aria-hidden="true" className="shrink-0 overflow-visible">
          {ticks.map((tick) => (
            <text key={tick} x="40" y={y(tick)} dy="0.35em" textAnchor="end" className="chart-text">
              {formatNumber(tick, tickDigits(ticks))}
            </text>
          ))}
        </svg>
      </div>
    </figure>
  );
}

function LegendEntry({ name, className, dashes }: { name: string; className: string; dashes?: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg width="24" height="8" aria-hidden="true">
        <line x1="0" x2="24" y1="4" y2="4" strokeDasharray={dashes} className={className} />
      </svg>
      {name}
    </span>
  );
}
