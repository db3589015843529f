import type { Database } from "@/db/client";
import { bumpModelsVersion, listChampions, lockModels, upsertModels } from "@/db/queries/models";
import { BASELINE_VERSION } from "@/lib/engine/baseline";

/** Makes the baseline the champion of each of these slots that has none. Returns how many slots received it. */
export async function registerBaseline(
  database: Database,
  slotIds: number[],
  trainedAt: Date,
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockModels(tx);
    const taken = new Set((await listChampions(tx)).map((champion) => champion.slotId));
    const free = slotIds.filter((slotId) => !taken.has(slotId));
    await upsertModels(
      tx,
      free.map((slotId) => ({
        slotId,
        modelV: BASELINE_VERSION,
        // Measured by the worker, within a minute.
        aucWf: null,
        pfWf: null,
        isActive: true,
        trainedAt,
        classFreq: null,
        featureStats: null,
      })),
    );
    if (free.length > 0) await bumpModelsVersion(tx);
    return free.length;
  });
}
