import { db } from "@/db/client";
import { countBrokenFeatures } from "@/db/queries/features";
import { listChampions } from "@/db/queries/models";
import { memo } from "@/lib/runtime/memo";
import { DeadlineError, withDeadline } from "@/lib/runtime/unavailable";
import { MINUTE_MS } from "@/lib/time";
import { readModelQuality } from "./read-quality";

const brokenFeatureCount = memo("admin-broken-features", { ttlMs: MINUTE_MS }, () =>
  countBrokenFeatures(db()),
);

/** Time in ms that the overview waits for the first check of the models after a start. */
const PATIENCE_MS = 50;

export interface ModelStates {
  /** null: the first check since the process started is still running. */
  drifting: number | null;
  brokenFeatures: number;
}

/** Numbers of drifting slots and of broken features, at most five minutes old. */
export async function readModelStates(): Promise<ModelStates> {
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
