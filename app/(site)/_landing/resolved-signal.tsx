import { candlePaths } from "@/app/_components/chart/candle-paths";
import { StretchedPlot } from "@/app/_components/chart/chart-frame";
import { percentOf } from "@/app/_components/chart/percent-of";
import { DirectionMark } from "@/app/_components/direction-mark";
import { countWithNoun, formatNumber, formatShare, formatSigned } from "@/app/_components/figures";
import { Timestamp } from "@/app/_components/timestamp";
import { linearScale, paddedDomain } from "@/lib/engine/chart/scale";
import type { ExitReason } from "@/lib/vocabulary";
import type { ExampleSignal } from "./finished-signal";
import { separateLabels } from "./separate-labels";

const HEIGHT = 260;
const SPACE = 0.62;
/** Height of a price label in pixels: two lines of text. */
const LABEL_PX = 30;

const ENDED: Record<ExitReason, string> = { TP: "Target reached", SL: "Stopped out", TIMEOUT: "Closed" };

/** One signal of the record as a trader sees it: the candles, entry and exit, target and stop, and the result. */
export function ResolvedSignal({ finished }: { finished: ExampleSignal }) {
  const { trade, target, stop, candles, nHeld, digits } = finished;
  const { symbol, timeframe, direction, confidence, ts, exitReason } = trade;
  const { entryPrice: entry, exitPrice: exit, resultR: result } = trade;
  const y = linearScale(
    paddedDomain([...candles.flatMap(({ high, low }) => [high, low]), entry, target, stop], { air: 0.06 }),
    [HEIGHT - 4, 4],
  );
  const center = (index: number) => (index + 0.5) / candles.length;
  const drawn = candlePaths(candles, center, SPACE / candles.length, y);
  const [entered, left] = [center(candles.length - nHeld - 1), center(candles.length - 1)];
  const write = (price: number) => formatNumber(price, digits);
  const levels = [
    { name: "Target", price: target, className: "stroke-up", dashes: "4 3" },
    { name: "Entry", price: entry, className: "stroke-ink", dashes: undefined },
    { name: "Stop", price: stop, className: "stroke-down", dashes: "4 3" },
  ];
  // A trade that ended at the target or the stop needs no Exit label: that level has one already.
  const labels = [...levels, ...(exitReason === "TIMEOUT" ? [{ name: "Exit", price: exit }] : [])];
  const places = separateLabels(
    labels.map(({ price }) => y(price)),
    { gap: LABEL_PX, from: LABEL_PX / 2, to: HEIGHT - LABEL_PX / 2 },
  );
  const ended = `${ENDED[exitReason]} after ${countWithNoun(nHeld, "candle")} at ${write(exit)}`;
  return (
    <figure className="flex min-w-0 flex-col overflow-hidden rounded-lg border bg-raised">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b px-4 py-3 text-sm sm:px-6">
        <h3 className="text-base break-words">
          Example: {symbol} {timeframe}
        </h3>
        <span className="text-muted">
          <Timestamp at={ts} />
        </span>
      </figcaption>
      <div className="flex items-center justify-between gap-4 px-4 pt-4 sm:px-6">
        <DirectionMark direction={direction} />
        <span className="text-sm text-muted tabular-nums">confidence {formatShare(confidence)}</span>
      </div>
      <div className="relative mt-2 grow pr-24 pb-4 pl-4 sm:pl-6">
        <svg
          width="100%"
          height={HEIGHT}
          role="img"
          aria-label={`${symbol} ${timeframe}: ${direction} at ${write(entry)}, target ${write(target)}, stop ${write(stop)}. ${ended}, result ${formatSigned(result, 2)} R`}
          className="block overflow-visible"
        >
          {levels.map(({ name, price, className, dashes }) => (
            <line
              key={name}
              x1={percentOf(entered)}
              x2="100%"
              y1={y(price)}
              y2={y(price)}
              strokeDasharray={dashes}
              className={className}
            />
          ))}
          <StretchedPlot height={HEIGHT}>
            {(["up", "down"] as const).map((side) => (
              <g key={side} className={side === "up" ? "stroke-up" : "stroke-down"}>
                <path d={drawn[side].wicks} className="chart-candle" />
                <path
                  d={drawn[side].bodies}
                  className={side === "up" ? "chart-candle fill-raised" : "chart-candle fill-down"}
                />
              </g>
            ))}
          </StretchedPlot>
          <line
            x1={percentOf(entered)}
            x2={percentOf(left)}
            y1={y(entry)}
            y2={y(exit)}
            strokeDasharray="1 3"
            className="stroke-accent stroke-2"
          />
          {[
            { name: "Entry", at: entered, price: entry },
            { name: "Exit", at: left, price: exit },
          ].map((mark) => (
            <g key={mark.name}>
              <circle
                cx={percentOf(mark.at)}
                cy={y(mark.price)}
                r="4.5"
                className="fill-accent stroke-raised stroke-2"
              />
              <text
                x={percentOf(mark.at)}
                y={y(mark.price)}
                dx={mark.name === "Exit" ? "-8" : "8"}
                dy="-8"
                textAnchor={mark.name === "Exit" ? "end" : "start"}
                className="chart-text-strong chart-halo"
              >
                {mark.name}
              </text>
            </g>
          ))}
          {labels.map(({ name, price }, index) => (
            <text key={name} x="100%" y={places[index]} className="fill-muted text-xs tabular-nums">
              <tspan x="100%" dx="10" dy="-2">
                {name}
              </tspan>
              <tspan x="100%" dx="10" dy="14" className="fill-ink">
                {write(price)}
              </tspan>
            </text>
          ))}
        </svg>
      </div>
      <p className="border-t px-4 py-3 text-sm text-muted sm:px-6">
        {ended}. Result:{" "}
        <strong className="font-semibold text-ink tabular-nums">{formatSigned(result, 2)} R</strong>. This is
        the newest resolved trade, not a selected one.
      </p>
    </figure>
  );
}
