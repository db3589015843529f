import { NO_TRADE } from "@/lib/engine/classes";
import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { uniformSource } from "@/lib/engine/random";
import { newYorkHour, newYorkWeekday } from "@/lib/market/calendar";

/** Forecasts of candles that closed in the same New York hour, or on the same New York weekday. */
export interface CalibrationTimeGroup {
  /** Hour, 0 to 23, or weekday, 0 Sunday to 6. */
  place: number;
  n: number;
  /** Mean P(NO_TRADE) of the forecasts; `came` is the share of NO_TRADE among the outcomes. */
  said: number;
  came: number;
}

export interface CalibrationByTime {
  /** Groups with at least one forecast, in order. */
  groups: CalibrationTimeGroup[];
  /** Mean over the forecasts of the distance between `said` and `came` of their group; null without forecasts. */
  error: number | null;
  /** 95 % quantile of the error that perfect forecasts have by chance, simulated. */
  byChance: number;
}

const RUNS = 100;

/**
 * Calibration error of P(NO_TRADE) by New York hour and by weekday of the candle's close. The ECE of the top class
 * misses an error that has opposite signs at two hours whose forecasts share a bin.
 *
 * The error by chance is simulated: each class is drawn with its forecast's probability, and `horizonCandles`
 * consecutive candles share a draw, as in {@link simulatePerfectForecasts}.
 *
 * @param probsNo P(NO_TRADE), in order of time
 * @param labels class numbers
 * @param closesMs close of each candle, epoch ms
 */
export function calibrationByTime(
  probsNo: Float64Array,
  labels: ArrayLike<number>,
  closesMs: Float64Array,
): { hours: CalibrationByTime; weekdays: CalibrationByTime } {
  const errorsBy = (placeOf: (ms: number) => number, places: number) =>
    calibrationOf(probsNo, labels, { of: Uint8Array.from(closesMs, placeOf), places });
  return { hours: errorsBy((ms) => newYorkHour(ms), 24), weekdays: errorsBy((ms) => newYorkWeekday(ms), 7) };
}

function calibrationOf(
  probsNo: Float64Array,
  labels: ArrayLike<number>,
  { of, places }: { of: Uint8Array; places: number },
): CalibrationByTime {
  const n = probsNo.length;
  const [counts, said] = [new Float64Array(places), new Float64Array(places)];
  for (let i = 0; i < n; i++) {
    const place = of[i] ?? 0;
    counts[place] = elementOrNaN(counts, place) + 1;
    said[place] = elementOrNaN(said, place) + elementOrNaN(probsNo, i);
  }
  const errorOf = (came: Float64Array) =>
    said.reduce((sum, value, place) => sum + Math.abs(value - elementOrNaN(came, place)), 0) / Math.max(1, n);

  const uniform = uniformSource(1);
  const simulated = Float64Array.from({ length: RUNS }, () => {
    const came = new Float64Array(places);
    let draw = 0;
    for (let i = 0; i < n; i++) {
      if (i % OUTCOME_RULE.horizonCandles === 0) draw = uniform();
      if (draw < elementOrNaN(probsNo, i)) came[of[i] ?? 0] = elementOrNaN(came, of[i] ?? 0) + 1;
    }
    return errorOf(came);
  }).sort();
  const came = new Float64Array(places);
  for (let i = 0; i < n; i++)
    if (labels[i] === NO_TRADE) came[of[i] ?? 0] = elementOrNaN(came, of[i] ?? 0) + 1;
  return {
    groups: [...counts.keys()].flatMap((place) => {
      const count = elementOrNaN(counts, place);
      return count === 0
        ? []
        : [
            {
              place,
              n: count,
              said: elementOrNaN(said, place) / count,
              came: elementOrNaN(came, place) / count,
            },
          ];
    }),
    error: n === 0 ? null : errorOf(came),
    byChance: elementOrNaN(simulated, Math.floor(0.95 * RUNS)),
  };
}
