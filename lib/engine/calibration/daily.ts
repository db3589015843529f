import { at } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { DAY_MS } from "@/lib/time";
import {
  applyOnline,
  learnOnline,
  type OnlineCalibration,
  type OnlineSettings,
  type ResolvedForecast,
  UNCALIBRATED,
} from "./online";

/** Beginning of the UTC day in which a candle closes: the calibration of its forecast has learnt what was known then. */
export function calibrationDay(closesMs: number): number {
  return Math.floor(closesMs / DAY_MS) * DAY_MS;
}

/** The calibration in force from the beginning of a day on. */
export interface CalibrationOfDay {
  dayMs: number;
  state: OnlineCalibration;
  /** Open time of the last candle whose forecast it has learnt from. */
  learntToMs: number;
}

/**
 * The calibration of a slot's forecasts, renewed at the beginning of each day from those that were resolved by then: the
 * last candle of their horizon had closed. Used alike by a walk-forward and by the service. Candles are handed over in
 * order of time.
 */
export class DailyCalibration {
  /** Days that were begun here, in order. */
  readonly begun: CalibrationOfDay[] = [];
  #now: CalibrationOfDay;
  readonly #waiting: { index: number; rawNo: number }[] = [];

  /**
   * @param series when each candle opens and closes, and its class, negative where it will never be known
   * @param known days that were begun before; they stay as they are
   */
  constructor(
    private readonly series: { ts: Float64Array; closesMs: Float64Array; labels: ArrayLike<number> },
    start: CalibrationOfDay,
    private readonly known: ReadonlyMap<number, CalibrationOfDay> = new Map(),
    private readonly settings?: OnlineSettings,
  ) {
    this.#now = start;
  }

  /** The calibration in force for the forecast of a candle. */
  at(index: number): OnlineCalibration {
    const dayMs = calibrationDay(at(this.series.closesMs, index));
    if (dayMs > this.#now.dayMs) this.#begin(dayMs);
    return this.#now.state;
  }

  /** The calibrated probabilities of a candle's forecast, which is learnt from when it is resolved. */
  calibrate(index: number, raw: Float64Array): Float64Array {
    const calibrated = applyOnline(this.at(index), raw, at(this.series.closesMs, index));
    this.add(index, at(raw, 2));
    return calibrated;
  }

  /** Takes note of a candle's forecast, P(NO_TRADE) as the model gave it, to be learnt from when it is resolved. */
  add(index: number, rawNo: number): void {
    this.#waiting.push({ index, rawNo });
  }

  /** What is known when all forecasts so far are resolved. */
  learnAll(): OnlineCalibration {
    return learnOnline(this.#now.state, this.#take(Number.POSITIVE_INFINITY).forecasts, this.settings);
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
      state: learnOnline(this.#now.state, forecasts, this.settings),
      learntToMs: lastMs ?? this.#now.learntToMs,
    };
    this.begun.push(this.#now);
  }

  /** Open time of a waiting forecast's candle; later than every time where there is none. */
  #openMs(place: number): number {
    const waiting = this.#waiting[place];
    return waiting === undefined ? Number.POSITIVE_INFINITY : at(this.series.ts, waiting.index);
  }

  /** Takes the forecasts that are resolved by a time off those that wait. */
  #take(untilMs: number): { forecasts: ResolvedForecast[]; lastMs: number | null } {
    const { labels, closesMs } = this.series;
    let n = 0;
    for (; n < this.#waiting.length; n++) {
      const last = (this.#waiting[n]?.index ?? 0) + OUTCOME_RULE.horizonCandles;
      if (last >= closesMs.length || at(closesMs, last) > untilMs) break;
    }
    const lastMs = n === 0 ? null : this.#openMs(n - 1);
    const forecasts = this.#waiting.splice(0, n).flatMap(({ index, rawNo }) => {
      const label = labels[index] ?? -1;
      return label < 0 ? [] : [{ rawNo, closesMs: at(closesMs, index), label }];
    });
    return { forecasts, lastMs };
  }
}

/**
 * A record of forecasts calibrated as a service does it.
 *
 * @param rows candles of the forecasts, in order of time; @param raw their probabilities, n x 3; @param labels class per
 *   candle; @param closesMs when each candle closes
 * @returns calibrated forecasts, n x 3, and what all of them have taught
 */
export function calibrateDaily(
  record: { rows: Int32Array; raw: Float64Array; labels: ArrayLike<number>; closesMs: Float64Array },
  settings?: OnlineSettings,
): { calibrated: Float64Array; state: OnlineCalibration } {
  const { rows, raw, labels, closesMs } = record;
  const daily = new DailyCalibration(
    { ts: closesMs, closesMs, labels },
    { dayMs: Number.NEGATIVE_INFINITY, state: { ...UNCALIBRATED }, learntToMs: Number.NEGATIVE_INFINITY },
    new Map(),
    settings,
  );
  const calibrated = new Float64Array(raw.length);
  for (const [i, row] of rows.entries()) {
    calibrated.set(daily.calibrate(row, raw.subarray(3 * i, 3 * i + 3)), 3 * i);
  }
  return { calibrated, state: daily.learnAll() };
}
