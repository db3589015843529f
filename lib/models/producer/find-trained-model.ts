import type { Database } from "@/db/client";
import { findModelParameters } from "@/db/queries/trainings";
import type { TrainedModel } from "@/lib/engine/trained-model";
import { readTrainedModel } from "@/lib/models/training/read-trained-model";
import { processWide } from "@/lib/runtime/process-wide";

/** The loaded model of each slot, replaced when the slot's champion changes. */
const known = () =>
  processWide("trained-models", () => new Map<number, { modelV: string; trained: TrainedModel | null }>());

/** A model that this service trained; null for an operator's own. A version never changes, so it is read once. */
export async function findTrainedModel(
  database: Database,
  slotId: number,
  modelV: string,
): Promise<TrainedModel | null> {
  const held = known().get(slotId);
  if (held?.modelV === modelV) return held.trained;
  const trained = readTrainedModel(await findModelParameters(database, slotId, modelV));
  known().set(slotId, { modelV, trained });
  return trained;
}
