import type { Database } from "@/db/client";
import { listTrainingStates } from "@/db/queries/trainings";
import { type Breathe, withoutPause } from "@/lib/engine/breathe";
import { log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { HOUR_MS } from "@/lib/time";
import { trainSlotModel } from "./train-slot-model";
import { isTrainable, isTrainingDue, planOfSlot, readSlotPlans, readTrainingPlan } from "./training-plan";

/** A slot whose training failed waits this long, so that it does not hold up the training of the others. */
const PUT_OFF_MS = 6 * HOUR_MS;

const failedAtMs = new Map<number, number>();

/**
 * Trains the slot that has waited longest, if one is due. One at a time: the next turn takes the next.
 *
 * @returns whether something was trained
 */
export async function trainDueSlot(
  database: Database,
  now: Date,
  breathe: Breathe = withoutPause,
): Promise<boolean> {
  const plan = await readTrainingPlan(database);
  const slotPlans = await readSlotPlans(database);
  if (!plan.enabled && ![...slotPlans.values()].some(({ isTrained }) => isTrained)) return false;
  const states = await listTrainingStates(database, plan.minCandles);
  const [next] = states
    .filter(
      (slot) => isTrainingDue(slot, planOfSlot(plan, slot, slotPlans), now) && !isPutOff(slot.slotId, now),
    )
    .sort((a, b) => (a.lastTrainedAt?.getTime() ?? 0) - (b.lastTrainedAt?.getTime() ?? 0));
  if (next === undefined) return false;
  const alike = states.filter(isTrainable);
  const { decision, isRecorded } = await trainSlotModel(database, next, alike, { breathe }).catch(
    (error: unknown) => {
      if (!isDatabaseUnavailable(error)) failedAtMs.set(next.slotId, now.getTime());
      throw error;
    },
  );
  log("info", isRecorded ? "a slot was trained" : "a training was dropped: the champion changed meanwhile", {
    slot: `${next.symbol}/${next.timeframe}`,
    kind: decision.champion,
    action: decision.change,
  });
  return true;
}

function isPutOff(slotId: number, now: Date): boolean {
  return now.getTime() - (failedAtMs.get(slotId) ?? Number.NEGATIVE_INFINITY) < PUT_OFF_MS;
}
