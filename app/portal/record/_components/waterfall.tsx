import { ChartFrame } from "@/app/_components/chart/chart-frame";
import { percentOf } from "@/app/_components/chart/percent-of";
import { classNames } from "@/app/_components/class-names";
import { formatNumber, formatSigned, formatSignedShort } from "@/app/_components/figures";
import { linearScale, niceTicks, paddedDomain, tickDigits } from "@/lib/engine/chart/scale";

/** A bar of the waterfall: a change, or a total (`isLevel`) that is drawn from zero. */
export interface WaterfallStep {
  label: string;
  /** A short label below a bar. */
  short: string;
  value: number;
  n: number;
  isLevel?: boolean;
  /** A change that is neither a gain nor a loss; its bar is grey. */
  isUnknown?: boolean;
}

const HEIGHT = 220;
const BAR_SHARE = 0.66;

/** A waterfall chart: the changes that lead from one total to another. */
export function Waterfall({
  summary,
  steps,
  notes,
}: {
  summary: string;
  steps: readonly WaterfallStep[];
  notes: string;
}) {
  const bars = placed(steps);
  const domain = paddedDomain(
    bars.flatMap(({ from, to }) => [from, to]),
    { zero: true, air: 0.16 },
  );
  const y = linearScale(domain, [HEIGHT - 1, 1]);
  const ticks = niceTicks(domain, 4);
  const width = 1 / Math.max(1, bars.length);
  const middle = (index: number) => (index + 0.5) * width;

  return (
    <ChartFrame
      summary={summary}
      unit="R"
      notes={notes}
      height={HEIGHT}
      yMarks={ticks.map((tick) => ({ at: y(tick), label: formatNumber(tick, tickDigits(ticks)) }))}
      xMarks={bars.map((bar, index) => ({
        at: middle(index),
        label: bar.short,
      }))}
      slanted
      twin={{
        columns: ["Step", "R", "n"],
        rows: bars.map((bar) => [bar.label, formatSigned(bar.value), formatNumber(bar.n)]),
      }}
    >
      {bars.map((bar, index) => {
        const top = Math.min(y(bar.from), y(bar.to));
        const next = bars[index + 1];
        return (
          <g key={bar.label}>
            <rect
              x={percentOf(middle(index) - (BAR_SHARE * width) / 2)}
              width={percentOf(BAR_SHARE * width)}
              y={top}
              height={Math.max(1, Math.abs(y(bar.to) - y(bar.from)))}
              rx="1.5"
              className={barStyle(bar)}
            />
            <text
              x={percentOf(middle(index))}
              y={top - 5}
              textAnchor="middle"
              className={classNames("chart-text-strong chart-halo", "phone:text-[9px]")}
            >
              <tspan className="phone:hidden">{formatSigned(bar.value, 1)}</tspan>
              <tspan className="hidden phone:inline">{formatSignedShort(bar.value)}</tspan>
            </text>
            {next && (
              <line
                x1={percentOf(middle(index))}
                x2={percentOf(middle(index + 1))}
                y1={y(bar.to)}
                y2={y(bar.to)}
                strokeDasharray="2 3"
                className="chart-zero"
              />
            )}
          </g>
        );
      })}
      <line x1="0" x2="100%" y1={y(0)} y2={y(0)} className="chart-zero" />
    </ChartFrame>
  );
}

function barStyle({ isLevel, isUnknown, value }: WaterfallStep): string {
  if (isLevel) return "chart-count";
  if (isUnknown) return "fill-faint";
  return value < 0 ? "fill-down" : "fill-up";
}

/** Each step with its start and end. */
function placed(steps: readonly WaterfallStep[]): (WaterfallStep & { from: number; to: number })[] {
  let level = 0;
  return steps.map((step) => {
    const from = step.isLevel ? 0 : level;
    level = from + step.value;
    return { ...step, from, to: level };
  });
}
