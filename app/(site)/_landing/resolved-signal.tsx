import { type ChartCandle, drawCandles } from "@/app/_components/chart/candle-paths";
import { Stretched } from "@/app/_components/chart/chart-frame";
import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import { Timestamp } from "@/app/_components/timestamp";
import { linearScale, paddedDomain } from "@/lib/engine/chart/scale";
import type { FinishedSignal } from "./finished-signal";

const HEIGHT = 220;
const SPACE = 0.62;

/** One signal of the record as a trader sees it: the candles, where it got in, its target and stop, and what it came to. */
export function ResolvedSignal({ finished }: { finished: FinishedSignal }) {
  const { symbol, timeframe, direction, confidence, at, entry, target, stop, result, candles, digits } =
    finished;
  const y = linearScale(
    paddedDomain([...candles.flatMap(({ high, low }) => [high, low]), entry, target, stop], { air: 0.06 }),
    [HEIGHT - 4, 4],
  );
  const center = (index: number) => (index + 0.5) / candles.length;
  const drawn = drawCandles(candles, center, SPACE / candles.length, y);
  const entered = candles.findIndex((candle: ChartCandle) => candle.at > at);
  const levels = [
    { name: "Target", price: target, className: "stroke-up" },
    { name: "Entry", price: entry, className: "stroke-ink" },
    { name: "Stop", price: stop, className: "stroke-down" },
  ];
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border bg-raised">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b px-5 py-3 text-sm">
        <span className="font-medium">
          {symbol} {timeframe}
        </span>
        <span className="text-muted">
          <Timestamp at={at} />
        </span>
      </figcaption>
      <div className="flex items-center justify-between gap-4 px-5 pt-4">
        <DirectionMark direction={direction} />
        <span className="text-sm text-muted tabular-nums">
          confidence {formatNumber(confidence * 100, 0)} %
        </span>
      </div>
      <div className="relative mt-2 pr-24 pl-5">
        <svg
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`${symbol} ${timeframe}: ${direction} at ${formatNumber(entry, digits)}, target ${formatNumber(target, digits)}, stop ${formatNumber(stop, digits)}, result ${formatSigned(result, 2)} R`}
          className="block overflow-visible"
        >
          {levels.map(({ name, price, className }) => (
            <line
              key={name}
              x1={`${(center(Math.max(0, entered)) * 100).toFixed(1)}%`}
              x2="100%"
              y1={y(price)}
              y2={y(price)}
              strokeDasharray={name === "Entry" ? undefined : "4 3"}
              className={className}
            />
          ))}
          <Stretched height={HEIGHT}>
            {(["up", "down"] as const).map((side) => (
              <g key={side} className={side === "up" ? "stroke-up" : "stroke-down"}>
                <path d={drawn[side].wicks} className="chart-candle" />
                <path
                  d={drawn[side].bodies}
                  className={side === "up" ? "chart-candle fill-raised" : "chart-candle fill-down"}
                />
              </g>
            ))}
          </Stretched>
          {levels.map(({ name, price }) => (
            <text key={name} x="100%" y={y(price)} className="fill-muted text-xs tabular-nums">
              <tspan x="100%" dx="10" dy="-2">
                {name}
              </tspan>
              <tspan x="100%" dx="10" dy="14" className="fill-ink">
                {formatNumber(price, digits)}
              </tspan>
            </text>
          ))}
        </svg>
      </div>
      <p className="border-t px-5 py-3 text-sm text-muted">
        It came to{" "}
        <strong className="font-semibold text-ink tabular-nums">{formatSigned(result, 2)} R</strong> after
        costs. One signal of many, the newest that is complete.
      </p>
    </figure>
  );
}
