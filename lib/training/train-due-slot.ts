import type { Database } from "@/db/client";
import { listTrainingStates } from "@/db/queries/trainings";
import { log } from "../log";
import { trainSlotModel } from "./train-slot-model";
import { isTrainable, isTrainingDue, readTrainingPlan } from "./training-plan";

/**
 * Trains the slot that has waited longest, if one is due. One at a time: the next turn takes the next.
 *
 * @returns whether something was trained
 */
export async function trainDueSlot(database: Database, now: Date): Promise<boolean> {
  const plan = await readTrainingPlan(database);
  if (!plan.enabled) return false;
  const states = await listTrainingStates(database, plan.minCandles);
  const [next] = states
    .filter((slot) => isTrainingDue(slot, plan, now))
    .sort((a, b) => (a.lastTrainedAt?.getTime() ?? 0) - (b.lastTrainedAt?.getTime() ?? 0));
  if (next === undefined) return false;
  const { decision } = await trainSlotModel(database, next, states.filter(isTrainable).length);
  log("info", "a slot was trained", {
    slot: `${next.symbol}/${next.timeframe}`,
    kind: decision.champion,
    action: decision.change,
  });
  return true;
}
