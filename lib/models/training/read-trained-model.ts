import { z } from "zod";
import type { TrainedModel } from "@/lib/engine/trained-model";

/** The part of a stored model that tells whether this version of the service can read it. */
const Known = z.object({ format: z.literal(1), model: z.object({ recipe: z.string() }) });

/** A model's stored parameters as the model they were, or null when they are of another form or not ours. */
export function readTrainedModel(parameters: unknown): TrainedModel | null {
  // Only this service writes the column, and a form of another shape has another number.
  return Known.safeParse(parameters).success ? (parameters as TrainedModel) : null;
}
