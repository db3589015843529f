import type { ReactNode } from "react";
import { counted, formatNumber } from "@/app/_components/figures";
import { formatDayOnly, formatInstant } from "@/app/_components/times";
import { linearScale, niceTicks, paddedDomain, spreadIndices } from "@/lib/engine/chart/scale";
import { MINUTE_MS } from "@/lib/time";
import type { Direction } from "@/lib/vocabulary";
import { ChartFrame } from "./chart-frame";
import { percentOf } from "./percent-of";

export type ChartCandle = { at: Date; open: number; high: number; low: number; close: number };
export type ChartSignal = { at: Date; direction: Direction };

const HEIGHT = 280;
const GAP_FACTOR = 1.5;

/**
 * Candles side by side, one place each; where time is missing between two of them (a weekend, a hole in the data) a
 * place stays empty. Rising candles are hollow, falling ones filled (decision 106); `signals` stand at their candle.
 */
export function CandleChart({
  symbol,
  timeframe,
  timeframeMinutes,
  candles,
  signals = [],
  digits,
  notes,
  simulated,
}: {
  symbol: string;
  timeframe: string;
  timeframeMinutes: number;
  candles: readonly ChartCandle[];
  signals?: readonly ChartSignal[];
  digits: number;
  notes?: ReactNode;
  simulated?: boolean;
}) {
  const domain = paddedDomain(
    candles.flatMap((candle) => [candle.high, candle.low]),
    { air: 0.1 },
  );
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
      ? [{ ...signal, candle, index }]
      : [];
  });

  const first = candles[0];
  const last = candles.at(-1);
  const summary =
    first && last
      ? `${symbol} ${timeframe}, ${counted(candles.length, "candle")} from ${formatInstant(first.at)} to ${formatInstant(last.at)}: last close ${formatNumber(last.close, digits)}, range ${formatNumber(Math.min(...candles.map((candle) => candle.low)), digits)} to ${formatNumber(Math.max(...candles.map((candle) => candle.high)), digits)}; ${counted(shownSignals.filter((signal) => signal.direction === "BUY").length, "BUY signal")}, ${counted(shownSignals.filter((signal) => signal.direction === "SELL").length, "SELL signal")}${gaps.length > 0 ? `; ${counted(gaps.length, "gap")} without candles` : ""}.`
      : `${symbol} ${timeframe}: no candles yet.`;
  const signalAt = new Map(shownSignals.map((signal) => [signal.index, signal.direction]));

  return (
    <ChartFrame
      summary={summary}
      unit={`${symbol}, price`}
      notes={notes ?? `${timeframe} candles, open time UTC`}
      simulated={simulated}
      height={HEIGHT}
      yMarks={[
        ...niceTicks(domain, 5).map((tick) => ({ at: y(tick), label: formatNumber(tick, digits) })),
        ...(last ? [{ at: y(last.close), label: formatNumber(last.close, digits), strong: true }] : []),
      ]}
      xMarks={spreadIndices(candles.length, 4).flatMap((index) => {
        const candle = candles[index];
        return candle ? [{ at: center(index), label: formatDayOnly(candle.at) }] : [];
      })}
      twin={{
        columns: ["Candle (UTC)", "Open", "High", "Low", "Close", "Signal"],
        rows: candles.map((candle, index) => [
          formatInstant(candle.at),
          formatNumber(candle.open, digits),
          formatNumber(candle.high, digits),
          formatNumber(candle.low, digits),
          formatNumber(candle.close, digits),
          signalAt.get(index) ?? "",
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
      {candles.map((candle, index) => {
        const rising = candle.close >= candle.open;
        const x = percentOf(center(index));
        const top = y(Math.max(candle.open, candle.close));
        return (
          <g key={candle.at.getTime()} className={rising ? "stroke-up" : "stroke-down"}>
            <line x1={x} x2={x} y1={y(candle.high)} y2={y(candle.low)} />
            <rect
              x={percentOf(center(index) - 0.31 / count)}
              width={percentOf(0.62 / count)}
              y={top}
              height={Math.max(1, y(Math.min(candle.open, candle.close)) - top)}
              className={rising ? "fill-raised" : "fill-down"}
            />
          </g>
        );
      })}
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
      {last && (
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
