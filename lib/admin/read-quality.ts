import type { z } from "zod";
import type { ModelCalibration, TrackRecord } from "../api/contracts/quality";
import { effectiveScope } from "../plans";
import { processWide } from "../process-wide";
import { readCalibration } from "../quality/calibration";
import { readPerformance } from "../quality/performance";

export const QUALITY_DAYS = 90;
const FRESH_MS = 60_000;

export interface Quality {
  at: Date;
  calibration: z.output<typeof ModelCalibration>[];
  performance: z.output<typeof TrackRecord>[];
}

interface Held {
  at: number;
  value: Promise<Quality> | null;
  refreshing: boolean;
}

/**
 * Calibration and track record of every model over 90 days. They take a second over a large history, so that the
 * last reading is answered at once and renewed behind the page once it is a minute old.
 */
export function readQuality(): Promise<Quality> {
  const held = processWide<Held>("admin-quality", () => ({ at: 0, value: null, refreshing: false }));
  if (held.value === null) {
    held.value = read();
    held.at = performance.now();
    held.value.catch(() => {
      held.value = null;
    });
  } else if (!held.refreshing && performance.now() - held.at > FRESH_MS) {
    held.refreshing = true;
    read()
      .then(
        (fresh) => {
          held.value = Promise.resolve(fresh);
          held.at = performance.now();
        },
        // The last reading stands; the next page tries again.
        () => undefined,
      )
      .finally(() => {
        held.refreshing = false;
      });
  }
  return held.value;
}

async function read(): Promise<Quality> {
  const now = new Date();
  const everything = effectiveScope({
    planTier: "owner",
    symbolsAllowed: null,
    tfsAllowed: null,
    rateLimitPerMin: null,
  });
  const [{ body: calibration }, { body: record }] = await Promise.all([
    readCalibration(everything, { days: QUALITY_DAYS, bins: 10 }, now),
    readPerformance(everything, QUALITY_DAYS, now),
  ]);
  return { at: now, calibration: calibration.models, performance: record.items };
}
