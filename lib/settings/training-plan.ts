import type { DatabaseHandle } from "@/db/client";
import { listSlotSettings, type SlotSetting } from "@/db/queries/slot-settings";
import { type SlotName, slotKey } from "@/db/queries/slots";
import type { SlotTrainingState } from "@/db/queries/trainings";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";

/** When slots are trained; the setting `training`. */
export interface TrainingPlan {
  enabled: boolean;
  /** Hours between two trainings of a slot. */
  everyHours: number;
  /** Minutes after a slot is first seen before its first training, because its history is being loaded. */
  afterMinutes: number;
  minCandles: number;
}

/** Whether this service trains a slot: it has enough candles, and its champion is the baseline or was trained here. */
export function isTrainable(slot: SlotTrainingState): boolean {
  return slot.hasCandles && (slot.hasParameters || slot.modelV === BASELINE_VERSION);
}

/** Overrides of single slots; the key is a slot such as `EURUSD/H1`. */
export type TrainingOverrides = ReadonlyMap<string, Pick<SlotSetting, "isTrained" | "trainEveryHours">>;

export async function readTrainingOverrides(database: DatabaseHandle): Promise<TrainingOverrides> {
  return new Map((await listSlotSettings(database)).map((setting) => [slotKey(setting), setting]));
}

/** The plan of one slot: its override, else the general plan. */
export function trainingPlanOf(plan: TrainingPlan, slot: SlotName, slots: TrainingOverrides): TrainingPlan {
  const said = slots.get(slotKey(slot));
  return {
    ...plan,
    enabled: said?.isTrained ?? plan.enabled,
    everyHours: said?.trainEveryHours ?? plan.everyHours,
  };
}

/** Whether a slot must be trained now: for the first time, because its history has doubled, or by schedule. */
export function isTrainingDue(slot: SlotTrainingState, plan: TrainingPlan, now: Date): boolean {
  if (!plan.enabled || !isTrainable(slot)) return false;
  if (now.getTime() - slot.firstSeenAt.getTime() < plan.afterMinutes * MINUTE_MS) return false;
  return (
    slot.lastTrainedAt === null ||
    slot.hasDoubled ||
    now.getTime() - slot.lastTrainedAt.getTime() >= plan.everyHours * HOUR_MS
  );
}
