import type { z } from "zod";
import { db } from "@/db/client";
import { readOldestCandles } from "@/db/queries/candles";
import { feedsAllowPublicCandles } from "@/db/queries/feeds";
import { findSealedCandleRange } from "@/db/queries/ledger";
import { listSlotNames } from "@/db/queries/record";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";
import type { Timeframe } from "@/lib/vocabulary";
import { MAX_PUBLIC_CANDLES, type PublicCandles, type PublicCandlesQuery } from "@/lib/wire/contracts/record";
import { AppError } from "@/lib/wire/errors";
import { isSimulated } from "./is-simulated";

/** Whether a slot's candles are public, so that others can recompute its outcomes. */
export async function areCandlesShown(slot: { symbol: string; timeframe: Timeframe }): Promise<boolean> {
  await settingsCache().get();
  const { candles } = cachedSetting("public_record");
  if (candles !== "feeds") return candles === "on";
  return isSimulated(slot) || feedsAllowPublicCandles(db("heavy"), slot);
}

/**
 * One page of the candles of a slot whose hashes are in the ledger, oldest first. Throws 404 for an unknown slot, and
 * `candles_off` if the slot's candles are not public.
 */
export async function readPublicCandles(query: z.output<typeof PublicCandlesQuery>): Promise<PublicCandles> {
  const { symbol = "", tf_code: timeframe, from, to } = query;
  const slot = (await listSlotNames(db("heavy"))).find(
    (one) => one.symbol === symbol && one.timeframe === timeframe,
  );
  if (slot === undefined)
    throw new AppError("not_found", { detail: "This symbol and timeframe are not known here." });
  if (!(await areCandlesShown(slot))) throw new AppError("candles_off");
  const sealed = await findSealedCandleRange(db("heavy"), slot.slotId);
  if (sealed === null)
    return { symbol: slot.symbol, tf_code: slot.timeframe, count: 0, items: [], next: null };
  const { ts, open, high, low, close } = await readOldestCandles(db("heavy"), slot.slotId, {
    from: from !== undefined && from > sealed.from ? from : sealed.from,
    to: to !== undefined && to < sealed.to ? to : sealed.to,
    limit: MAX_PUBLIC_CANDLES + 1,
  });
  const nextMs = ts[MAX_PUBLIC_CANDLES];
  const items = Array.from(ts.slice(0, MAX_PUBLIC_CANDLES), (at, i) => ({
    ts: new Date(at),
    open: open[i] ?? Number.NaN,
    high: high[i] ?? Number.NaN,
    low: low[i] ?? Number.NaN,
    close: close[i] ?? Number.NaN,
  }));
  return {
    symbol: slot.symbol,
    tf_code: slot.timeframe,
    count: items.length,
    items,
    next: nextMs === undefined ? null : new Date(nextMs),
  };
}
