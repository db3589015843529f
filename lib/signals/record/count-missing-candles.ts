import type { Database } from "@/db/client";
import { listCandleGaps } from "@/db/queries/feeds";
import { addMissingCandles, lockSlotsWithUncountedCandles } from "@/db/queries/record-coverage";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { missingInOpenHours } from "@/lib/signals/feeds/missing-candles";
import { addDays, MINUTE_MS, SECOND_MS } from "@/lib/time";

/** A feed may still fill a gap within this many days. */
const FILLED_WITHIN_DAYS = 7;

/**
 * Counts the candles that are missing in the trading hours of offered slots, up to a week ago, and adds them to the
 * record's coverage. Each stretch is counted once. An outcome counts the candles that exist, so a seller who leaves one
 * out can hide a stop.
 */
export async function countMissingCandles(database: Database, now: Date): Promise<void> {
  const until = addDays(now, -FILLED_WITHIN_DAYS);
  await database.transaction(async (tx) => {
    const slots = await lockSlotsWithUncountedCandles(tx, until);
    const gaps = await listCandleGaps(
      tx,
      slots.map(({ slotId, timeframe, since }) => ({
        slotId,
        since,
        seconds: (timeframeMinutes(timeframe) * MINUTE_MS) / SECOND_MS,
      })),
      until,
    );
    const n = new Map(slots.map(({ slotId }) => [slotId, 0]));
    for (const { slotId, candles } of missingInOpenHours(slots, gaps))
      n.set(slotId, (n.get(slotId) ?? 0) + candles);
    await addMissingCandles(
      tx,
      [...n].map(([slotId, missing]) => ({ slotId, n: missing })),
      until,
    );
  });
}
