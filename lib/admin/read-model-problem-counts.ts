import { db } from "@/db/client";
import { countBrokenFeatures } from "@/db/queries/features";
import { listChampions } from "@/db/queries/models";
import { memo } from "@/lib/runtime/memo";
import { DeadlineError, withDeadline } from "@/lib/runtime/unavailable";
import { MINUTE_MS } from "@/lib/time";
import { readModelQuality } from "./read-model-quality";

const brokenFeatureCount = memo("admin-broken-features", { ttlMs: MINUTE_MS }, () =>
  countBrokenFeatures(db()),
);

/** Time in ms that the overview waits for a check of the models, if none of the last five minutes is cached. */
const PATIENCE_MS = 50;

export interface ModelProblemCounts {
  /** null: a check is still running, and none of the last five minutes is cached. */
  drifting: number | null;
  brokenFeatures: number;
}

/**
 * Number of drifting slots, by a check at most five minutes old, and number of broken features, at most a minute old.
 */
export async function readModelProblemCounts(): Promise<ModelProblemCounts> {
  const [brokenFeatures, champions, quality] = await Promise.all([
    brokenFeatureCount(),
    listChampions(db()),
    withDeadline(readModelQuality(), PATIENCE_MS).catch((error: unknown) => {
      if (error instanceof DeadlineError) return null;
      throw error;
    }),
  ]);
  if (quality === null) return { drifting: null, brokenFeatures };
  const drifting = champions.filter((champion) =>
    quality.slots.some(
      (slot) =>
        slot.status === "drifting" && slot.symbol === champion.symbol && slot.tf_code === champion.timeframe,
    ),
  ).length;
  return { drifting, brokenFeatures };
}
