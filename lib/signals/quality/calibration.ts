import type { z } from "zod";
import { db } from "@/db/client";
import { listForecasts } from "@/db/queries/outcomes";
import { narrowScope, type Scope } from "@/lib/access/plans";
import { writeBody } from "@/lib/api/answer";
import { bySlot } from "@/lib/market/slot-order";
import { windowCache } from "@/lib/runtime/window-cache";
import { CalibrationReport } from "@/lib/wire/contracts/quality";
import { calibrationOf } from "./calibration-of";
import type { QualityRequest } from "./performance";

const DAY_MS = 86_400_000;

/** The body of `/api/calibration`, computed anew when an outcome or a model was added or one left the window. */
export function getCalibrationBody(wanted: QualityRequest & { bins: number }, now: Date): Promise<string> {
  const scope = narrowScope(wanted.scope, wanted);
  const { days, bins, versions } = wanted;
  const version = versions.outcomes + versions.models;
  return windowCache<string>("calibration").get(`${scope.id}|${days}|${bins}`, version, now, async () => {
    const { body, earliestClose } = await readCalibration(scope, { days, bins }, now);
    const validUntil = earliestClose && new Date(earliestClose.getTime() + days * DAY_MS);
    return { value: writeBody(CalibrationReport, body), validUntil };
  });
}

/** Calibration of the models in scope over the last days, by symbol, timeframe and model. */
export async function readCalibration(
  scope: Scope,
  { days, bins }: { days: number; bins: number },
  now: Date,
): Promise<{ body: z.output<typeof CalibrationReport>; earliestClose: Date | null }> {
  const forecasts = await listForecasts(db(), { scope, since: new Date(now.getTime() - days * DAY_MS) });
  const models = forecasts
    .toSorted((a, b) => bySlot(a, b) || (a.modelV < b.modelV ? -1 : 1))
    .map((columns) => calibrationOf(columns, bins));
  const earliest = Math.min(...forecasts.map(({ earliestClose }) => earliestClose.getTime()));
  return {
    body: { days, count: models.length, n_bins: bins, models },
    earliestClose: forecasts.length === 0 ? null : new Date(earliest),
  };
}
