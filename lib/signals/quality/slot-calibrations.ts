import { createHash } from "node:crypto";
import type { z } from "zod";
import type { ForecastColumns } from "@/db/queries/track-record";
import { processWide } from "@/lib/runtime/process-wide";
import { RecentMap } from "@/lib/runtime/recent-map";
import type { SlotCalibration } from "@/lib/wire/contracts/quality";
import { slotCalibrationOf } from "./slot-calibration";

/** Slots of an installation, over some windows and numbers of bins. */
const MOST_KEPT = 1_000;

/**
 * `slotCalibrationOf`, simulated once for the same forecasts: an outcome changes its own slot, and the rows of all others
 * are found again.
 */
export function keptSlotCalibration(
  models: readonly [ForecastColumns, ...ForecastColumns[]],
  nBins: number,
): { row: z.output<typeof SlotCalibration>; isNew: boolean } {
  const kept = processWide(
    "slot-calibrations",
    () => new RecentMap<string, z.output<typeof SlotCalibration>>(MOST_KEPT),
  );
  const key = digestOf(models, nBins);
  const found = kept.get(key);
  if (found) return { row: found, isNew: false };
  const row = slotCalibrationOf(models, nBins);
  kept.set(key, row);
  return { row, isNew: true };
}

/** Everything that the row is made of. */
function digestOf(models: readonly ForecastColumns[], nBins: number): string {
  const hash = createHash("sha256").update(String(nBins));
  for (const { symbol, timeframe, modelV, classFreq, probs, labels, closesS, ids } of models) {
    hash.update(JSON.stringify([symbol, timeframe, modelV, classFreq, labels.length]));
    for (const column of [probs, labels, closesS, ids]) hash.update(column);
  }
  return hash.digest("base64");
}
