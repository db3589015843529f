import type { Database } from "@/db/client";
import {
  listNewestFeatureValues,
  type NewestFeatureValues,
  replaceFeatureStatistics,
} from "@/db/queries/features";
import { binCounts, populationStabilityIndex } from "@/lib/engine/scores/population-stability";

/** Number of newest values of a feature that are compared with the training sample. */
const SAMPLE_SIZE = 500;
/** With fewer values, two samples of one distribution can differ by as much as those of two distributions. */
const MIN_VALUES = 100;

/**
 * Measures and stores, for each feature of each champion, how far its newest values have moved from the training
 * sample: at most 500 values, missing ones included. Replaces all earlier statistics.
 */
export async function recordFeatureDrift(database: Database): Promise<void> {
  const newest = await listNewestFeatureValues(database, SAMPLE_SIZE);
  await database.transaction((tx) => replaceFeatureStatistics(tx, newest.map(statisticOf)));
}

function statisticOf(newest: NewestFeatureValues) {
  const known = newest.values.filter((value) => value !== null);
  const n = newest.values.length;
  const { slotId, modelV, feature, lastValueAt } = newest;
  const nullPct = n === 0 ? 0 : (100 * (n - known.length)) / n;
  const limits = newest.featureStats?.[feature]?.drift?.filter((limit) => limit.n <= known.length).at(-1);
  return {
    slotId,
    modelV,
    feature,
    n,
    nullPct,
    psi: psiOf(newest, known),
    watchAbove: limits?.watch ?? null,
    driftedAbove: limits?.drifted ?? null,
    lastValueAt,
  };
}

/** Population stability index of a feature; null without a matching training sample, or with too few values. */
function psiOf({ featureStats, feature }: NewestFeatureValues, known: number[]): number | null {
  const trained = featureStats?.[feature];
  if (!trained || known.length < MIN_VALUES || trained.shares.length !== trained.edges.length + 1)
    return null;
  return populationStabilityIndex(trained.shares, binCounts(trained.edges, known));
}

export type FeatureStatus = "ok" | "watch" | "drifted" | "unknown";

/**
 * Status of a feature by its population stability index (`psi`): `ok` below `watchAbove`, `drifted` above
 * `driftedAbove`, `watch` in between, `unknown` without an index. The limits come from the model; null means 0.10 and
 * 0.25.
 */
export function featureStatus({
  psi,
  watchAbove,
  driftedAbove,
}: {
  psi: number | null;
  watchAbove: number | null;
  driftedAbove: number | null;
}): FeatureStatus {
  if (psi === null) return "unknown";
  if (psi < (watchAbove ?? 0.1)) return "ok";
  return psi <= (driftedAbove ?? 0.25) ? "watch" : "drifted";
}
