import type { DatabaseHandle } from "@/db/client";
import type { CandleColumns } from "@/db/queries/candles";
import {
  insertCalibrations,
  listCalibrations,
  listRawForecasts,
  type StoredCalibration,
} from "@/db/queries/online-calibrations";
import { type CalibrationOfDay, calibrationDay, DailyCalibration } from "@/lib/engine/calibration/daily";
import { elementOrNaN } from "@/lib/engine/column";
import { labelCandles } from "@/lib/engine/outcome";
import type { TrainedModel } from "@/lib/engine/trained-model";
import { candleCloseMs } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

/**
 * Calibration of a model's forecasts for the candles from index `fromIndex` on. For a day without a stored calibration,
 * the model's last earlier one (at first that of the training) is updated with the slot's later forecasts, also with
 * those of other models, as far as their candles are among `candles`.
 */
export async function readDailyCalibration(
  handle: DatabaseHandle,
  model: { slotId: number; modelV: string; timeframe: Timeframe; trained: TrainedModel },
  candles: CandleColumns,
  fromIndex: number,
): Promise<DailyCalibration> {
  const { slotId, modelV, timeframe, trained } = model;
  const closesMs = candles.ts.map((ts) => candleCloseMs(ts, timeframe));
  const firstDay = new Date(calibrationDay(elementOrNaN(closesMs, fromIndex)));
  const stored = await listCalibrations(handle, { slotId, modelV, day: firstDay });
  const before = stored[0] !== undefined && stored[0].day < firstDay ? stored[0] : null;
  const learntTo = before?.learntTo ?? new Date(trained.calibratedToMs);
  const forecasts = await listRawForecasts(handle, {
    slotId,
    after: learntTo,
    before: new Date(elementOrNaN(candles.ts, fromIndex)),
  });

  const daily = new DailyCalibration(
    { ts: candles.ts, closesMs, labels: labelCandles(candles).label },
    before === null
      ? { dayMs: Number.NEGATIVE_INFINITY, state: trained.calibration, learntToMs: learntTo.getTime() }
      : dayOf(before),
    new Map(stored.map((row) => [row.day.getTime(), dayOf(row)])),
  );
  const places = new Map(Array.from(candles.ts, (ts, index) => [ts, index]));
  for (const { tsMs, rawNo } of forecasts) {
    const index = places.get(tsMs);
    if (index !== undefined) daily.add(index, rawNo);
  }
  return daily;
}

/** Stores the calibrations that `daily` has computed, except for days that have one already. */
export async function recordDailyCalibration(
  handle: DatabaseHandle,
  model: { slotId: number; modelV: string },
  daily: DailyCalibration,
): Promise<void> {
  await insertCalibrations(
    handle,
    model,
    daily.begun.map(({ dayMs, state: { curvature, pull, ...weights }, learntToMs }) => ({
      day: new Date(dayMs),
      ...weights,
      learntTo: new Date(learntToMs),
      learnt: { curvature, pull },
    })),
  );
}

function dayOf({ day, learnt, learntTo, ...weights }: StoredCalibration): CalibrationOfDay {
  return { dayMs: day.getTime(), state: { ...weights, ...learnt }, learntToMs: learntTo.getTime() };
}
