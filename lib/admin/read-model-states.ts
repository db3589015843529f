import { db } from "@/db/client";
import { countDriftedFeatures } from "@/db/queries/admin-models";
import { listChampions } from "@/db/queries/models";
import { sharedFor } from "../shared-for";
import { readQuality } from "./read-quality";

const driftedFeatureCount = sharedFor("admin-drifted-features", 60_000, () => countDriftedFeatures(db()));

/** How many champions and features have come apart from what they were trained on; at most minutes old. */
export async function readModelStates(): Promise<{ drifting: number; driftedFeatures: number }> {
  const [driftedFeatures, champions, quality] = await Promise.all([
    driftedFeatureCount(),
    listChampions(db()),
    readQuality(),
  ]);
  const drifting = champions.filter((champion) =>
    quality.calibration.some(
      (model) =>
        model.status === "drifting" &&
        model.symbol === champion.symbol &&
        model.tf_code === champion.timeframe &&
        model.model_v === champion.modelV,
    ),
  ).length;
  return { drifting, driftedFeatures };
}
