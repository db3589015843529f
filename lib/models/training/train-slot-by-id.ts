import type { Database } from "@/db/client";
import { listTrainingStates } from "@/db/queries/trainings";
import type { PauseHook } from "@/lib/engine/pause-hook";
import { log } from "@/lib/runtime/log";
import { settingInForce } from "@/lib/settings/registry";
import { isTrainable } from "@/lib/settings/training-plan";
import { trainSlotModel } from "./train-slot-model";

/**
 * Trains one slot with {@link trainSlotModel}, to which it passes all slots that can be trained as `alike`, and logs
 * the result. Does nothing if the slot does not exist.
 */
export async function trainSlotById(database: Database, slotId: number, breathe: PauseHook): Promise<void> {
  const { minCandles } = await settingInForce(database, "training");
  const states = await listTrainingStates(database, minCandles);
  const slot = states.find((state) => state.slotId === slotId);
  if (slot === undefined) return;
  const { decision, isRecorded } = await trainSlotModel(database, slot, states.filter(isTrainable), {
    breathe,
  });
  log("info", isRecorded ? "a slot was trained" : "a training was dropped: the champion changed meanwhile", {
    slot: `${slot.symbol}/${slot.timeframe}`,
    kind: decision.champion,
    action: decision.change,
  });
}
