import { z } from "zod";
import { isRecipe } from "@/lib/engine/models/recipes";
import { type TrainedModel, type TrainedModelFormat1, upgradeTrainedModel } from "@/lib/engine/trained-model";

const KnownRecipe = z.object({ recipe: z.string().refine(isRecipe) });

/** The fields by which this release recognises a stored model that it can use. */
const Known = z.union([
  z.object({ format: z.literal(1), model: KnownRecipe }),
  z.object({ format: z.literal(2), features: z.union([z.literal(1), z.literal(2)]), model: KnownRecipe }),
]);

/** Converts the stored parameters of a trained model; null if this release does not know their format or recipe. */
export function decodeTrainedModel(parameters: unknown): TrainedModel | null {
  // Only this service writes the column, and formats are numbered, so the other fields need no check.
  return Known.safeParse(parameters).success
    ? upgradeTrainedModel(parameters as TrainedModel | TrainedModelFormat1)
    : null;
}
