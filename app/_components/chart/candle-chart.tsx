import type { ReactNode } from "react";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { formatDateTimeOn, formatInstantOn } from "@/app/_components/times";
import { linearScale, niceTicks } from "@/lib/engine/chart/scale";
import { clockOffsetLabel, UTC_CLOCK, type WallClock, wallTime } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { MINUTE_MS } from "@/lib/time";
import type { Direction, Side } from "@/lib/vocabulary";
import type { DrawnCandles, PositionFillMark, PriceLevel } from "./candle-drawing";
import { type ChartCandle, candlePaths } from "./candle-paths";
import { PHONE_CANDLES, priceDomain } from "./candle-scale";
import { ChartFrame, type ChartTableToggle, StretchedPlot } from "./chart-frame";
import { LiveCandles } from "./live-candles";
import { percentOf } from "./percent-of";
import { columnTimeTicks } from "./time-ticks";

export type { ChartCandle };
export type ChartSignal = { at: Date; direction: Direction };

const HEIGHT = 280;
const EDGE_PX = 6;
const LEVEL_STROKE = {
  entry: "stroke-ink",
  exit: "stroke-accent",
  stop: "stroke-down",
  target: "stroke-up",
} as const;
/** Entries and exits are solid lines, planned levels are dashed. */
const LEVEL_DASHES = { entry: undefined, exit: undefined, stop: "5 4", target: "5 4" } as const;
const GAP_FACTOR = 1.5;

/**
 * Candles in equal columns; a gap in time (a weekend, missing data) leaves one column empty. Rising candles are hollow,
 * falling ones filled; BUY and SELL signals are drawn at their candle.
 */
export function CandleChart({
  symbol,
  timeframe,
  timeframeMinutes,
  candles,
  signals,
  levels = [],
  fills = [],
  digits: symbolDigits,
  clock = UTC_CLOCK,
  notes,
  table,
}: {
  symbol: string;
  timeframe: string;
  timeframeMinutes: number;
  candles: readonly ChartCandle[];
  /** If omitted, the summary does not count signals. */
  signals?: readonly ChartSignal[];
  /** Prices of a signal or a position, drawn as lines. */
  levels?: readonly PriceLevel[];
  /** Where a position was opened and closed. */
  fills?: readonly PositionFillMark[];
  digits: number;
  clock?: WallClock;
  notes?: ReactNode;
  table?: ChartTableToggle;
}) {
  const digits = priceDigits(symbolDigits, [
    ...candles.map((candle) => candle.low),
    ...levels.map(({ price }) => price),
  ]);
  const placeOf = new Map(candles.map((candle, index) => [candle.at.getTime(), index]));
  const shownSignals = (signals ?? []).flatMap((signal) => {
    const index = placeOf.get(signal.at.getTime());
    const candle = index === undefined ? undefined : candles[index];
    return candle && index !== undefined && signal.direction !== "NO_TRADE"
      ? [{ at: signal.at, direction: signal.direction satisfies Side, candle, index }]
      : [];
  });
  const gaps = candles.flatMap(({ at }, index) => {
    const before = candles[index - 1];
    return before && at.getTime() - before.at.getTime() > timeframeMinutes * MINUTE_MS * GAP_FACTOR
      ? [index]
      : [];
  });
  const parts = { candles, signals: shownSignals, gaps, levels, fills, digits, clock };
  const plot = plotOf(parts, 0);

  const countOf = (side: Side) =>
    countWithNoun(shownSignals.filter(({ direction }) => direction === side).length, `${side} signal`);
  const first = candles[0];
  const last = candles.at(-1);
  const summary =
    first && last
      ? `${symbol} ${timeframe}, ${countWithNoun(candles.length, "candle")} from ${formatInstantOn(clock, first.at)} to ${formatInstantOn(clock, last.at)}: last close ${formatNumber(last.close, digits)}, range ${formatNumber(Math.min(...candles.map((candle) => candle.low)), digits)} to ${formatNumber(Math.max(...candles.map((candle) => candle.high)), digits)}${signals ? `; ${countOf("BUY")}, ${countOf("SELL")}` : ""}${gaps.length > 0 ? `; ${countWithNoun(gaps.length, "gap")} without candles` : ""}${levels.map(({ label, price }) => `; ${label} ${formatNumber(price, digits)}`).join("")}.`
      : `${symbol} ${timeframe}: no candles yet.`;
  const signalAt = new Map(shownSignals.map((signal) => [signal.index, signal.direction]));
  const live: DrawnCandles = {
    candles: candles.map(({ at, open, high, low, close }) => [
      // One offset for all candles: at the end of summer time two candles would otherwise share a wall time.
      (at.getTime() + wallTime(clock, last?.at ?? at).getTime() - (last?.at ?? at).getTime()) / 1000,
      open,
      high,
      low,
      close,
    ]),
    labels: candles.map((candle, index) => ({
      time: formatDateTimeOn(clock, candle.at),
      open: formatNumber(candle.open, digits),
      high: formatNumber(candle.high, digits),
      low: formatNumber(candle.low, digits),
      close: formatNumber(candle.close, digits),
      signal: signalAt.get(index) ?? null,
    })),
    signals: shownSignals.map(({ index, direction }) => ({ index, side: direction })),
    ...{ levels, fills, digits },
  };

  return (
    <ChartFrame
      summary={summary}
      unit={`${symbol}, price`}
      notes={
        <span>
          {notes ??
            `${timeframe} candles at their opening${last ? `, ${clockOffsetLabel(clock, last.at)}` : ""}`}
          {candles.length > PHONE_CANDLES && (
            <span className="hidden phone:inline">, the newest {PHONE_CANDLES}</span>
          )}
        </span>
      }
      table={table}
      over={
        first &&
        ((picture) => (
          <LiveCandles data={live} label={`${symbol} ${timeframe} candles`}>
            {picture}
          </LiveCandles>
        ))
      }
      height={HEIGHT}
      yMarks={plot.yMarks}
      xMarks={plot.xMarks}
      phone={candles.length > PHONE_CANDLES ? plotOf(parts, candles.length - PHONE_CANDLES) : undefined}
      legend={legendOf(parts)}
      twin={{
        columns: [
          `Candle, ${clockOffsetLabel(clock, last?.at ?? new Date(0))}`,
          "Open",
          "High",
          "Low",
          "Close",
          "Signal",
          ...(fills.length > 0 ? ["Yours"] : []),
        ],
        rows: candles.map((candle, index) => [
          formatDateTimeOn(clock, candle.at),
          formatNumber(candle.open, digits),
          formatNumber(candle.high, digits),
          formatNumber(candle.low, digits),
          formatNumber(candle.close, digits),
          signalAt.get(index) ?? "",
          ...(fills.length > 0
            ? [
                fills
                  .filter((fill) => fill.index === index)
                  .map(({ label, price }) => `${label} ${formatNumber(price, digits)}`)
                  .join(", "),
              ]
            : []),
        ]),
      }}
    >
      {plot.children}
    </ChartFrame>
  );
}

interface Parts {
  candles: readonly ChartCandle[];
  signals: readonly { at: Date; direction: Side; candle: ChartCandle; index: number }[];
  /** Indexes of candles after a gap in time. */
  gaps: readonly number[];
  levels: readonly PriceLevel[];
  fills: readonly PositionFillMark[];
  digits: number;
  clock: WallClock;
}

/** The plot of the candles from an index on, scaled to these candles, to `levels` and to the fills at these candles. */
function plotOf({ candles: all, signals, gaps, levels, fills, digits, clock }: Parts, from: number) {
  const candles = all.slice(from);
  const own = fills.filter(({ index }) => index >= from);
  const domain = priceDomain([
    ...candles.flatMap((candle) => [candle.high, candle.low]),
    ...[...levels, ...own].map(({ price }) => price),
  ]);
  const y = linearScale(domain, [HEIGHT - EDGE_PX, EDGE_PX]);
  const shownGaps = gaps.filter((index) => index > from);
  const count = Math.max(1, candles.length + shownGaps.length);
  const placeOf = (index: number) => index - from + shownGaps.filter((gap) => gap <= index).length;
  const center = (index: number) => (placeOf(index) + 0.5) / count;
  const drawn = candlePaths(candles, (index) => center(from + index), 0.62 / count, y);
  const last = candles.at(-1);
  const strong = levels.length > 0 ? levels.map(({ price }) => price) : last ? [last.close] : [];
  return {
    yMarks: [
      ...niceTicks(domain, 5).map((tick) => ({ at: y(tick), label: formatNumber(tick, digits) })),
      ...strong.map((price) => ({ at: y(price), label: formatNumber(price, digits), strong: true })),
    ],
    xMarks: columnTimeTicks(
      candles.map((candle) => candle.at),
      clock,
      (index) => center(from + index),
    ),
    children: (
      <>
        {shownGaps.map((gap) => (
          <line
            key={gap}
            x1={percentOf((placeOf(gap) - 0.5) / count)}
            x2={percentOf((placeOf(gap) - 0.5) / count)}
            y1="0"
            y2={HEIGHT}
            strokeDasharray="2 4"
            className="chart-grid"
          />
        ))}
        <StretchedPlot height={HEIGHT}>
          {(["up", "down"] as const).map((side) => {
            const { wicks, bodies } = drawn[side];
            return (
              <g key={side} className={side === "up" ? "stroke-up" : "stroke-down"}>
                <path d={wicks} className="chart-candle" />
                <path
                  d={bodies}
                  className={side === "up" ? "chart-candle fill-raised" : "chart-candle fill-down"}
                />
              </g>
            );
          })}
        </StretchedPlot>
        {signals
          .filter(({ index }) => index >= from)
          .map(({ at, direction, candle, index }) => (
            <svg
              key={at.getTime()}
              aria-hidden="true"
              x={percentOf(center(index))}
              y={direction === "BUY" ? y(candle.low) + 6 : y(candle.high) - 6}
              className="overflow-visible"
            >
              <SideMark side={direction} />
            </svg>
          ))}
        {levels.map(({ kind, price }) => (
          <line
            key={`${kind}${price}`}
            x1="0"
            x2="100%"
            y1={y(price)}
            y2={y(price)}
            strokeDasharray={LEVEL_DASHES[kind]}
            className={LEVEL_STROKE[kind]}
          />
        ))}
        {own.map(({ index, price, label, kind }) => (
          <svg
            key={label}
            aria-hidden="true"
            x={percentOf(center(index))}
            y={y(price)}
            className="overflow-visible"
          >
            <FillMark kind={kind} />
          </svg>
        ))}
        {last && levels.length === 0 && (
          <line
            x1="0"
            x2="100%"
            y1={y(last.close)}
            y2={y(last.close)}
            strokeDasharray="1 3"
            className="chart-zero"
          />
        )}
      </>
    ),
  };
}

const SideMark = ({ side }: { side: Side }) => (
  <path
    d={side === "BUY" ? "M0 0 5 8H-5Z" : "M0 0 5-8H-5Z"}
    className={side === "BUY" ? "fill-up stroke-raised" : "fill-down stroke-raised"}
  />
);

/** A dot for an opening, a square for a closing. */
const FillMark = ({ kind }: { kind: PositionFillMark["kind"] }) =>
  kind === "entry" ? (
    <circle r="4.5" className="fill-accent stroke-raised" />
  ) : (
    <rect x="-4" y="-4" width="8" height="8" className="fill-accent stroke-raised" />
  );

/** The legend, only with marks that the chart contains. */
function legendOf({ signals, gaps, levels, fills }: Parts): ReactNode {
  const sides = (["BUY", "SELL"] as const).filter((side) =>
    signals.some(({ direction }) => direction === side),
  );
  const kinds = (["entry", "exit"] as const).filter((kind) => fills.some((fill) => fill.kind === kind));
  if (sides.length + kinds.length + levels.length + gaps.length === 0) return undefined;
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {sides.map((side) => (
        <LegendEntry key={side} name={`${side} signal`}>
          <svg aria-hidden="true" y={side === "BUY" ? 2 : 10} x="12" className="overflow-visible">
            <SideMark side={side} />
          </svg>
        </LegendEntry>
      ))}
      {kinds.map((kind) => (
        <LegendEntry key={kind} name={`your ${kind}`}>
          <svg aria-hidden="true" x="12" y="6" className="overflow-visible">
            <FillMark kind={kind} />
          </svg>
        </LegendEntry>
      ))}
      {levels.map(({ kind, label }) => (
        <LegendEntry key={kind} name={label}>
          <line
            x1="0"
            x2="24"
            y1="6"
            y2="6"
            strokeDasharray={LEVEL_DASHES[kind]}
            className={LEVEL_STROKE[kind]}
          />
        </LegendEntry>
      ))}
      {gaps.length > 0 && (
        <LegendEntry name="no candles, such as a weekend">
          <line x1="12" x2="12" y1="0" y2="12" strokeDasharray="2 4" className="chart-zero" />
        </LegendEntry>
      )}
    </ul>
  );
}

function LegendEntry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <svg width="24" height="12" aria-hidden="true" className="shrink-0 overflow-visible">
        {children}
      </svg>
      {name}
    </li>
  );
}
