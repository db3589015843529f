import type { z } from "zod";
import type { PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";

/** Every model with its claim and what came true. */
export async function readRecordModels(_query: z.output<typeof PublicModelsQuery>): Promise<PublicModels> {
  throw new Error("not there yet");
}
