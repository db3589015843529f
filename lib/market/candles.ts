import type { Timeframe } from "@/lib/vocabulary";
import { candleCloseMs, candleOpenMs, timeframeMinutes } from "./timeframes";

/** One candle. `ts` is its open time in epoch ms; prices and volume in the units of the symbol. */
export interface CandleRow {
  ts: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/** Candles of one slot by column, oldest first; all columns have the same length. `ts` is the open time in epoch ms. */
export interface CandleSeries {
  ts: Float64Array;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
}

function isSound(row: CandleRow): boolean {
  const values = [row.ts, row.open, row.high, row.low, row.close, row.volume];
  return (
    values.every(Number.isFinite) &&
    row.high >= Math.max(row.open, row.close) &&
    row.low <= Math.min(row.open, row.close) &&
    row.volume >= 0
  );
}

/**
 * The series of some candles, which must come oldest first, each open time once. Throws RangeError otherwise, and for a
 * candle whose values are not finite, whose high and low do not enclose its open and close, or whose volume is
 * negative.
 */
export function makeCandleSeries(rows: readonly CandleRow[]): CandleSeries {
  const series: CandleSeries = {
    ts: new Float64Array(rows.length),
    open: new Float64Array(rows.length),
    high: new Float64Array(rows.length),
    low: new Float64Array(rows.length),
    close: new Float64Array(rows.length),
    volume: new Float64Array(rows.length),
  };
  let previousTs = Number.NEGATIVE_INFINITY;
  for (const [i, row] of rows.entries()) {
    if (!isSound(row)) throw new RangeError(`candle ${i} has impossible values`);
    if (row.ts <= previousTs) throw new RangeError(`candle ${i} is not later than the one before it`);
    previousTs = row.ts;
    series.ts[i] = row.ts;
    series.open[i] = row.open;
    series.high[i] = row.high;
    series.low[i] = row.low;
    series.close[i] = row.close;
    series.volume[i] = row.volume;
  }
  return series;
}

/** The candle at an index. Throws RangeError outside 0..length-1. */
export function candleAt(series: CandleSeries, index: number): CandleRow {
  const ts = series.ts[index];
  const open = series.open[index];
  const high = series.high[index];
  const low = series.low[index];
  const close = series.close[index];
  const volume = series.volume[index];
  if (
    ts === undefined ||
    open === undefined ||
    high === undefined ||
    low === undefined ||
    close === undefined ||
    volume === undefined
  ) {
    throw new RangeError(`no candle at index ${index}`);
  }
  return { ts, open, high, low, close, volume };
}

/** The candles from index `start` up to but without `end`, as a view on the same memory; indices as in Array.slice. */
export function sliceCandles(series: CandleSeries, start: number, end?: number): CandleSeries {
  return {
    ts: series.ts.subarray(start, end),
    open: series.open.subarray(start, end),
    high: series.high.subarray(start, end),
    low: series.low.subarray(start, end),
    close: series.close.subarray(start, end),
    volume: series.volume.subarray(start, end),
  };
}

/** Whether candles of one timeframe can be aggregated into those of another. */
export function canAggregate(from: Timeframe, to: Timeframe): boolean {
  // Weeks straddle months; every shorter timeframe divides the day.
  if (to === "MN1") return from !== "W1";
  return timeframeMinutes(to) % timeframeMinutes(from) === 0;
}

/**
 * Aggregates candles into longer ones, grouped on UTC: first open, highest high, lowest low, last close, summed volume.
 * `ts` is the start of the UTC period, even if the market opened later. The last group is left out if its period ends
 * after the close of the last source candle. Throws RangeError if candles of `from` do not fit into candles of `to`.
 */
export function aggregateCandles(series: CandleSeries, from: Timeframe, to: Timeframe): CandleSeries {
  if (!canAggregate(from, to)) throw new RangeError(`${to} candles cannot be made of ${from} candles`);
  const groups: CandleRow[] = [];
  let group: CandleRow | undefined;
  let knownUntilMs = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < series.ts.length; i++) {
    const candle = candleAt(series, i);
    const groupTs = candleOpenMs(candle.ts, to);
    if (group?.ts !== groupTs) {
      group = { ...candle, ts: groupTs };
      groups.push(group);
    } else {
      group.high = Math.max(group.high, candle.high);
      group.low = Math.min(group.low, candle.low);
      group.close = candle.close;
      group.volume += candle.volume;
    }
    knownUntilMs = candleCloseMs(candle.ts, from);
  }
  if (group && candleCloseMs(group.ts, to) > knownUntilMs) groups.pop();
  return makeCandleSeries(groups);
}
