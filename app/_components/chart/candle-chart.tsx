import type { ReactNode } from "react";
import { counted, formatNumber } from "@/app/_components/figures";
import { formatInstantOn, formatTimeOn } from "@/app/_components/times";
import { linearScale, niceTicks, paddedDomain } from "@/lib/engine/chart/scale";
import { type Clock, clockName, UTC_CLOCK, wallTime } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { MINUTE_MS } from "@/lib/time";
import type { Direction, Side } from "@/lib/vocabulary";
import type { DrawnCandles, Fill, PriceLevel } from "./candle-drawing";
import { type ChartCandle, drawCandles } from "./candle-paths";
import { ChartFrame, Stretched, type TableOnDemand } from "./chart-frame";
import { LiveCandles } from "./live-candles";
import { percentOf } from "./percent-of";
import { orderedTimeMarks } from "./time-ticks";

export type { ChartCandle };
export type ChartSignal = { at: Date; direction: Direction };

const HEIGHT = 280;
const LEVEL_STROKE = {
  entry: "stroke-ink",
  exit: "stroke-accent",
  stop: "stroke-down",
  target: "stroke-up",
} as const;
const GAP_FACTOR = 1.5;
/** More than these are too narrow on a phone, which shows their newer half. */
const PHONE_CANDLES = 60;

/**
 * Candles side by side, one place each; where time is missing between two of them (a weekend, a hole in the data) a
 * place stays empty. Rising candles are hollow, falling ones filled; `signals` stand at their candle.
 */
export function CandleChart({
  symbol,
  timeframe,
  timeframeMinutes,
  candles,
  signals = [],
  levels = [],
  fills = [],
  digits: symbolDigits,
  clock = UTC_CLOCK,
  notes,
  table,
  simulated,
}: {
  symbol: string;
  timeframe: string;
  timeframeMinutes: number;
  candles: readonly ChartCandle[];
  signals?: readonly ChartSignal[];
  /** Prices of a signal or a position, each a line. */
  levels?: readonly PriceLevel[];
  /** Where a position was opened and closed. */
  fills?: readonly Fill[];
  digits: number;
  clock?: Clock;
  notes?: ReactNode;
  table?: TableOnDemand;
  simulated?: boolean;
}) {
  const domain = paddedDomain(
    [
      ...candles.flatMap((candle) => [candle.high, candle.low]),
      ...levels.map(({ price }) => price),
      ...fills.map(({ price }) => price),
    ],
    { air: 0.1 },
  );
  const digits = priceDigits(symbolDigits, [
    ...candles.map((candle) => candle.low),
    ...levels.map(({ price }) => price),
  ]);
  const y = linearScale(domain, [HEIGHT - 6, 6]);

  const places: number[] = [];
  const gaps: number[] = [];
  let next = 0;
  candles.forEach((candle, index) => {
    const before = candles[index - 1];
    if (before && candle.at.getTime() - before.at.getTime() > timeframeMinutes * MINUTE_MS * GAP_FACTOR) {
      gaps.push(next);
      next += 1;
    }
    places.push(next);
    next += 1;
  });
  const count = Math.max(1, next);
  const center = (index: number) => ((places[index] ?? 0) + 0.5) / count;
  const placeOf = new Map(candles.map((candle, index) => [candle.at.getTime(), index]));
  const shownSignals = signals.flatMap((signal) => {
    const index = placeOf.get(signal.at.getTime());
    const candle = index === undefined ? undefined : candles[index];
    return candle && index !== undefined && signal.direction !== "NO_TRADE"
      ? [{ at: signal.at, direction: signal.direction satisfies Side, candle, index }]
      : [];
  });

  const drawn = drawCandles(candles, center, 0.62 / count, y);
  const first = candles[0];
  const last = candles.at(-1);
  const summary =
    first && last
      ? `${symbol} ${timeframe}, ${counted(candles.length, "candle")} from ${formatInstantOn(clock, first.at)} to ${formatInstantOn(clock, last.at)}: last close ${formatNumber(last.close, digits)}, range ${formatNumber(Math.min(...candles.map((candle) => candle.low)), digits)} to ${formatNumber(Math.max(...candles.map((candle) => candle.high)), digits)}; ${counted(shownSignals.filter((signal) => signal.direction === "BUY").length, "BUY signal")}, ${counted(shownSignals.filter((signal) => signal.direction === "SELL").length, "SELL signal")}${gaps.length > 0 ? `; ${counted(gaps.length, "gap")} without candles` : ""}${levels.map(({ label, price }) => `; ${label} ${formatNumber(price, digits)}`).join("")}.`
      : `${symbol} ${timeframe}: no candles yet.`;
  const signalAt = new Map(shownSignals.map((signal) => [signal.index, signal.direction]));
  const live: DrawnCandles = {
    candles: candles.map(({ at, open, high, low, close }) => [
      // One offset for all: a clock that is put back would give two candles one time.
      (at.getTime() + wallTime(clock, last?.at ?? at).getTime() - (last?.at ?? at).getTime()) / 1000,
      open,
      high,
      low,
      close,
    ]),
    labels: candles.map((candle, index) => ({
      time: formatTimeOn(clock, candle.at),
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
          {notes ?? `${timeframe} candles at their opening${last ? `, ${clockName(clock, last.at)}` : ""}`}
          {candles.length > PHONE_CANDLES && <span className="sm:hidden">, the newest half of them</span>}
        </span>
      }
      simulated={simulated}
      table={table}
      over={
        first &&
        ((picture) => (
          <LiveCandles data={live} label={`${symbol} ${timeframe} candles`}>
            {picture}
          </LiveCandles>
        ))
      }
      phoneShowsNewest={candles.length > PHONE_CANDLES}
      height={HEIGHT}
      yMarks={[
        ...niceTicks(domain, 5).map((tick) => ({ at: y(tick), label: formatNumber(tick, digits) })),
        ...(levels.length > 0
          ? levels.map(({ price }) => ({ at: y(price), label: formatNumber(price, digits), strong: true }))
          : last
            ? [{ at: y(last.close), label: formatNumber(last.close, digits), strong: true }]
            : []),
      ]}
      xMarks={orderedTimeMarks(
        candles.map((candle) => candle.at),
        clock,
        center,
      )}
      twin={{
        columns: [
          `Candle, ${clockName(clock, last?.at ?? new Date(0))}`,
          "Open",
          "High",
          "Low",
          "Close",
          "Signal",
          ...(fills.length > 0 ? ["Yours"] : []),
        ],
        rows: candles.map((candle, index) => [
          formatTimeOn(clock, candle.at),
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
      {gaps.map((gap) => (
        <line
          key={gap}
          x1={percentOf((gap + 0.5) / count)}
          x2={percentOf((gap + 0.5) / count)}
          y1="0"
          y2={HEIGHT}
          strokeDasharray="2 4"
          className="chart-grid"
        />
      ))}
      <Stretched height={HEIGHT}>
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
      </Stretched>
      {shownSignals.map((signal) => {
        const buys = signal.direction === "BUY";
        return (
          <svg
            key={signal.at.getTime()}
            aria-hidden="true"
            x={percentOf(center(signal.index))}
            y={buys ? y(signal.candle.low) + 6 : y(signal.candle.high) - 6}
            className="overflow-visible"
          >
            <path
              d={buys ? "M0 0 5 8H-5Z" : "M0 0 5-8H-5Z"}
              className={buys ? "fill-up stroke-raised" : "fill-down stroke-raised"}
            />
          </svg>
        );
      })}
      {levels.map(({ kind, price }) => (
        <line
          key={`${kind}${price}`}
          x1="0"
          x2="100%"
          y1={y(price)}
          y2={y(price)}
          strokeDasharray={kind === "entry" || kind === "exit" ? undefined : "5 4"}
          className={LEVEL_STROKE[kind]}
        />
      ))}
      {fills.map(({ index, price, label }) => (
        <circle
          key={label}
          cx={percentOf(center(index))}
          cy={y(price)}
          r="4.5"
          className="fill-accent stroke-raised"
        />
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
    </ChartFrame>
  );
}
