import type { z } from "zod";
import type { Handle } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { callJob } from "@/db/queries/jobs";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { candleCloseAt } from "@/lib/market/timeframes";
import type { CandleItem } from "@/lib/wire/contracts/ingest";
import { describeSymbol } from "./describe-symbol";
import type { IngestResult } from "./result";

/**
 * Stores candles, all or none. The same candle again changes nothing; with other values it replaces the stored one, and
 * the database keeps what a closed one was before.
 * Outcomes are final and do not change with it. A candle may be sent while it forms; signals and outcomes use it only
 * when it is sent again after its close, or a minute after its close. The worker is called at the commit.
 */
export async function ingestCandles(
  handle: Handle,
  items: z.output<typeof CandleItem>[],
): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    const slotIds = await ensureSlots(tx, items, describeSymbol);
    const distinct = new Map(items.map((item) => [`${slotKey(item)}@${item.ts.getTime()}`, item]));
    const accepted = await upsertCandles(
      tx,
      [...distinct.values()].map((item) => ({
        slotId: slotIds.get(slotKey(item)) ?? 0,
        ts: item.ts,
        open: item.open,
        high: item.high,
        low: item.low,
        close: item.close,
        volume: item.volume ?? null,
        closesAt: candleCloseAt(item.ts, item.timeframe),
      })),
    );
    if (accepted > 0) await callJob(tx, "signals");
    return { accepted, duplicates: items.length - accepted };
  });
}
