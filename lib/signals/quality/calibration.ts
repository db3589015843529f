import type { z } from "zod";
import { listScoredModels, type ScoredModel } from "@/db/queries/track-record";
import type { Scope } from "@/lib/access/plans";
import { compareSlots } from "@/lib/market/slot-order";
import { groupBy } from "@/lib/runtime/group-by";
import type { ExpiringValue } from "@/lib/runtime/window-cache";
import { addDays, addMs, MINUTE_MS } from "@/lib/time";
import type { CalibrationReport, ModelCalibration, SlotCalibration } from "@/lib/wire/contracts/quality";
import { calibrationOf } from "./calibration-of";
import { readRangeCoverage } from "./range-coverage";
import { readInOneSnapshot } from "./read-in-one-snapshot";
import { readForecastSumsAndRevisions } from "./read-sums";
import { readSlotCalibrations } from "./slot-calibrations";

interface CalibrationWindow {
  days: number;
  bins: number;
}

/**
 * Calibration of the models in scope over the last days, by symbol, timeframe and model. The rows are valid until the
 * oldest signal leaves the window, or an outcome or a model changes them. With `expand: "slots"`, the rows of each slot
 * are followed by one row over all its models; `expand: "ranges"` adds the coverage of the forecast ranges. It is valid
 * for at most a minute, because no version counts the ranges whose horizon has closed.
 */
export async function readCalibration(
  scope: Scope,
  { days, bins, expand }: CalibrationWindow & { expand?: "slots" | "ranges" | undefined },
  now: Date,
): Promise<ExpiringValue<z.output<typeof CalibrationReport>>> {
  const { models, validUntil, since, revisions } = await readModelCalibrations(scope, { days, bins }, now);
  const slots = expand === "slots" ? await readSlotCalibrations(revisions, { since, bins }) : [];
  const rows = [...groupBy(models, slotOf)].flatMap(([slot, ofSlot]) => [
    ...ofSlot,
    ...slots.filter((row) => slotOf(row) === slot),
  ]);
  const report = { days, count: rows.length, n_bins: bins, models: rows };
  if (expand !== "ranges") return { value: report, validUntil };
  const inAMinute = addMs(now, MINUTE_MS);
  return {
    value: { ...report, ranges: await readRangeCoverage(scope, days, now) },
    validUntil: validUntil !== null && validUntil < inAMinute ? validUntil : inAMinute,
  };
}

const slotOf = (row: { symbol: string; tf_code: string }) => `${row.symbol}/${row.tf_code}`;

/** Calibration by model, as the API defines it, and by slot, compared with what perfect forecasts show by chance. */
export interface Calibrations {
  models: z.output<typeof ModelCalibration>[];
  slots: z.output<typeof SlotCalibration>[];
}

/** Calibration for pages and monitoring, with models and slots separate. */
export async function readModelAndSlotCalibrations(
  scope: Scope,
  window: CalibrationWindow,
  now: Date,
): Promise<ExpiringValue<Calibrations>> {
  const { models, validUntil, since, revisions } = await readModelCalibrations(scope, window, now);
  const slots = await readSlotCalibrations(revisions, { since, bins: window.bins });
  return { value: { models, slots }, validUntil };
}

/**
 * One row for each model with a resolved forecast in the window, in the slots' order, the models of each by version. Also
 * the start of the window, and for each slot a text that changes whenever its forecasts in the window or its models do.
 */
async function readModelCalibrations(scope: Scope, { days, bins }: CalibrationWindow, now: Date) {
  const window = { scope, since: addDays(now, -days) };
  const {
    known,
    forecasts: { sums: stretches, revisions },
  } = await readInOneSnapshot({
    known: (tx) => listScoredModels(tx, scope),
    forecasts: (tx) => readForecastSumsAndRevisions(tx, window),
  });
  const slots = new Map(known.slots.map((slot) => [slot.slotId, slot]));
  const frequencies = new Map(
    known.models.map(({ slotId, modelV, classFreq }) => [`${slotId}/${modelV}`, classFreq]),
  );
  const scored = stretches.flatMap(({ slotId, modelV, tally }) => {
    const slot = slots.get(slotId);
    const classFreq = frequencies.get(`${slotId}/${modelV}`) ?? null;
    const model: ScoredModel | null = slot ? { ...slot, modelV, classFreq } : null;
    return model ? [{ model, tally }] : [];
  });
  const earliest = Math.min(...stretches.map(({ earliestClose }) => earliestClose.getTime()));
  const modelsOf = groupBy(known.models, ({ slotId }) => slotId);
  const modelTexts = (slotId: number) =>
    (modelsOf.get(slotId) ?? []).map(({ modelV, classFreq }) => `${modelV} ${classFreq?.join()}`).toSorted();
  return {
    since: window.since,
    revisions: new Map(
      [...revisions].map(([slotId, revision]) => [slotId, [revision, ...modelTexts(slotId)].join("\n")]),
    ),
    models: scored
      .toSorted((a, b) => compareSlots(a.model, b.model) || (a.model.modelV < b.model.modelV ? -1 : 1))
      .map(({ model, tally }) => calibrationOf(model, tally, bins)),
    validUntil: stretches.length === 0 ? null : addDays(new Date(earliest), days),
  };
}
