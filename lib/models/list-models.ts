import type { z } from "zod";
import { db } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { type Tagged, tagged } from "@/lib/api/conditional";
import { bySlot } from "@/lib/market/slot-order";
import { windowCache } from "@/lib/runtime/window-cache";
import { ModelList } from "@/lib/wire/contracts/models";

/**
 * The champions, one per slot: the body of `/api/models`. Kept until the version of the models moves, which every
 * key look-up brings along: an instance shows a new champion from the next request on.
 */
export function getModelsBody(version: number, now: Date): Promise<Tagged> {
  return windowCache<Tagged>("models").get("all", version, now, async () => ({
    value: tagged(ModelList, await listModels()),
    validUntil: null,
  }));
}

async function listModels(): Promise<z.output<typeof ModelList>> {
  const champions = await listChampions(db());
  const models = champions.toSorted(bySlot).map((champion) => ({
    symbol: champion.symbol,
    tf_code: champion.timeframe,
    model_v: champion.modelV,
    auc_wf: champion.aucWf,
    pf_wf: champion.pfWf,
    is_active: true,
    trained_at: champion.trainedAt,
  }));
  return { count: models.length, models };
}
