import { z } from "zod";
import { isRecipe } from "@/lib/engine/models/recipes";
import type { TrainedModel } from "@/lib/engine/trained-model";

/** The part of a stored model by which this version of the service knows whether it can use it. */
const Known = z.object({ format: z.literal(1), model: z.object({ recipe: z.string().refine(isRecipe) }) });

/** The trained model that a row stores; null when its form or its recipe is not known to this version. */
export function readTrainedModel(parameters: unknown): TrainedModel | null {
  // Only this service writes the column, and every shape has a format number of its own.
  return Known.safeParse(parameters).success ? (parameters as TrainedModel) : null;
}
