import { z } from "zod";
import type { Handle } from "@/db/client";
import { readSetting } from "@/db/queries/settings";
import { HEALTH_THRESHOLDS, type HealthThresholds } from "./assess-health";

const figure = (byDefault: number) => z.number().min(0).catch(byDefault);

const Thresholds = z
  .object({
    downLagFactor: figure(HEALTH_THRESHOLDS.downLagFactor),
    downLagMinutes: figure(HEALTH_THRESHOLDS.downLagMinutes),
    degradedLagMinutes: figure(HEALTH_THRESHOLDS.degradedLagMinutes),
    degradedStaleShare: figure(HEALTH_THRESHOLDS.degradedStaleShare),
  })
  .catch(HEALTH_THRESHOLDS);

/** The thresholds in force: the operator's settings, and the default for each that is missing or unusable. */
export async function readHealthThresholds(handle: Handle): Promise<HealthThresholds> {
  return Thresholds.parse(await readSetting<unknown>(handle, "health_thresholds"));
}
