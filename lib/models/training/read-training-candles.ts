import type { Database } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import type { Slot } from "@/db/queries/slots";
import type { CandleSeries } from "@/lib/market/candles";
import { withoutIdleCandles } from "@/lib/market/idle-candles";
import { findOddCandles, type OddCandle, repairOddCandles } from "@/lib/market/odd-candles";

/** Maximum number of training candles: about twelve years of H1 on FX. */
const HISTORY_CANDLES = 80_000;

/**
 * A slot's newest settled candles for training, without idle candles and bad ticks and adjusted for splits, and the bad
 * ticks and splits that were found (`odd`).
 */
export async function readTrainingCandles(
  database: Database,
  { slotId, calendar, timeframe }: Pick<Slot, "slotId" | "calendar" | "timeframe">,
): Promise<{ candles: CandleSeries; odd: OddCandle[] }> {
  const stored = await readCandles(database, slotId, { newest: HISTORY_CANDLES });
  // Earlier releases stored flat candles of closed markets among the others.
  const used = withoutIdleCandles(calendar, timeframe, stored);
  const odd = findOddCandles(used);
  return { candles: repairOddCandles(used, odd), odd };
}
