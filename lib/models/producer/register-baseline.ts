import type { Database } from "@/db/client";
import { bumpModelsVersion, listChampions, lockModels, upsertModels } from "@/db/queries/models";
import { BASELINE_VERSION, FORMER_BASELINES } from "@/lib/engine/baseline";

/**
 * Makes the baseline the champion of each of these slots that has none, or has the baseline of an earlier release. Returns
 * how many slots received it.
 */
export async function registerBaseline(
  database: Database,
  slotIds: number[],
  trainedAt: Date,
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockModels(tx);
    const champions = (await listChampions(tx)).filter(({ modelV }) => !FORMER_BASELINES.includes(modelV));
    const taken = new Set(champions.map(({ slotId }) => slotId));
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
