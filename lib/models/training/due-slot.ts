import type { Database } from "@/db/client";
import { listTrainingStates } from "@/db/queries/trainings";
import { settingInForce } from "@/lib/settings/registry";
import { isTrainingDue, readTrainingOverrides, trainingPlanOf } from "@/lib/settings/training-plan";
import { HOUR_MS } from "@/lib/time";

/** Delay after a failed training, so that the slot does not keep others from being trained. */
const PUT_OFF_MS = 6 * HOUR_MS;

const failedAtMs = new Map<number, number>();

/**
 * Of the slots that are due for training and not postponed, the one whose last training is longest ago (one without a
 * training first); null if there is none.
 */
export async function findSlotDueForTraining(database: Database, now: Date): Promise<number | null> {
  const plan = await settingInForce(database, "training");
  const slotPlans = await readTrainingOverrides(database);
  if (!plan.enabled && ![...slotPlans.values()].some(({ isTrained }) => isTrained)) return null;
  const [next] = (await listTrainingStates(database, plan.minCandles))
    .filter(
      (slot) =>
        isTrainingDue(slot, trainingPlanOf(plan, slot, slotPlans), now) && !isPutOff(slot.slotId, now),
    )
    .sort((a, b) => (a.lastTrainedAt?.getTime() ?? 0) - (b.lastTrainedAt?.getTime() ?? 0));
  return next?.slotId ?? null;
}

/** Delays a slot's next training in this process by six hours from `now`. */
export function postponeTraining(slotId: number, now: Date): void {
  failedAtMs.set(slotId, now.getTime());
}

function isPutOff(slotId: number, now: Date): boolean {
  return now.getTime() - (failedAtMs.get(slotId) ?? Number.NEGATIVE_INFINITY) < PUT_OFF_MS;
}
