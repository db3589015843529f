import type { z } from "zod";
import { db } from "@/db/client";
import { listForecasts } from "@/db/queries/track-record";
import type { Scope } from "@/lib/access/plans";
import { bySlot } from "@/lib/market/slot-order";
import type { Windowed } from "@/lib/runtime/window-cache";
import { addDays } from "@/lib/time";
import type { CalibrationReport } from "@/lib/wire/contracts/quality";
import { calibrationOf } from "./calibration-of";

/**
 * Calibration of the models in scope over the last days, by symbol, timeframe and model, until the oldest signal leaves
 * the window. It changes with an outcome or a model.
 */
export async function readCalibration(
  scope: Scope,
  { days, bins }: { days: number; bins: number },
  now: Date,
): Promise<Windowed<z.output<typeof CalibrationReport>>> {
  const forecasts = await listForecasts(db("statistics"), { scope, since: addDays(now, -days) });
  const models = forecasts
    .toSorted((a, b) => bySlot(a, b) || (a.modelV < b.modelV ? -1 : 1))
    .map((columns) => calibrationOf(columns, bins));
  const earliest = Math.min(...forecasts.map(({ earliestClose }) => earliestClose.getTime()));
  return {
    value: { days, count: models.length, n_bins: bins, models },
    validUntil: forecasts.length === 0 ? null : addDays(new Date(earliest), days),
  };
}
