import type { Database, Transaction } from "@/db/client";
import {
  bumpModelsVersion,
  findForecastSource,
  findModelVersion,
  listModelVersions,
  lockModels,
  type ModelVersion,
  setChampion,
  writeForecastSource,
} from "@/db/queries/models";
import { registerBaselineAsSecondModel } from "@/lib/models/producer/register-baseline";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { settingInForce } from "@/lib/settings/registry";
import type { ForecastSource, Timeframe } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const sourceOf = ({ isBuiltIn }: Pick<ModelVersion, "isBuiltIn">): ForecastSource =>
  isBuiltIn ? "built_in" : "own";

/**
 * Makes a model the champion of its slot from the next candle on. If the slot keeps built-in and own models, one of the
 * other kind continues as second model. Throws not_found, and conflict for a built-in model while the built-in models
 * are switched off.
 */
export async function promoteModel(database: Database, id: number, actor: Actor): Promise<ModelVersion> {
  return database.transaction(async (tx) => {
    await lockModels(tx);
    const model = await getModel(tx, id);
    if (model.isBuiltIn) await requireBuiltIns(tx);
    const before = await findForecastSource(tx, model.slotId);
    const after = before === "both" ? before : sourceOf(model);
    await setChampion(tx, model.slotId, model.id);
    await writeForecastSource(tx, model.slotId, after);
    await bumpModelsVersion(tx);
    await audit(tx, actor, "model.promote", model, { modelV: model.modelV, before, after });
    return model;
  });
}

/**
 * Removes a champion. Its slot has no champion until a model is made one again. Throws not_found, and conflict if the
 * model is no champion.
 */
export async function retireModel(database: Database, id: number, actor: Actor): Promise<ModelVersion> {
  return database.transaction(async (tx) => {
    await lockModels(tx);
    const model = await getModel(tx, id);
    if (!model.isActive) throw new AppError("conflict", { detail: "This model is not shown in its slot." });
    const before = await findForecastSource(tx, model.slotId);
    const after = before ?? sourceOf(model);
    await setChampion(tx, model.slotId, null);
    await writeForecastSource(tx, model.slotId, after);
    await bumpModelsVersion(tx);
    await audit(tx, actor, "model.retire", model, { modelV: model.modelV, before, after });
    return model;
  });
}

/**
 * Starts or stops the other kind of model (built-in or the operator's own) as the slot's second model. Throws conflict
 * if the slot has no champion, or if a built-in model would start while the built-in models are switched off.
 */
export async function setSecondModelEnabled(
  database: Database,
  slot: { symbol: string; timeframe: Timeframe },
  isKept: boolean,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockModels(tx);
    const versions = await listModelVersions(tx, slot);
    const champion = versions.find(({ isActive }) => isActive);
    if (champion === undefined)
      throw new AppError("conflict", { detail: "This slot shows no model. Promote one first." });
    if (isKept && !champion.isBuiltIn) {
      await requireBuiltIns(tx);
      if (!versions.some(({ isBuiltIn }) => isBuiltIn))
        await registerBaselineAsSecondModel(tx, champion.slotId);
    }
    const before = await findForecastSource(tx, champion.slotId);
    const after = isKept ? "both" : sourceOf(champion);
    await writeForecastSource(tx, champion.slotId, after);
    await audit(tx, actor, "model.beside", champion, { before, after });
  });
}

async function getModel(tx: Transaction, id: number): Promise<ModelVersion> {
  const model = await findModelVersion(tx, id);
  if (model === null) throw new AppError("not_found", { detail: "There is no such model." });
  return model;
}

async function requireBuiltIns(tx: Transaction): Promise<void> {
  if (!(await settingInForce(tx, "built_in_models")).enabled)
    throw new AppError("conflict", {
      detail: "Built-in models are switched off. Switch them on under Settings, Thresholds.",
    });
}

const audit = (
  tx: Transaction,
  actor: Actor,
  action: string,
  { symbol, timeframe }: Pick<ModelVersion, "symbol" | "timeframe">,
  details: Record<string, unknown>,
) => recordAudit(tx, { actor, action, target: `slot/${symbol}/${timeframe}`, details });
