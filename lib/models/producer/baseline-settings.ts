import { z } from "zod";
import type { Handle } from "@/db/client";
import { readSetting } from "@/db/queries/settings";
import { BASELINE_SETTINGS, BASELINE_VERSION, type BaselineSettings } from "@/lib/engine/baseline";

/** What an operator may say of the baseline; the setting `baseline`. What is left out is as the engine has it. */
export const BaselineDocument = z.object({
  thresholdR: z.number().min(-1).max(10).default(BASELINE_SETTINGS.thresholdR),
  z: z.number().min(0).max(10).default(BASELINE_SETTINGS.z),
  minIndependent: z.int().min(2).max(100_000).default(BASELINE_SETTINGS.minIndependent),
  shrinkageCandles: z.number().min(0).max(1_000_000).default(BASELINE_SETTINGS.shrinkageCandles),
  expectedRr: z.number().min(0.1).max(10).default(BASELINE_SETTINGS.expectedRr),
}) satisfies z.ZodType<BaselineSettings>;

/** Whether a champion is the baseline. */
export const isBaseline = (modelV: string): boolean => modelV === BASELINE_VERSION;

/** The baseline's settings in force. */
export async function readBaselineSettings(handle: Handle): Promise<BaselineSettings> {
  return BaselineDocument.parse((await readSetting<unknown>(handle, "baseline")) ?? {});
}
