import { db } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { compareSlots } from "@/lib/market/slot-order";
import type { ExpiringValue } from "@/lib/runtime/window-cache";

/**
 * The champions, one per slot that has one, as `/api/models` returns them. They may be cached until the version of the
 * models changes, which a key look-up reads.
 */
export async function readChampionList(): Promise<ExpiringValue<ReturnType<typeof listed>>> {
  return { value: listed(await listChampions(db())), validUntil: null };
}

/** In the form of `/api/models`. */
function listed(champions: Awaited<ReturnType<typeof listChampions>>) {
  const models = champions.toSorted(compareSlots).map((champion) => ({
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
