import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { listSlotsNeedingModel } from "@/db/queries/slots";
import { log } from "@/lib/runtime/log";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";
import { makeBaselineChampion } from "./register-baseline";

/** Minimum number of candles: with fewer the frequencies by regime and hour hardly differ from the slot's. */
const MIN_CANDLES = 1_000;
/** Minimum for W1 and MN1: three years of weeks and five years of months are enough for the slot's frequencies. */
const MIN_LONG_CANDLES: Partial<Record<Timeframe, number>> = { W1: 156, MN1: 60 };
/** Minimum age of a slot, so that an operator who loads candles has time to register models. */
const SEEN_FOR_SECONDS = 30;

/**
 * Calls {@link makeBaselineChampion} for the slots that have enough candles, no model and no signal, and were created at
 * least `seenForSeconds` ago. Returns the number of slots whose champion is now the baseline.
 */
export async function assignBaselineToSlots(
  database: Database,
  { seenForSeconds = SEEN_FOR_SECONDS }: { seenForSeconds?: number } = {},
): Promise<number> {
  const slotIds = await listSlotsNeedingModel(database, {
    minCandles: TIMEFRAMES.map((timeframe) => ({
      timeframe,
      n: MIN_LONG_CANDLES[timeframe] ?? MIN_CANDLES,
    })),
    seenForSeconds,
  });
  if (slotIds.length === 0) return 0;
  const served = await makeBaselineChampion(database, slotIds, await readClock(database));
  if (served > 0) log("info", "slots received the baseline", { count: served });
  return served;
}
