import { createHash } from "node:crypto";
import type { Database } from "@/db/client";
import {
  bumpModelsVersion,
  findChampionVersion,
  lockModels,
  type ModelRow,
  upsertModels,
} from "@/db/queries/models";
import { recordOddCandles } from "@/db/queries/odd-candles";
import { storeModelClaim } from "@/db/queries/record";
import { insertTraining, listWeeklyScores, type SlotTrainingState } from "@/db/queries/trainings";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import type { Champion } from "@/lib/engine/champion";
import { MAX_POOL_SLOTS, makePoolSlot, type PoolSlot } from "@/lib/engine/models/pool";
import { isRecipe } from "@/lib/engine/models/recipes";
import type { PauseHook } from "@/lib/engine/pause-hook";
import {
  MIN_TRAINING_CANDLES,
  makeSlotSample,
  type SlotTraining,
  trainAndSelectChampion,
} from "@/lib/engine/train";
import type { TrainedModel } from "@/lib/engine/trained-model";
import type { OnWalkForwardFold, WalkForwardSettings } from "@/lib/engine/walk-forward";
import type { CandleSeries } from "@/lib/market/candles";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { claimedModelFiguresOf } from "./claim";
import { hashCandles } from "./hash-candles";
import { readTrainingCandles } from "./read-training-candles";

/**
 * Trains a slot on its stored candles, chooses its champion, and stores the result.
 *
 * The model, its claim, the record of the training and the version of the models are stored in one transaction. No lock
 * is held while models are fitted. If the champion changes meanwhile (for example because an operator registers a
 * model), the new champion stays and only the odd candles are stored, because the training was not compared with it.
 *
 * @param alike all slots that this service can train, this one included: they share the significance level, and the
 *   others of the slot's timeframe form its pool
 * @returns the training, its candles, and whether it was stored
 */
export async function trainSlotModel(
  database: Database,
  slot: SlotTrainingState,
  alike: readonly SlotTrainingState[],
  options: { settings?: WalkForwardSettings; onFold?: OnWalkForwardFold; breathe?: PauseHook } = {},
): Promise<SlotTraining & { candles: CandleSeries; isRecorded: boolean }> {
  const startedMs = performance.now();
  const { timeframe } = slot;
  const { candles, odd } = await readTrainingCandles(database, slot);
  const minutes = timeframeMinutes(timeframe);
  const cost = { kind: slot.costKind, value: slot.costValue };
  const pool = await readPool(database, slot, alike, options);
  const sample = makeSlotSample(candles, minutes, cost, pool);
  const training = trainAndSelectChampion({
    sample,
    timeframeMinutes: minutes,
    current: championOf(slot),
    slots: alike.length,
    alike: await readEvidence(database, slot, alike),
    ...options,
  });

  const { decision, trained, walk, evaluations } = training;
  const modelV = trained === null ? BASELINE_VERSION : versionOf(trained);
  const trainedAt = new Date();
  const isRecorded = await database.transaction(async (tx) => {
    await lockModels(tx);
    await recordOddCandles(tx, slot.slotId, odd);
    if ((await findChampionVersion(tx, slot.slotId)) !== slot.modelV) return false;
    await insertTraining(tx, {
      slotId: slot.slotId,
      trainedAt,
      durationMs: Math.round(performance.now() - startedMs),
      nCandles: candles.ts.length,
      fromTs: new Date(candles.ts[0] ?? 0),
      toTs: new Date(candles.ts.at(-1) ?? 0),
      dataHash: hashCandles(candles),
      champion: decision.champion,
      change: decision.change,
      reason: decision.reason,
      level: decision.level,
      modelV,
      scores: {
        folds: walk.folds.length,
        evaluations: [...evaluations.values()],
        comparisons: decision.comparisons,
        weeks: training.evidence,
      },
    });
    if (modelV === slot.modelV) return true;
    await upsertModels(tx, [modelRow(slot.slotId, modelV, training, trainedAt)]);
    const evaluation = decision.champion === "baseline" ? undefined : evaluations.get(decision.champion);
    if (evaluation !== undefined)
      await storeModelClaim(tx, { slotId: slot.slotId, modelV, claim: claimedModelFiguresOf(evaluation) });
    await bumpModelsVersion(tx);
    return true;
  });
  return { ...training, candles, isRecorded };
}

/**
 * Weekly gains of the recipes in the newest training of each of the timeframe's other slots, as far as it has them, and
 * the number of timeframes of `alike`.
 */
async function readEvidence(
  database: Database,
  { slotId, timeframe }: SlotTrainingState,
  alike: readonly SlotTrainingState[],
) {
  const others = alike.filter((other) => other.timeframe === timeframe && other.slotId !== slotId);
  return {
    evidence: await listWeeklyScores(
      database,
      others.map((other) => other.slotId),
    ),
    timeframes: new Set(alike.map((other) => other.timeframe)).size,
  };
}

/**
 * The pool of a slot: of the other slots of its timeframe the first {@link MAX_POOL_SLOTS} in the order of `alike`,
 * less those with too few candles.
 */
async function readPool(
  database: Database,
  { slotId, timeframe }: SlotTrainingState,
  alike: readonly SlotTrainingState[],
  { settings, breathe }: { settings?: WalkForwardSettings; breathe?: PauseHook },
): Promise<PoolSlot[]> {
  const others = alike
    .filter((other) => other.timeframe === timeframe && other.slotId !== slotId)
    .slice(0, MAX_POOL_SLOTS);
  const pool: PoolSlot[] = [];
  for (const other of others) {
    const { candles } = await readTrainingCandles(database, other);
    if (candles.ts.length < MIN_TRAINING_CANDLES) continue;
    pool.push(makePoolSlot(candles, timeframeMinutes(timeframe), others.length + 1, settings?.fit));
    breathe?.();
  }
  return pool;
}

/** Recipe of the slot's champion; `baseline` without a champion, or if its recipe is missing or unknown. */
function championOf(slot: SlotTrainingState): Champion {
  return slot.champion !== null && isRecipe(slot.champion) ? slot.champion : "baseline";
}

/**
 * Version of a model: its recipe, the day of the last candle learnt from, and part of a hash of the model. The same
 * candles, pool and settings give the same version.
 */
function versionOf(trained: TrainedModel): string {
  const day = new Date(trained.trainedToMs).toISOString().slice(0, 10).replaceAll("-", "");
  const hash = createHash("sha256").update(JSON.stringify(trained)).digest("hex");
  return `${trained.model.recipe}-${day}-${hash.slice(0, 8)}`;
}

function modelRow(slotId: number, modelV: string, training: SlotTraining, trainedAt: Date): ModelRow {
  const { trained, decision, evaluations } = training;
  const evaluation = decision.champion === "baseline" ? undefined : evaluations.get(decision.champion);
  return {
    slotId,
    modelV,
    aucWf: evaluation?.aucDirection?.auc ?? null,
    // The profit factor, after costs, of following all forecasts whose edge exceeds the cost, allowed or not.
    pfWf: evaluation?.allForecasts[0]?.profitFactor ?? null,
    nWf: evaluation?.n ?? null,
    measuredAt: evaluation ? trainedAt : null,
    isActive: true,
    trainedAt,
    classFreq: trained?.classFrequencies ?? null,
    featureStats: trained?.featureStatistics ?? null,
    parameters: trained ?? undefined,
  };
}
