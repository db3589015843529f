import type { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import { type CandleRow, findNearCandles, upsertCandles, upsertIdleCandles } from "@/db/queries/candles";
import { wakeJob } from "@/db/queries/jobs";
import { ensureSlots, findCalendarsBySymbol, slotKey } from "@/db/queries/slots";
import { isIdleCandle } from "@/lib/market/idle-candles";
import { candleCloseAt, candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { CandleItem } from "@/lib/wire/contracts/ingest";
import { validationFailedError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";
import type { IngestResult } from "./result";
import { symbolDefaultsOf } from "./symbol-defaults";

type Item = z.output<typeof CandleItem>;

/**
 * Stores candles, all or none. An identical candle is a no-op; other values replace it, and the database keeps the
 * former values of a closed candle. Flat candles of a closed market go to a separate table and are not used. Final
 * outcomes do not change. A candle may be sent while it forms; signals and outcomes use it a minute after its close, or
 * as soon as it is sent again after its close. A commit with a new or changed candle wakes the worker's job `signals`.
 * Throws validation_failed for a candle off the UTC grid that opens at most half its length from another one.
 */
export async function ingestCandles(handle: DatabaseHandle, items: Item[]): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    const slotIds = await ensureSlots(tx, items, symbolDefaultsOf);
    const slotOf = (item: Item) => slotIds.get(slotKey(item)) ?? 0;
    const distinct = [
      ...new Map(items.map((item) => [`${slotKey(item)}@${item.ts.getTime()}`, item])).values(),
    ];
    const isIdle = await idleTest(tx, distinct);
    const [idle, used] = [distinct.filter(isIdle), distinct.filter((item) => !isIdle(item))];
    const rows = used.map((item) => rowOf(slotOf(item), item));
    const accepted = await upsertCandles(tx, rows);
    const kept = await upsertIdleCandles(
      tx,
      idle.map((item) => rowOf(slotOf(item), item)),
    );
    await requireOneGrid(tx, items, slotOf);
    if (accepted > 0) await wakeJob(tx, "signals");
    return { accepted: accepted + kept, duplicates: items.length - accepted - kept };
  });
}

const rowOf = (slotId: number, item: Item): CandleRow => ({
  slotId,
  ts: item.ts,
  open: item.open,
  high: item.high,
  low: item.low,
  close: item.close,
  volume: item.volume ?? null,
  closesAt: candleCloseAt(item.ts, item.timeframe),
});

/** Returns a function that tells whether a candle is idle: flat, while the market was closed. */
async function idleTest(tx: DatabaseHandle, items: readonly Item[]): Promise<(item: Item) => boolean> {
  const flat = items.filter(({ high, low }) => high === low);
  if (flat.length === 0) return () => false;
  const calendars = await findCalendarsBySymbol(
    tx,
    flat.map(({ symbol }) => symbol),
  );
  return ({ symbol, timeframe, ts, high, low }) => {
    const calendar = calendars.get(symbol);
    return calendar !== undefined && isIdleCandle(calendar, timeframe, { ts: ts.getTime(), high, low });
  };
}

/**
 * Rejects candles off the UTC grid that open at most half their length from another one. A broker may have its own
 * grid, but candles this close are one candle with a wrong time.
 */
async function requireOneGrid(
  tx: DatabaseHandle,
  items: readonly Item[],
  slotOf: (item: Item) => number,
): Promise<void> {
  const odd = [...items.entries()].filter(
    ([, { ts, timeframe }]) => candleOpenMs(ts.getTime(), timeframe) !== ts.getTime(),
  );
  if (odd.length === 0) return;
  const near = await findNearCandles(
    tx,
    odd.map(([, item]) => ({
      slotId: slotOf(item),
      ts: item.ts,
      withinMs: (timeframeMinutes(item.timeframe) * MINUTE_MS) / 2,
    })),
  );
  const errors = near.flatMap(({ place, ts }) => {
    const [index] = odd[place] ?? [];
    if (index === undefined) return [];
    const msg = `opens too near to the candle of ${writeInstant(ts)}: send the opening time of the candle`;
    return [{ loc: ["body", "items", index, "ts"], msg, type: "value_error" }];
  });
  if (errors.length > 0) throw validationFailedError(errors);
}
