import type { CandleSeries } from "@/lib/market/candles";
import { candleOpenMs } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

export interface ChartCandle {
  at: Date;
  open: number;
  high: number;
  low: number;
  close: number;
}

/** Width of the SVG view box, which is stretched over the chart. */
export const DRAWING_WIDTH = 1000;

/**
 * The SVG paths of all candles: two for the rising ones and two for the falling ones, because two elements for every
 * candle would make the page slow.
 */
export function candlePaths(
  candles: readonly ChartCandle[],
  center: (index: number) => number,
  width: number,
  y: (price: number) => number,
): Record<"up" | "down", { wicks: string; bodies: string }> {
  const sides = { up: { wicks: "", bodies: "" }, down: { wicks: "", bodies: "" } };
  const px = (value: number) => Number(value.toFixed(1));
  candles.forEach(({ open, high, low, close }, index) => {
    const side = sides[close >= open ? "up" : "down"];
    const x = center(index) * DRAWING_WIDTH;
    const wide = px(width * DRAWING_WIDTH);
    const top = y(Math.max(open, close));
    const tall = Math.max(1, y(Math.min(open, close)) - top);
    side.wicks += `M${px(x)} ${px(y(high))}V${px(y(low))}`;
    side.bodies += `M${px(x - wide / 2)} ${px(top)}h${wide}v${px(tall)}h${-wide}z`;
  });
  return sides;
}

/** Converts candles from the database's column arrays. */
export const toChartCandles = ({ ts, open, high, low, close }: CandleSeries): ChartCandle[] =>
  Array.from(ts, (at, index) => ({
    at: new Date(at),
    open: open[index] ?? 0,
    high: high[index] ?? 0,
    low: low[index] ?? 0,
    close: close[index] ?? 0,
  }));

/** The index of the candle that contains an instant; -1 if none does. */
export const indexOfCandle = (candles: readonly ChartCandle[], timeframe: Timeframe, at: Date): number =>
  candles.findIndex((candle) => candle.at.getTime() === candleOpenMs(at.getTime(), timeframe));
