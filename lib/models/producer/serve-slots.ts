import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { listUnservedSlots } from "@/db/queries/slots";
import { log } from "@/lib/runtime/log";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";
import { registerBaseline } from "./register-baseline";

/** With fewer candles the baseline's frequencies of regimes and hours are hardly more than those of the slot. */
const MIN_CANDLES = 1_000;
/** Three years of weeks and five of months: the slot's frequencies are all that there is to say. */
const MIN_LONG_CANDLES: Partial<Record<Timeframe, number>> = { W1: 156, MN1: 60 };
/** An operator who loads candles registers the models of an own pipeline within this time. */
const SEEN_FOR_SECONDS = 30;

/**
 * Makes the baseline the producer of each slot that has candles enough and neither a model nor a signal of anybody.
 * Returns how many slots received it.
 */
export async function serveSlots(
  database: Database,
  { seenForSeconds = SEEN_FOR_SECONDS }: { seenForSeconds?: number } = {},
): Promise<number> {
  const slotIds = await listUnservedSlots(database, {
    minCandles: TIMEFRAMES.map((timeframe) => ({
      timeframe,
      n: MIN_LONG_CANDLES[timeframe] ?? MIN_CANDLES,
    })),
    seenForSeconds,
  });
  if (slotIds.length === 0) return 0;
  const served = await registerBaseline(database, slotIds, await readClock(database));
  if (served > 0) log("info", "slots received the baseline", { count: served });
  return served;
}
