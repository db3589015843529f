import type { DatabaseHandle } from "@/db/client";
import { listOperatorModels, type OperatorModel } from "@/db/queries/models";
import { slotFreshness } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";

/** One of the operator's own models with an overdue signal. */
export interface LateOperatorModel extends OperatorModel {
  /** Close of the candle of its newest signal; null: none of the slot's newest 50 signals is from this model. */
  lastCloseAt: Date | null;
}

/**
 * The operator's own models whose newest signal is overdue, by the rule that makes a slot stale. For a model without
 * a signal among the slot's newest 50, the time counts from its promotion, or from its registration if it was never
 * promoted.
 */
export async function listLateOperatorModels(
  handle: DatabaseHandle,
  now: Date,
): Promise<LateOperatorModel[]> {
  return (await listOperatorModels(handle)).filter((model) => isOperatorModelLate(model, now)).map(withClose);
}

/** Whether a model's signal is overdue. Pure. */
export function isOperatorModelLate(model: OperatorModel, now: Date): boolean {
  return slotFreshness({ ...model, lastTs: model.lastTs ?? model.since, now }).stale;
}

const withClose = (model: OperatorModel): LateOperatorModel => ({
  ...model,
  lastCloseAt: model.lastTs === null ? null : candleCloseAt(model.lastTs, model.timeframe),
});
