import type { Database } from "@/db/client";
import { findModelParameters } from "@/db/queries/trainings";
import type { TrainedModel } from "@/lib/engine/trained-model";
import { decodeTrainedModel } from "@/lib/models/training/decode-trained-model";
import { processWide } from "@/lib/runtime/process-wide";

/** The version that was last read for each slot, by slot id. */
const known = () =>
  processWide("trained-models", () => new Map<number, { modelV: string; trained: TrainedModel | null }>());

/**
 * A model that this service trained; null for any other model, and for a format or recipe that this release does not
 * know. The version that was read last is cached per slot.
 */
export async function findTrainedModel(
  database: Database,
  slotId: number,
  modelV: string,
): Promise<TrainedModel | null> {
  const held = known().get(slotId);
  if (held?.modelV === modelV) return held.trained;
  const trained = decodeTrainedModel(await findModelParameters(database, slotId, modelV));
  known().set(slotId, { modelV, trained });
  return trained;
}
