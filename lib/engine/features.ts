import { newYorkHour, newYorkWeekday } from "@/lib/market/calendar";
import type { CandleSeries } from "@/lib/market/candles";
import { MINUTE_MS } from "@/lib/time";
import { trueRanges, wilderAtr } from "./atr";
import { NO_TRADE } from "./classes";
import { elementOrNaN } from "./column";
import { type Matrix, makeMatrix } from "./matrix";
import { labelCandles, OUTCOME_RULE } from "./outcome";
import {
  anchoredVolatilityColumns,
  DEVIATION_HALF_LIVES,
  MAX_VOLATILITY_HISTORY_CANDLES,
} from "./ranges/volatility-columns";
import { driftStatistic } from "./regime";
import {
  delayColumn,
  rollingDeviation,
  rollingHighest,
  rollingLowest,
  rollingMean,
  rollingSlope,
} from "./rolling";
import { wilderRsi } from "./rsi";

/**
 * How a feature changes if prices are turned upside down: `odd` ones change sign, `even` ones do not change. All
 * recipes but `softmax` learn directions from odd features only, so that BUY and SELL are treated alike, and movement
 * from all.
 */
export type Parity = "odd" | "even";

export interface FeatureDefinition {
  name: string;
  parity: Parity;
}

export interface FeatureTable {
  version: FeatureVersion;
  definitions: readonly FeatureDefinition[];
  /** candles x features; NaN where a value does not exist. */
  matrix: Matrix;
  /** New York hour of the week in which each candle opens, 0 (Sunday 00:00) .. 167. */
  hourOfWeek: Uint8Array;
  /** When each candle closes, epoch ms; for MN1 30 days after its open. */
  closesMs: Float64Array;
  /**
   * Index of the first candle with {@link featureLookback} candles before it; the number of candles if there
   * is none.
   */
  firstIndex: number;
}

/**
 * Version of the list of features that a model was trained on. 1: 33 features of prices, volume and time. 2: six more,
 * on volatility without its weekly rhythm.
 */
export type FeatureVersion = 1 | 2;

/** The version that new trainings use. */
export const FEATURE_VERSION: FeatureVersion = 2;

/** More than the longest window (480), and enough for Wilder's averages hardly to depend on where they start. */
const LONGEST_WINDOW = 600;

/**
 * Number of candles before a row from which its features are computed, except those of volatility: 600, or five days if
 * that is more.
 */
export function featureLookback(timeframeMinutes: number): number {
  const { day, farthest } = daysBefore(timeframeMinutes);
  return Math.max(LONGEST_WINDOW, day * farthest);
}

/**
 * Number of candles before a row that are needed so that the row does not depend on where the series starts. The
 * volatility features of version 2 can need more than the others.
 */
export function requiredFeatureHistory(version: FeatureVersion, timeframeMinutes: number): number {
  const lookback = featureLookback(timeframeMinutes);
  return version === 1 ? lookback : Math.max(lookback, MAX_VOLATILITY_HISTORY_CANDLES);
}

/**
 * Features of every closed candle, from it and the candles before it: at most {@link featureLookback}, and
 * more for volatility ({@link requiredFeatureHistory}).
 *
 * Prices are relative to ATR(14), ranges are logarithms of ratios to it, so that a row means the same in every year and
 * for every symbol. Windows count existing candles: a missing candle is a gap, never a zero. The volume feature is NaN
 * if its short window has no volume.
 *
 * @param timeframeMinutes length of a candle, for windows that mean days
 * @param history the same candles with those before them; used for volatility only
 */
export function makeFeatures(
  candles: CandleSeries,
  timeframeMinutes: number,
  version: FeatureVersion = FEATURE_VERSION,
  history: CandleSeries = candles,
): FeatureTable {
  const columns = [
    ...directionColumns(candles),
    ...movementColumns(candles, timeframeMinutes),
    ...(version === 1 ? [] : volatilityFeatures(candles, timeframeMinutes, history)),
  ];
  const n = candles.ts.length;
  const matrix = makeMatrix(n, columns.length);
  for (const [j, { values }] of columns.entries()) {
    for (let i = 0; i < n; i++) {
      const value = elementOrNaN(values, i);
      matrix.values[i * columns.length + j] = Number.isFinite(value) ? value : Number.NaN;
    }
  }
  return {
    version,
    definitions: columns.map(({ name, parity }) => ({ name, parity })),
    matrix,
    hourOfWeek: Uint8Array.from(candles.ts, (ts) => 24 * newYorkWeekday(ts) + newYorkHour(ts)),
    closesMs: candles.ts.map((ts) => ts + timeframeMinutes * MINUTE_MS),
    firstIndex: Math.min(featureLookback(timeframeMinutes), n),
  };
}

interface Column extends FeatureDefinition {
  values: Float64Array;
}

/** Odd features: they change sign with the direction of the market. */
function directionColumns(candles: CandleSeries): Column[] {
  const { open, high, low, close } = candles;
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const odd = (name: string, valueAt: (i: number) => number): Column => ({
    name,
    parity: "odd",
    values: Float64Array.from(close, (_, i) => valueAt(i)),
  });
  const change = (window: number) =>
    odd(`return_${window}`, (i) => {
      return i < window
        ? Number.NaN
        : (elementOrNaN(close, i) - elementOrNaN(close, i - window)) /
            (elementOrNaN(atr, i) * Math.sqrt(window));
    });
  const position = (window: number) => {
    const [top, bottom] = [rollingHighest(high, window), rollingLowest(low, window)];
    // Position of the close in the range of `window` candles, -1..1.
    return odd(`range_position_${window}`, (i) => {
      return ratioOrZero(
        2 * elementOrNaN(close, i) - elementOrNaN(top, i) - elementOrNaN(bottom, i),
        elementOrNaN(top, i) - elementOrNaN(bottom, i),
      );
    });
  };
  const drift = (window: number) => {
    const statistic = driftStatistic(close, window);
    // The t statistic of the mean change over `window` candles.
    return odd(`drift_${window}`, (i) => elementOrNaN(statistic, i));
  };
  const rsi = wilderRsi(close, 14);
  const mean20 = rollingMean(close, 20);
  const deviation20 = rollingDeviation(close, 20);
  const slope48 = rollingSlope(close, 48);
  return [
    change(1),
    change(3),
    change(12),
    change(48),
    change(240),
    drift(24),
    drift(96),
    position(24),
    position(120),
    odd("slope_48", (i) => elementOrNaN(slope48, i) / elementOrNaN(atr, i)),
    odd("rsi_14", (i) => (elementOrNaN(rsi, i) - 50) / 50),
    // Distance of the close from the mean of 20 closes, in their standard deviations.
    odd("band_20", (i) => {
      return ratioOrZero(elementOrNaN(close, i) - elementOrNaN(mean20, i), elementOrNaN(deviation20, i));
    }),
    odd("body", (i) => {
      return ratioOrZero(
        elementOrNaN(close, i) - elementOrNaN(open, i),
        elementOrNaN(high, i) - elementOrNaN(low, i),
      );
    }),
  ];
}

/** Even features: how much the market moves, up or down. */
function movementColumns(candles: CandleSeries, timeframeMinutes: number): Column[] {
  const { ts, close, volume } = candles;
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const ranges = trueRanges(candles);
  const even = (name: string, valueAt: (i: number) => number): Column => ({
    name,
    parity: "even",
    values: Float64Array.from(close, (_, i) => valueAt(i)),
  });
  const logRange = (window: number) => {
    const mean = rollingMean(ranges, window);
    return even(`range_${window}`, (i) => {
      return logRatio(elementOrNaN(mean, i), elementOrNaN(atr, i));
    });
  };
  const absolute = (window: number) => {
    const statistic = driftStatistic(close, window);
    return even(`trend_strength_${window}`, (i) => Math.abs(elementOrNaN(statistic, i)));
  };
  const coming = sameHoursBefore(ranges, timeframeMinutes);
  const reach = delayColumn(logReach(candles, atr), OUTCOME_RULE.horizonCandles);
  const reach50 = rollingMean(reach, 50);
  const quiet = delayColumn(noTradeMarks(candles), OUTCOME_RULE.horizonCandles);
  const quiet150 = rollingMean(quiet, 150);
  const logRanges = ranges.map((range) => Math.log(Math.max(range, Number.MIN_VALUE)));
  const restless = rollingDeviation(logRanges, 48);
  const volumeShort = rollingMean(volume, 6);
  const volumeLong = rollingMean(volume, 120);
  const bandwidth = rollingDeviation(close, 20);
  const hour = Float64Array.from(ts, (t) => newYorkHour(t));
  const weekday = Float64Array.from(ts, (t) => newYorkWeekday(t));
  const turn = (share: number) => 2 * Math.PI * share;

  return [
    logRange(1),
    logRange(6),
    logRange(24),
    logRange(72),
    logRange(240),
    logRange(480),
    absolute(12),
    absolute(24),
    absolute(96),
    even("bandwidth_20", (i) => logRatio(elementOrNaN(bandwidth, i), elementOrNaN(atr, i))),
    // Mean true range that the coming hours had on the last five days, compared with the ATR.
    even("coming_hours", (i) => {
      return logRatio(elementOrNaN(coming, i), elementOrNaN(atr, i));
    }),
    // Mean of log(largest move / barrier distance) over 50 past horizons.
    even("recent_reach", (i) => elementOrNaN(reach50, i)),
    // Share of NO_TRADE among 150 past candles.
    even("recent_quiet", (i) => elementOrNaN(quiet150, i)),
    even("restlessness", (i) => elementOrNaN(restless, i)),
    even("volume_6", (i) => logRatio(elementOrNaN(volumeShort, i), elementOrNaN(volumeLong, i))),
    // Logarithm of 1 + the number of candles missing before this one.
    even("gap", (i) => {
      const steps =
        i === 0 ? 1 : (elementOrNaN(ts, i) - elementOrNaN(ts, i - 1)) / (timeframeMinutes * MINUTE_MS);
      return Math.log(Math.max(1, steps));
    }),
    even("hour_sin", (i) => Math.sin(turn(elementOrNaN(hour, i) / 24))),
    even("hour_cos", (i) => Math.cos(turn(elementOrNaN(hour, i) / 24))),
    even("week_sin", (i) => {
      return Math.sin(turn((24 * elementOrNaN(weekday, i) + elementOrNaN(hour, i)) / 168));
    }),
    even("week_cos", (i) => {
      return Math.cos(turn((24 * elementOrNaN(weekday, i) + elementOrNaN(hour, i)) / 168));
    }),
  ];
}

/**
 * Logarithms of volatility in barrier distances: the volatility that is usual in the hours of the next 12 candles within
 * trading hours, and the same plus the mean deviation of the last candles from what is usual in their hours, for half-lives
 * from 2 to 480 candles.
 */
function volatilityFeatures(
  candles: CandleSeries,
  timeframeMinutes: number,
  history: CandleSeries,
): Column[] {
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const before = history.ts.length - candles.ts.length;
  const columns = anchoredVolatilityColumns(history, timeframeMinutes, before);
  const usual = columns.usual.subarray(before);
  const inBarriers = usual.map(
    (value, i) => value - Math.log(OUTCOME_RULE.atrMultiple * elementOrNaN(atr, i)),
  );
  const even = (name: string, values: Float64Array): Column => ({
    name,
    parity: "even",
    values,
  });
  return [
    even("usual_sigma", inBarriers),
    ...DEVIATION_HALF_LIVES.map((halfLife, k) =>
      even(
        `sigma_${halfLife}`,
        inBarriers.map((value, i) => value + elementOrNaN(columns.deviations[k] ?? usual, before + i)),
      ),
    ),
  ];
}

function logRatio(above: number, below: number): number {
  return above > 0 && below > 0 ? Math.log(above / below) : Number.NaN;
}

/** above / below; 0 where `below` is 0. */
function ratioOrZero(above: number, below: number): number {
  return below === 0 ? 0 : above / below;
}

/** Number of days that {@link sameHoursBefore} averages. */
const DAYS = 5;

/**
 * Mean true range, over five past days, at the hours of the next horizon. A day is the number of candles of this
 * timeframe in 24 hours.
 */
function sameHoursBefore(ranges: Float64Array, timeframeMinutes: number): Float64Array {
  const { day, nearest, farthest } = daysBefore(timeframeMinutes);
  const horizon = OUTCOME_RULE.horizonCandles;
  const means = new Float64Array(ranges.length).fill(Number.NaN);
  for (let i = day * farthest; i < ranges.length; i++) {
    let sum = 0;
    for (let d = nearest; d <= farthest; d++) {
      for (let k = 1; k <= horizon; k++) sum += elementOrNaN(ranges, i - day * d + k);
    }
    means[i] = sum / (DAYS * horizon);
  }
  return means;
}

/**
 * Candles in a day of this timeframe, and how many days before a candle the nearest and the farthest of its
 * {@link DAYS} days are.
 */
function daysBefore(timeframeMinutes: number): { day: number; nearest: number; farthest: number } {
  const day = Math.max(1, Math.round(1440 / timeframeMinutes));
  // A horizon longer than a day looks back by whole days, so that all of it lies in the past.
  const nearest = Math.ceil(OUTCOME_RULE.horizonCandles / day);
  return { day, nearest, farthest: nearest + DAYS - 1 };
}

/**
 * Log of the largest move from each close within its horizon, in barrier distances. It is known only after
 * the horizon: the caller delays it by as much.
 */
function logReach(candles: CandleSeries, atr: Float64Array): Float64Array {
  const { high, low, close } = candles;
  const horizon = OUTCOME_RULE.horizonCandles;
  const reach = new Float64Array(close.length).fill(Number.NaN);
  for (let i = 0; i + horizon < close.length; i++) {
    let largest = 0;
    for (let j = i + 1; j <= i + horizon; j++) {
      largest = Math.max(
        largest,
        elementOrNaN(high, j) - elementOrNaN(close, i),
        elementOrNaN(close, i) - elementOrNaN(low, j),
      );
    }
    reach[i] = logRatio(largest, OUTCOME_RULE.atrMultiple * elementOrNaN(atr, i));
  }
  return reach;
}

/** 1 where the class is NO_TRADE, 0 where it is a direction, NaN without ATR or where the horizon has not closed. */
function noTradeMarks(candles: CandleSeries): Float64Array {
  const { label } = labelCandles(candles);
  const last = label.length - 1 - OUTCOME_RULE.horizonCandles;
  return Float64Array.from(label, (l, i) => (i > last || l < 0 ? Number.NaN : l === NO_TRADE ? 1 : 0));
}
