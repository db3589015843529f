import { z } from "zod";
import { isRecipe } from "@/lib/engine/models/recipes";
import { type FormerModel, type TrainedModel, upgradeTrainedModel } from "@/lib/engine/trained-model";

const KnownRecipe = z.object({ recipe: z.string().refine(isRecipe) });

/** The part of a stored model by which this version of the service knows whether it can use it. */
const Known = z.union([
  z.object({ format: z.literal(1), model: KnownRecipe }),
  z.object({ format: z.literal(2), features: z.union([z.literal(1), z.literal(2)]), model: KnownRecipe }),
]);

/** The trained model that a row stores; null when its form or its recipe is not known to this version. */
export function readTrainedModel(parameters: unknown): TrainedModel | null {
  // Only this service writes the column, and every shape has a format number of its own.
  return Known.safeParse(parameters).success
    ? upgradeTrainedModel(parameters as TrainedModel | FormerModel)
    : null;
}
