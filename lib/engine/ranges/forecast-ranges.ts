import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { newYorkHour, newYorkWeekday } from "@/lib/market/calendar";
import type { CandleSeries } from "@/lib/market/candles";
import { volatilityColumns } from "./volatility-columns";

/** The quantiles that a range consists of. */
export const RANGE_QUANTILES: readonly number[] = [0.1, 0.5, 0.8, 0.9];

/** Which move within the horizon: `up` above the close, `down` below it, or the larger of both (`either`). */
export const MOVE_KINDS = ["either", "up", "down"] as const;
export type MoveKind = (typeof MOVE_KINDS)[number];

/**
 * Forecast of how far the price moves from a candle's close within the horizon, in price: one number per
 * quantile.
 */
export interface RangeForecast extends Record<MoveKind, number[]> {
  index: number;
  close: number;
}

/** Largest moves within the horizon after each candle, in price; NaN until the horizon has closed. */
export type LargestMoves = Record<MoveKind, Float64Array>;

/**
 * Weights of the volatility deviations, by half-life, the same for all slots. Fitted by least squares on
 * eight slots of four markets; weights per slot gain at most 0.4 % of pinball loss.
 */
const DEVIATION_WEIGHTS: readonly number[] = [0.137, 0.329, 0.142, 0.266, -0.042];
/**
 * Number of candles until the averages of volatility are usable. The `FIRST_RESIDUALS` candles after these initialise
 * the quantiles of the residual.
 */
const SETTLING_CANDLES = 150;
const FIRST_RESIDUALS = 300;
/** Step, in log units, by which a quantile of the residual is corrected after each horizon. */
const OWN_STEP = 0.003;
/**
 * Step, in log units, by which the outermost two quantiles part or close after each horizon; `longer` applies from H4
 * on. Longer candles are few per year, so only large steps keep each year's coverage right.
 */
const INTERVAL_STEP = { withinHours: 0.005, longer: 0.04 } as const;
/**
 * Step of the outermost two quantiles for candles that open in the same New York hour, and (`WEEKDAY_STEP`) on the same
 * weekday, on timeframes shorter than a day.
 */
const HOUR_STEP = 0.04;
const WEEKDAY_STEP = 0.008;
const LONGER_MINUTES = 240;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
/** Smallest move, as a share of the price; smaller ones count as this. */
const SMALLEST_MOVE = 1e-6;

/** With fewer candles there is no range. */
export const MIN_RANGE_CANDLES = SETTLING_CANDLES + FIRST_RESIDUALS + OUTCOME_RULE.horizonCandles + 1;
/** Number of newest candles that are enough for a range: older ones hardly change it. */
export const RANGE_HISTORY_CANDLES = 2500;

/**
 * Quantiles of the largest move within the horizon after the close of each candle of [fromIndex, toIndex), each from
 * that candle and those before it.
 *
 * log(move / price) = expected volatility + quantile of the residual. The expected volatility is the usual volatility
 * of the coming horizon plus weighted recent deviations from it. A quantile q of the residual starts from the first
 * residuals and then follows adaptive conformal steps: after each horizon it rises by step x q if the move was larger
 * than forecast, and falls by step x (1 - q) if not, so that in the long run a share q of the moves stays within it, in
 * any market. These steps are small, because horizons overlap, and a quantile that follows only the last few moves is
 * mostly noise. A larger step controls the interval between the outermost two quantiles: they part by step x level
 * after a move outside, and close by step x (1 - level) after a move inside; level is the share that the interval
 * should contain. On timeframes shorter than a day each New York hour and each weekday has a correction of this
 * interval too, because residuals are wider at some hours. The quantiles of a candle are sorted, so they never cross.
 *
 * @returns one forecast per candle; none for the first {@link MIN_RANGE_CANDLES} - 1 candles of the series
 * @see Gibbs and Candès, Adaptive conformal inference under distribution shift, NeurIPS 2021; Angelopoulos, Candès and
 *   Tibshirani, Conformal PID control for time series prediction, NeurIPS 2023, for steps on the quantile itself
 */
export function forecastRanges(input: {
  candles: CandleSeries;
  timeframeMinutes: number;
  fromIndex: number;
  toIndex: number;
}): RangeForecast[] {
  const { candles, timeframeMinutes, toIndex } = input;
  const fromIndex = Math.max(input.fromIndex, MIN_RANGE_CANDLES - 1);
  if (fromIndex >= toIndex) return [];
  const { usual, deviations } = volatilityColumns(candles, timeframeMinutes);
  const expected = usual.map((value, i) => {
    return DEVIATION_WEIGHTS.reduce(
      (sum, weight, k) => sum + weight * elementOrNaN(deviations[k] ?? usual, i),
      value,
    );
  });
  const moves = largestMoves(candles);
  const clock = spreadClock(candles.ts, timeframeMinutes);
  const quantiles = MOVE_KINDS.map((way) =>
    trackQuantiles(logMoves(moves[way], candles.close), expected, clock),
  );
  return Array.from({ length: toIndex - fromIndex }, (_, offset) => {
    const index = fromIndex + offset;
    const close = elementOrNaN(candles.close, index);
    const [either = [], up = [], down = []] = quantiles.map((ofWay) =>
      ascending(ofWay.map((column) => Math.abs(close) * Math.exp(elementOrNaN(column, index)))),
    );
    return { index, close, either, up, down };
  });
}

export function largestMoves(candles: Pick<CandleSeries, "high" | "low" | "close">): LargestMoves {
  const { high, low, close } = candles;
  const n = close.length;
  const [up, down] = [new Float64Array(n).fill(Number.NaN), new Float64Array(n).fill(Number.NaN)];
  for (let i = 0; i + OUTCOME_RULE.horizonCandles < n; i++) {
    let [most, least] = [elementOrNaN(close, i), elementOrNaN(close, i)];
    for (let j = i + 1; j <= i + OUTCOME_RULE.horizonCandles; j++) {
      most = Math.max(most, elementOrNaN(high, j));
      least = Math.min(least, elementOrNaN(low, j));
    }
    up[i] = most - elementOrNaN(close, i);
    down[i] = elementOrNaN(close, i) - least;
  }
  return { either: up.map((value, i) => Math.max(value, elementOrNaN(down, i))), up, down };
}

function logMoves(moves: Float64Array, close: Float64Array): Float64Array {
  return moves.map((move, i) =>
    Number.isNaN(move) ? move : Math.log(Math.max(SMALLEST_MOVE, move / Math.abs(elementOrNaN(close, i)))),
  );
}

/** A component of the width of the interval between the outermost two quantiles, with one value per kind of candle. */
interface SharedSpread {
  step: number;
  /** Kind of each candle: 0 for all candles, its New York hour, or its New York weekday. */
  kinds: Uint8Array;
}

/**
 * Components of the width: one for all candles and, on timeframes shorter than a day, one by hour and one by weekday.
 */
function spreadClock(ts: Float64Array, timeframeMinutes: number): SharedSpread[] {
  const { withinHours, longer } = INTERVAL_STEP;
  const always = {
    step: timeframeMinutes < LONGER_MINUTES ? withinHours : longer,
    kinds: new Uint8Array(ts.length),
  };
  if (timeframeMinutes >= DAY_MINUTES) return [always];
  // An hour with many candles takes as large a step in total as one with a single candle.
  const ofCandle = Math.min(1, timeframeMinutes / HOUR_MINUTES);
  return [
    always,
    { step: HOUR_STEP * ofCandle, kinds: Uint8Array.from(ts, newYorkHour) },
    { step: WEEKDAY_STEP * ofCandle, kinds: Uint8Array.from(ts, newYorkWeekday) },
  ];
}

/** Maximum number of kinds of candles that a correction distinguishes: the hours of a day. */
const KINDS = 24;

/**
 * For each quantile its forecast of log(move / price) per candle; NaN for the first {@link MIN_RANGE_CANDLES} - 1
 * candles.
 */
function trackQuantiles(
  moves: Float64Array,
  expected: Float64Array,
  clock: readonly SharedSpread[],
): Float64Array[] {
  const n = moves.length;
  const first = Float64Array.from({ length: FIRST_RESIDUALS }, (_, i) => {
    return elementOrNaN(moves, SETTLING_CANDLES + i) - elementOrNaN(expected, SETTLING_CANDLES + i);
  }).sort();
  const tracks = RANGE_QUANTILES.map((quantile) => ({
    quantile,
    residual: elementOrNaN(first, Math.floor(quantile * FIRST_RESIDUALS)),
    forecasts: new Float64Array(n).fill(Number.NaN),
  }));
  const [lowest, highest] = [tracks[0], tracks.at(-1)];
  if (lowest === undefined || highest === undefined) throw new Error("a range has at least one quantile");
  const level = highest.quantile - lowest.quantile;
  const spreads = clock.map((shared) => ({ ...shared, apart: new Float64Array(KINDS) }));
  for (let i = MIN_RANGE_CANDLES - 1; i < n; i++) {
    const over = i - OUTCOME_RULE.horizonCandles;
    if (over >= MIN_RANGE_CANDLES - 1) {
      const move = elementOrNaN(moves, over);
      for (const track of tracks) {
        const isAbove = move > elementOrNaN(track.forecasts, over);
        track.residual += OWN_STEP * (isAbove ? track.quantile : track.quantile - 1);
      }
      const isInside =
        move > elementOrNaN(lowest.forecasts, over) && move <= elementOrNaN(highest.forecasts, over);
      for (const { step, kinds, apart } of spreads) {
        const kind = kinds[over] ?? 0;
        apart[kind] = elementOrNaN(apart, kind) + step * (isInside ? level - 1 : level);
      }
    }
    for (const { forecasts, residual } of tracks) forecasts[i] = elementOrNaN(expected, i) + residual;
    const apart = spreads.reduce((sum, spread) => sum + elementOrNaN(spread.apart, spread.kinds[i] ?? 0), 0);
    highest.forecasts[i] = elementOrNaN(highest.forecasts, i) + apart / 2;
    lowest.forecasts[i] = elementOrNaN(lowest.forecasts, i) - apart / 2;
  }
  return tracks.map(({ forecasts }) => forecasts);
}

function ascending(values: number[]): number[] {
  return values.sort((a, b) => a - b);
}
