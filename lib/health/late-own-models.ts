import type { Handle } from "@/db/client";
import { listOwnModels, type OwnModel } from "@/db/queries/models";
import { slotFreshness } from "@/lib/market/freshness";
import { candleCloseAt } from "@/lib/market/timeframes";

/** An own model that has not sent the signal that is due. */
export interface LateModel extends OwnModel {
  /** Close of the candle of its newest signal; null: it has sent none since it was registered. */
  lastCloseAt: Date | null;
}

/** The own models whose newest signal is stale, by the rule for slots. One that has sent none counts from its promotion. */
export async function listLateOwnModels(handle: Handle, now: Date): Promise<LateModel[]> {
  return (await listOwnModels(handle)).filter((model) => isLate(model, now)).map(withClose);
}

/** Pure. */
export function isLate(model: OwnModel, now: Date): boolean {
  return slotFreshness({ ...model, lastTs: model.lastTs ?? model.since, now }).stale;
}

const withClose = (model: OwnModel): LateModel => ({
  ...model,
  lastCloseAt: model.lastTs === null ? null : candleCloseAt(model.lastTs, model.timeframe),
});
