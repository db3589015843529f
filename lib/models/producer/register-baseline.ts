import type { Database, Transaction } from "@/db/client";
import {
  addSecondModel,
  bumpModelsVersion,
  listChampions,
  listForecastSources,
  lockModels,
  upsertModels,
} from "@/db/queries/models";
import { BASELINE_VERSION, FORMER_BASELINE_VERSIONS } from "@/lib/engine/baseline";
import { settingInForce } from "@/lib/settings/registry";

/**
 * Makes the baseline champion of each of these slots whose champion is the baseline of an earlier release, or that has
 * neither a champion nor an operator's choice of who forecasts it. Does nothing while built-in models are switched off.
 * Returns the number of changed slots.
 */
export async function makeBaselineChampion(
  database: Database,
  slotIds: number[],
  trainedAt: Date,
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockModels(tx);
    if (!(await settingInForce(tx, "built_in_models")).enabled) return 0;
    const champions = await listChampions(tx);
    const former = new Set(
      champions.filter(({ modelV }) => FORMER_BASELINE_VERSIONS.includes(modelV)).map(({ slotId }) => slotId),
    );
    const taken = new Set([
      ...champions.map(({ slotId }) => slotId),
      ...(await listForecastSources(tx)).keys(),
    ]);
    const free = slotIds.filter((slotId) => former.has(slotId) || !taken.has(slotId));
    await upsertModels(
      tx,
      free.map((slotId) => ({
        slotId,
        modelV: BASELINE_VERSION,
        // The job `baseline`, which runs every minute, computes the figures.
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

/** Registers the baseline for a slot, whose champion stays. Does nothing if it is registered for the slot already. */
export const registerBaselineAsSecondModel = (tx: Transaction, slotId: number): Promise<void> =>
  addSecondModel(tx, slotId, BASELINE_VERSION);
