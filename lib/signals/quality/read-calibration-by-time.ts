import { listNewestForecasts } from "@/db/queries/track-record";
import { readAtReplica } from "@/db/replica";
import { elementOrNaN } from "@/lib/engine/column";
import { calibrationByTime } from "@/lib/engine/scores/calibration-by-time";
import { addDays, SECOND_MS } from "@/lib/time";

/** Maximum number of forecasts: a year and a half of hourly candles of FX, or a week of M1 candles. */
const MAX_FORECASTS = 10_000;
const DAYS = 730;

/**
 * Calibration of P(NO_TRADE) in a slot's newest resolved live forecasts of all models, by New York hour and weekday.
 */
export async function readCalibrationByTime(slotId: number, now: Date) {
  const ofModels = await readAtReplica((database) =>
    listNewestForecasts(database, {
      slotIds: [slotId],
      since: addDays(now, -DAYS),
      limit: MAX_FORECASTS,
    }),
  );
  const forecasts = ofModels
    .flatMap(({ closesS, probs, labels }) =>
      Array.from(closesS, (seconds, i) => ({
        closesMs: SECOND_MS * seconds,
        no: elementOrNaN(probs, 3 * i + 2),
        label: labels[i] ?? 0,
      })),
    )
    .toSorted((a, b) => a.closesMs - b.closesMs);
  return calibrationByTime(
    Float64Array.from(forecasts, ({ no }) => no),
    forecasts.map(({ label }) => label),
    Float64Array.from(forecasts, ({ closesMs }) => closesMs),
  );
}
