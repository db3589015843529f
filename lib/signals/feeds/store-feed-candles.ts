import type { DatabaseHandle } from "@/db/client";
import {
  addFeedSlotStatistics,
  findCandles,
  findNewestFeedCandleTime,
  lockSlotForFeeds,
  recordCandleDifference,
  recordFeedState,
  setTransactionCandleSource,
} from "@/db/queries/feeds";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { candleCloseMs, candleOpenMs } from "@/lib/market/timeframes";
import { ingestCandles } from "@/lib/signals/ingest/ingest-candles";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { CandleItem } from "@/lib/wire/contracts/ingest";
import type { SourceCandle } from "./source";

/**
 * Difference between a stored close and that of a feed that does not lead, in basis points, above which it is recorded.
 */
const DIFFERENCE_BPS = 10;
/** A candle counts as closed this long after its close, because sources add its last trades a moment late. */
const BOOKING_MS = 500;
/** How far after its receipt, by the database's clock, a candle marked as complete may close. */
const AHEAD_MS = 2 * MINUTE_MS;

export interface FeedDelivery {
  feed: string;
  slot: { symbol: string; timeframe: Timeframe };
  candles: readonly SourceCandle[];
  /** Whether this is the leading feed, whose candles replace stored ones. Any other feed fills gaps and is compared. */
  leads: boolean;
  receivedAt: Date;
  clockOffsetMs?: number | null;
}

export interface FeedDeliveryResult {
  /** Number of candles that are new or changed. */
  stored: number;
  duplicates: number;
  /**
   * Number of candles not used because they are off the grid, impossible, unreadable, or marked as closed too early.
   */
  refused: number;
  refusal: string | null;
  /** Open time of the newest closed candle; null: none. */
  newest: Date | null;
}

/**
 * Stores the closed candles of a delivery, the feed's state and its statistics in one transaction. Candles that have
 * not closed are ignored, and invalid ones are counted as refused.
 */
export async function storeFeedCandles(
  handle: DatabaseHandle,
  delivery: FeedDelivery,
): Promise<FeedDeliveryResult> {
  const { feed, slot, receivedAt, leads } = delivery;
  const sorted = sortOut(delivery);
  return handle.transaction(async (tx) => {
    await recordFeedState(tx, { name: feed, state: "ok", clockOffsetMs: delivery.clockOffsetMs ?? null });
    await setTransactionCandleSource(tx, feed);
    const slotIds = await ensureSlots(tx, [slot], symbolDefaultsOf);
    const slotId = slotIds.get(slotKey(slot)) ?? 0;
    // Otherwise a candle that the leading feed stores meanwhile would be missing among the known ones, and be replaced.
    await lockSlotForFeeds(tx, slotId);
    const position = await findNewestFeedCandleTime(tx, feed, slotId);
    const fresh = sorted.closed.filter(({ ts }) => position === null || ts > position);
    const known = leads
      ? []
      : await findCandles(
          tx,
          slotId,
          sorted.closed.map(({ ts }) => ts),
        );
    const knownByTs = new Map(known.map((stored) => [stored.ts.getTime(), stored]));
    const { accepted } = await ingestCandles(
      tx,
      sorted.closed
        .filter(({ ts }) => !knownByTs.has(ts.getTime()))
        .map(({ isComplete: _, ...candle }) => ({ ...slot, ...candle })),
    );
    const compared = { n: 0, differing: 0, sum: 0, max: 0 };
    for (const sent of fresh) {
      const stored = knownByTs.get(sent.ts.getTime());
      if (stored === undefined) continue;
      const bps = (Math.abs(sent.close - stored.close) / stored.close) * 10_000;
      compared.n++;
      compared.sum += bps;
      compared.max = Math.max(compared.max, bps);
      if (bps <= DIFFERENCE_BPS) continue;
      compared.differing++;
      await recordCandleDifference(tx, { slotId, source: feed, stored, sent });
    }
    const newest = sorted.closed.at(-1)?.ts ?? null;
    await addFeedSlotStatistics(tx, {
      feed,
      slotId,
      lastTs: newest,
      // A feed's first delivery contains old candles, whose delays say nothing about the feed.
      delaysMs: position === null ? [] : delaysOf(fresh, slot.timeframe, receivedAt),
      stored: accepted,
      refused: sorted.refused,
      refusal: sorted.refusal,
      compared: compared.n,
      differing: compared.differing,
      sumDiffBps: compared.sum,
      maxDiffBps: compared.max,
    });
    return {
      stored: accepted,
      duplicates: sorted.closed.length - accepted,
      refused: sorted.refused,
      refusal: sorted.refusal,
      newest,
    };
  });
}

interface Sorted {
  /** Closed candles, oldest first, each open time once: of repetitions the last. */
  closed: SourceCandle[];
  refused: number;
  refusal: string | null;
}

function sortOut({ slot, candles, receivedAt }: FeedDelivery): Sorted {
  const closed = new Map<number, SourceCandle>();
  let refused = 0;
  let refusal: string | null = null;
  for (const candle of candles) {
    const problem = problemOf(candle, slot, receivedAt);
    if (problem === "forming") continue;
    if (problem === null) closed.set(candle.ts.getTime(), candle);
    else {
      refused++;
      refusal = problem;
    }
  }
  const ordered = [...closed.values()].sort((a, b) => a.ts.getTime() - b.ts.getTime());
  return { closed: ordered, refused, refusal };
}

/** Why a candle is not used: a sentence, or `forming` if it has not closed yet; null if it is used. */
function problemOf(candle: SourceCandle, slot: FeedDelivery["slot"], receivedAt: Date): string | null {
  const openMs = candle.ts.getTime();
  if (Number.isNaN(openMs)) return "its time cannot be read";
  if (candle.isComplete === false) return "forming";
  const aheadMs = candleCloseMs(openMs, slot.timeframe) - receivedAt.getTime();
  if (candle.isComplete === null && aheadMs > -BOOKING_MS) return "forming";
  if (aheadMs > AHEAD_MS) return `it closes ${Math.round(aheadMs / MINUTE_MS)} minutes ahead of our clock`;
  if (candleOpenMs(openMs, slot.timeframe) !== openMs)
    return `it does not open where a candle of ${slot.timeframe} opens in UTC`;
  const parsed = CandleItem.safeParse({ ...slot, ...candle, ts: candle.ts.toISOString() });
  const [issue] = parsed.error?.issues ?? [];
  return issue === undefined ? null : `${issue.path.join(".")} ${issue.message}`;
}

/** Delays (ms) from close to receipt, of candles that arrived before the next one closed. */
function delaysOf(candles: readonly SourceCandle[], timeframe: Timeframe, receivedAt: Date): number[] {
  return candles.flatMap(({ ts }) => {
    const closeMs = candleCloseMs(ts.getTime(), timeframe);
    const delayMs = receivedAt.getTime() - closeMs;
    return candleCloseMs(closeMs, timeframe) > receivedAt.getTime() ? [Math.max(0, Math.round(delayMs))] : [];
  });
}
