import type { Handle } from "@/db/client";
import { listOwnModels, type OwnModel } from "@/db/queries/models";
import { slotFreshness } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";

/** One of the operator's own models with an overdue signal. */
export interface LateOwnModel extends OwnModel {
  /** Close of the candle of its newest signal; null: none since its registration. */
  lastCloseAt: Date | null;
}

/**
 * The operator's own models whose newest signal is overdue, by the rule that makes a slot stale. For a model without
 * signals the time counts from its promotion.
 */
export async function listLateOwnModels(handle: Handle, now: Date): Promise<LateOwnModel[]> {
  return (await listOwnModels(handle)).filter((model) => isOwnModelLate(model, now)).map(withClose);
}

/** Whether a model's signal is overdue. Pure. */
export function isOwnModelLate(model: OwnModel, now: Date): boolean {
  return slotFreshness({ ...model, lastTs: model.lastTs ?? model.since, now }).stale;
}

const withClose = (model: OwnModel): LateOwnModel => ({
  ...model,
  lastCloseAt: model.lastTs === null ? null : candleCloseAt(model.lastTs, model.timeframe),
});
