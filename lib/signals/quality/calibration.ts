import type { z } from "zod";
import { db } from "@/db/client";
import { type ForecastColumns, listForecasts } from "@/db/queries/track-record";
import type { Scope } from "@/lib/access/plans";
import { bySlot } from "@/lib/market/slot-order";
import type { Windowed } from "@/lib/runtime/window-cache";
import { addDays } from "@/lib/time";
import type { CalibrationReport, ModelCalibration, SlotCalibration } from "@/lib/wire/contracts/quality";
import { calibrationOf } from "./calibration-of";
import { slotCalibrationOf } from "./slot-calibration";

interface CalibrationWindow {
  days: number;
  bins: number;
}

/**
 * Calibration of the models in scope over the last days, by symbol, timeframe and model, until the oldest signal leaves
 * the window. It changes with an outcome or a model. With `expand`, a row over all models follows those of each slot.
 */
export async function readCalibration(
  scope: Scope,
  { days, bins, expand }: CalibrationWindow & { expand?: "slots" | undefined },
  now: Date,
): Promise<Windowed<z.output<typeof CalibrationReport>>> {
  const { slots, validUntil } = await readForecasts(scope, { days, withOrder: expand === "slots" }, now);
  const models = slots.flatMap((slot) => [
    ...slot.map((columns) => calibrationOf(columns, bins)),
    ...(expand === "slots" ? [slotCalibrationOf(slot, bins)] : []),
  ]);
  return { value: { days, count: models.length, n_bins: bins, models }, validUntil };
}

/** Calibration by model, by the interface's own rule, and by slot, by what is noise. */
export interface Calibrations {
  models: z.output<typeof ModelCalibration>[];
  slots: z.output<typeof SlotCalibration>[];
}

/** The same for pages and monitoring: the rows of models and of slots apart. */
export async function readCalibrations(
  scope: Scope,
  { days, bins }: CalibrationWindow,
  now: Date,
): Promise<Windowed<Calibrations>> {
  const { slots, validUntil } = await readForecasts(scope, { days, withOrder: true }, now);
  return {
    value: {
      models: slots.flatMap((slot) => slot.map((columns) => calibrationOf(columns, bins))),
      slots: slots.map((slot) => slotCalibrationOf(slot, bins)),
    },
    validUntil,
  };
}

/** Forecasts with an outcome, slot by slot in the slots' order, the models of each by version. */
async function readForecasts(
  scope: Scope,
  { days, withOrder }: { days: number; withOrder: boolean },
  now: Date,
): Promise<{ slots: [ForecastColumns, ...ForecastColumns[]][]; validUntil: Date | null }> {
  const forecasts = await listForecasts(db("statistics"), { scope, since: addDays(now, -days), withOrder });
  const slots: [ForecastColumns, ...ForecastColumns[]][] = [];
  for (const columns of forecasts.toSorted((a, b) => bySlot(a, b) || (a.modelV < b.modelV ? -1 : 1))) {
    const last = slots.at(-1);
    if (last?.[0].slotId === columns.slotId) last.push(columns);
    else slots.push([columns]);
  }
  const earliest = Math.min(...forecasts.map(({ earliestClose }) => earliestClose.getTime()));
  return { slots, validUntil: forecasts.length === 0 ? null : addDays(new Date(earliest), days) };
}
