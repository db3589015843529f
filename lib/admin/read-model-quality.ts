import type { z } from "zod";
import { db } from "@/db/client";
import { countLateSignals } from "@/db/queries/record";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { memo } from "@/lib/runtime/memo";
import { readModelAndSlotCalibrations } from "@/lib/signals/quality/calibration";
import { readPerformance } from "@/lib/signals/quality/performance";
import { addDays, MINUTE_MS } from "@/lib/time";
import {
  DEFAULT_QUALITY_DAYS,
  type ModelCalibration,
  type SlotCalibration,
  type TrackRecord,
} from "@/lib/wire/contracts/quality";

const FRESH_MS = MINUTE_MS;
/**
 * An older result is not returned: callers wait for a new one. Older figures would contradict the pages that read the
 * same slots directly.
 */
const STALEST_MS = 5 * MINUTE_MS;

export interface ModelQuality {
  at: Date;
  calibration: z.output<typeof ModelCalibration>[];
  /** By slot, over all its models. This decides whether the slot drifts. */
  slots: z.output<typeof SlotCalibration>[];
  performance: z.output<typeof TrackRecord>[];
  /** Number of resolved signals in these figures that were entered later, which are not in the public record. */
  nLate: number;
}

/**
 * Calibration and track record of every model over `DEFAULT_QUALITY_DAYS`. Reading them takes a second over a large
 * history, so a result between one and five minutes old is returned at once and renewed in the background.
 */
export const readModelQuality = memo("quality", { ttlMs: FRESH_MS, staleMs: STALEST_MS }, read);

async function read(): Promise<ModelQuality> {
  const now = new Date();
  const everything = effectiveScope(OWNER_GRANT);
  // One after the other: no request waits for them, and each would use a processor of the database.
  const { value: calibration } = await readModelAndSlotCalibrations(
    everything,
    { days: DEFAULT_QUALITY_DAYS, bins: 10 },
    now,
  );
  const { value: record } = await readPerformance(everything, { days: DEFAULT_QUALITY_DAYS }, now);
  const nLate = await countLateSignals(db("heavy"), {
    scope: everything,
    since: addDays(now, -DEFAULT_QUALITY_DAYS),
  });
  return {
    nLate,
    at: now,
    calibration: calibration.models,
    slots: calibration.slots,
    performance: record.items,
  };
}
