import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { DAY_MS } from "@/lib/time";
import {
  applyOnlineCalibration,
  type OnlineCalibration,
  type OnlineSettings,
  type ResolvedForecast,
  UNCALIBRATED_STATE,
  updateOnlineCalibration,
} from "./online";

/**
 * Start (epoch ms) of the UTC day in which a candle closes. The candle's forecast is calibrated with the outcomes known
 * then.
 */
export function calibrationDay(closesMs: number): number {
  return Math.floor(closesMs / DAY_MS) * DAY_MS;
}

/** The calibration in force from the start of a UTC day (`dayMs`, epoch ms). */
export interface CalibrationOfDay {
  dayMs: number;
  state: OnlineCalibration;
  /** Open time (epoch ms) of the last candle whose forecast is included, or skipped because it has no class. */
  learntToMs: number;
}

/**
 * Calibration of a slot's forecasts, renewed for each UTC day with a candle from the forecasts whose horizon had closed
 * at its start. Both the walk-forward and the service calibrate with it. Candles are passed in order of time.
 */
export class DailyCalibration {
  /**
   * Calibrations that this instance has computed, one per day, in order; those passed as `known` are not among them.
   */
  readonly begun: CalibrationOfDay[] = [];
  #now: CalibrationOfDay;
  readonly #waiting: { index: number; rawNo: number }[] = [];

  /**
   * @param series open and close time of each candle, and its class; a negative class after a closed horizon marks an
   *   outcome that will never be known
   * @param start the calibration in force at first
   * @param known calibrations that were computed earlier, by day (epoch ms); they are used unchanged
   */
  constructor(
    private readonly series: { ts: Float64Array; closesMs: Float64Array; labels: ArrayLike<number> },
    start: CalibrationOfDay,
    private readonly known: ReadonlyMap<number, CalibrationOfDay> = new Map(),
    private readonly settings?: OnlineSettings,
  ) {
    this.#now = start;
  }

  /**
   * The calibration that applies to a candle's forecast. At the first candle of a day it is taken from `known`, or
   * computed.
   */
  at(index: number): OnlineCalibration {
    const dayMs = calibrationDay(elementOrNaN(this.series.closesMs, index));
    if (dayMs > this.#now.dayMs) this.#begin(dayMs);
    return this.#now.state;
  }

  /** Calibrates a candle's forecast and queues it, to be learnt from when its horizon has closed. */
  calibrate(index: number, raw: Float64Array): Float64Array {
    const calibrated = applyOnlineCalibration(this.at(index), raw, elementOrNaN(this.series.closesMs, index));
    this.add(index, elementOrNaN(raw, 2));
    return calibrated;
  }

  /**
   * Queues a candle's forecast, given as P(NO_TRADE) before calibration, to be learnt from when its horizon has closed.
   */
  add(index: number, rawNo: number): void {
    this.#waiting.push({ index, rawNo });
  }

  /**
   * Empties the queue of all forecasts whose horizon has closed in the series, and returns a calibration that includes
   * them. The calibration in force stays.
   */
  learnAll(): OnlineCalibration {
    return updateOnlineCalibration(
      this.#now.state,
      this.#take(Number.POSITIVE_INFINITY).forecasts,
      this.settings,
    );
  }

  #begin(dayMs: number): void {
    const known = this.known.get(dayMs);
    if (known !== undefined) {
      this.#now = known;
      while (this.#openMs(0) <= known.learntToMs) this.#waiting.shift();
      return;
    }
    const { forecasts, lastMs } = this.#take(dayMs);
    this.#now = {
      dayMs,
      state: updateOnlineCalibration(this.#now.state, forecasts, this.settings),
      learntToMs: lastMs ?? this.#now.learntToMs,
    };
    this.begun.push(this.#now);
  }

  /** Open time of a queued forecast's candle; Infinity past the end of the queue. */
  #openMs(place: number): number {
    const waiting = this.#waiting[place];
    return waiting === undefined ? Number.POSITIVE_INFINITY : elementOrNaN(this.series.ts, waiting.index);
  }

  /** Removes the forecasts whose horizon has closed by a time from the queue and returns them. */
  #take(untilMs: number): { forecasts: ResolvedForecast[]; lastMs: number | null } {
    const { labels, closesMs } = this.series;
    let n = 0;
    for (; n < this.#waiting.length; n++) {
      const last = (this.#waiting[n]?.index ?? 0) + OUTCOME_RULE.horizonCandles;
      if (last >= closesMs.length || elementOrNaN(closesMs, last) > untilMs) break;
    }
    const lastMs = n === 0 ? null : this.#openMs(n - 1);
    const forecasts = this.#waiting.splice(0, n).flatMap(({ index, rawNo }) => {
      const label = labels[index] ?? -1;
      return label < 0 ? [] : [{ rawNo, closesMs: elementOrNaN(closesMs, index), label }];
    });
    return { forecasts, lastMs };
  }
}

/**
 * Calibrates a record of forecasts day by day with {@link DailyCalibration}, as in service, from
 * {@link UNCALIBRATED_STATE} on.
 *
 * @param rows candles of the forecasts, in order of time
 * @param raw their probabilities, n x 3
 * @param labels class per candle
 * @param closesMs close of each candle, epoch ms
 * @returns calibrated forecasts, n x 3, and the calibration after all of them
 */
export function calibrateDaily(
  record: { rows: Int32Array; raw: Float64Array; labels: ArrayLike<number>; closesMs: Float64Array },
  settings?: OnlineSettings,
): { calibrated: Float64Array; state: OnlineCalibration } {
  const { rows, raw, labels, closesMs } = record;
  const daily = new DailyCalibration(
    { ts: closesMs, closesMs, labels },
    {
      dayMs: Number.NEGATIVE_INFINITY,
      state: { ...UNCALIBRATED_STATE },
      learntToMs: Number.NEGATIVE_INFINITY,
    },
    new Map(),
    settings,
  );
  const calibrated = new Float64Array(raw.length);
  for (const [i, row] of rows.entries()) {
    calibrated.set(daily.calibrate(row, raw.subarray(3 * i, 3 * i + 3)), 3 * i);
  }
  return { calibrated, state: daily.learnAll() };
}
