import { db } from "@/db/client";
import { countDriftedFeatures } from "@/db/queries/admin-models";
import { remembered } from "./remembered";

const MINUTE_MS = 60_000;

/** How many models and features have come apart from what they were trained on; at most a minute old. */
export async function readModelStates(): Promise<{ drifting: number; driftedFeatures: number }> {
  const driftedFeatures = await remembered("drifted-features", MINUTE_MS, () => countDriftedFeatures(db()));
  return { drifting: 0, driftedFeatures };
}
