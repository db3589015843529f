import {
  BIN_COLUMN_NAMES,
  BIN_SUM_KEYS,
  FORECAST_SUM_KEYS,
  RESULT_COLUMN_NAMES,
  RESULT_SUM_KEYS,
} from "@/db/queries/record";
import type { RecordDaySums } from "@/db/queries/record-sums";
import { FORECASTERS, type Forecaster } from "@/lib/vocabulary";
import { type BinSums, type ForecastSums, N_BINS, type ResultSums } from "./score";

/** Sums by day, in order: columns of equal length. */
export interface DailySumSeries {
  /** Days since 1970. */
  day: Float64Array;
  n: Float64Array;
  brier: Float64Array;
  brierFrequencies: Float64Array;
  gainSquares: Float64Array;
  evidence: Float64Array;
  betR: Float64Array;
  nFollowed: Float64Array;
  r: Float64Array;
  coinR: Float64Array;
  frequenciesR: Float64Array;
}

/** Sums over some days of the record, from which figures are computed. */
export interface RecordSums {
  forecasts: ForecastSums;
  results: Record<Forecaster, ResultSums>;
  /** By bin of the confidence. */
  bins: Record<Forecaster, BinSums[]>;
  series: DailySumSeries;
}

const SERIES_NAMES = [
  "day",
  "n",
  "brier",
  "brierFrequencies",
  "gainSquares",
  "evidence",
  "betR",
  "nFollowed",
  "r",
  "coinR",
  "frequenciesR",
] as const satisfies readonly (keyof DailySumSeries)[];
/** Columns of a series that come from a day's forecast sums. */
const OF_FORECASTS = ["n", "brier", "brierFrequencies", "gainSquares", "evidence", "betR"] as const;
const OF_RESULTS = [
  { name: "nFollowed", at: resultPlace("model", "n") },
  { name: "r", at: resultPlace("model", "r") },
  { name: "coinR", at: resultPlace("coin", "r") },
  { name: "frequenciesR", at: resultPlace("frequencies", "r") },
] as const;
const FORECASTS_AT = OF_FORECASTS.map((name) => ({ name, at: FORECAST_SUM_KEYS.indexOf(name) }));
/** Count of numbers that a day stores per bin: index of the forecaster, index of the bin, and the bin's sums. */
const BIN_CELLS = 2 + BIN_COLUMN_NAMES.length;

function resultPlace(forecaster: Forecaster, name: keyof ResultSums): number {
  return FORECASTERS.indexOf(forecaster) * RESULT_COLUMN_NAMES.length + RESULT_SUM_KEYS.indexOf(name);
}

/** Sums up days, which must be in order of time. */
export function sumRecordDays(days: readonly RecordDaySums[]): RecordSums {
  const forecasts = new Array<number>(FORECAST_SUM_KEYS.length).fill(0);
  const results = new Array<number>(FORECASTERS.length * RESULT_COLUMN_NAMES.length).fill(0);
  const bins = new Array<number>(FORECASTERS.length * N_BINS * BIN_COLUMN_NAMES.length).fill(0);
  const series = emptySeries(days.length);
  let [row, last] = [-1, Number.NaN];
  for (const day of days) {
    // Several models may have sums of the same day; the series has one row per day.
    if (day.day !== last) {
      row++;
      last = day.day;
      series.day[row] = last;
    }
    for (let i = 0; i < forecasts.length; i++) forecasts[i] = (forecasts[i] ?? 0) + (day.forecasts[i] ?? 0);
    for (let i = 0; i < results.length; i++) results[i] = (results[i] ?? 0) + (day.results[i] ?? 0);
    for (let from = 0; from < day.bins.length; from += BIN_CELLS) {
      const to = ((day.bins[from] ?? 0) * N_BINS + (day.bins[from + 1] ?? 0)) * BIN_COLUMN_NAMES.length;
      for (let i = 0; i < BIN_COLUMN_NAMES.length; i++)
        bins[to + i] = (bins[to + i] ?? 0) + (day.bins[from + 2 + i] ?? 0);
    }
    for (const { name, at } of FORECASTS_AT)
      series[name][row] = (series[name][row] ?? 0) + (day.forecasts[at] ?? 0);
    for (const { name, at } of OF_RESULTS)
      series[name][row] = (series[name][row] ?? 0) + (day.results[at] ?? 0);
  }
  return {
    forecasts: named(FORECAST_SUM_KEYS, forecasts, 0),
    results: byForecaster((place) => named(RESULT_SUM_KEYS, results, place * RESULT_COLUMN_NAMES.length)),
    bins: byForecaster((place) =>
      Array.from({ length: N_BINS }, (_, bin) =>
        named(BIN_SUM_KEYS, bins, (place * N_BINS + bin) * BIN_COLUMN_NAMES.length),
      ),
    ),
    series: cutSeries(series, row + 1),
  };
}

/** Sums over several slots. */
export function sumSlotRecords(all: readonly RecordSums[]): RecordSums {
  return {
    forecasts: added(
      FORECAST_SUM_KEYS,
      all.map(({ forecasts }) => forecasts),
    ),
    results: byForecaster((_, forecaster) =>
      added(
        RESULT_SUM_KEYS,
        all.map(({ results }) => results[forecaster]),
      ),
    ),
    bins: byForecaster((_, forecaster) =>
      Array.from({ length: N_BINS }, (_, bin) =>
        added(
          BIN_SUM_KEYS,
          all.flatMap(({ bins }) => bins[forecaster][bin] ?? []),
        ),
      ),
    ),
    series: addSeries(all.map(({ series }) => series)),
  };
}

/** Adds series up by day. A day that only some of them have is included. */
function addSeries(all: readonly DailySumSeries[]): DailySumSeries {
  const some = all.filter(({ day }) => day.length > 0);
  if (some.length === 0) return emptySeries(0);
  const first = Math.min(...some.map(({ day }) => day[0] ?? 0));
  const last = Math.max(...some.map(({ day }) => day.at(-1) ?? 0));
  const seen = new Uint8Array(last - first + 1);
  for (const { day } of some) for (const one of day) seen[one - first] = 1;
  const rows = new Int32Array(seen.length);
  let n = 0;
  for (let i = 0; i < seen.length; i++) if (seen[i] === 1) rows[i] = n++;
  const sum = emptySeries(n);
  for (const series of some) {
    const places = series.day.map((day) => rows[day - first] ?? 0);
    for (const name of SERIES_NAMES) {
      const [from, to] = [series[name], sum[name]];
      for (let i = 0; i < from.length; i++) {
        const place = places[i] ?? 0;
        to[place] = (name === "day" ? 0 : (to[place] ?? 0)) + (from[i] ?? 0);
      }
    }
  }
  return sum;
}

function emptySeries(length: number): DailySumSeries {
  // The cast is right: every name has its column.
  return Object.fromEntries(
    SERIES_NAMES.map((name) => [name, new Float64Array(length)]),
  ) as unknown as DailySumSeries;
}

function cutSeries(series: DailySumSeries, length: number): DailySumSeries {
  if (series.day.length === length) return series;
  const cut = emptySeries(length);
  for (const name of SERIES_NAMES) cut[name].set(series[name].subarray(0, length));
  return cut;
}

function named<K extends string>(
  keys: readonly K[],
  values: readonly number[],
  from: number,
): Record<K, number> {
  // The cast is right: every key has its value.
  return Object.fromEntries(keys.map((key, i) => [key, values[from + i] ?? 0])) as Record<K, number>;
}

function added<K extends string>(
  keys: readonly K[],
  all: readonly Readonly<Record<K, number>>[],
): Record<K, number> {
  // The cast is right: every key has its sum.
  return Object.fromEntries(keys.map((key) => [key, all.reduce((sum, one) => sum + one[key], 0)])) as Record<
    K,
    number
  >;
}

function byForecaster<T>(make: (place: number, forecaster: Forecaster) => T): Record<Forecaster, T> {
  // The cast is right: every forecaster has its entry.
  return Object.fromEntries(
    FORECASTERS.map((forecaster, place) => [forecaster, make(place, forecaster)]),
  ) as Record<Forecaster, T>;
}
