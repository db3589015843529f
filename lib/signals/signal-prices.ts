import { LRUCache } from "lru-cache";
import type { DatabaseHandle } from "@/db/client";
import { readCandlesAround } from "@/db/queries/candles";
import { ATR_HISTORY_CANDLES, wilderAtr } from "@/lib/engine/atr";
import { levelDistances, OUTCOME_RULE } from "@/lib/engine/outcome";
import { groupBy } from "@/lib/runtime/group-by";
import { processWide } from "@/lib/runtime/process-wide";
import type { Direction } from "@/lib/vocabulary";

/** The fields of a signal that determine its prices. */
export interface SignalToPrice {
  predId: number;
  slotId: number;
  ts: Date;
  signal: Direction;
  expectedRr: number;
  /** Stop and target that the producer sent with the signal; a null stop: the service's rule sets both. */
  stop: number | null;
  target: number | null;
}

/** Entry, target and stop of a signal as prices, by the rule that decides its outcome. */
export interface SignalPrices {
  entryPrice: number;
  /** null: the signal has no target. */
  targetPrice: number | null;
  stopPrice: number;
}

/**
 * Prices of BUY and SELL signals, by `predId`. The entry is the close of the signal's candle. A stop and target that
 * the producer sent are used; otherwise the stop is 2 x ATR(14) from the entry, and the target `expectedRr` times as
 * far on the other side. The result lacks a signal whose candle or ATR is missing, or whose stop or target is on the
 * wrong side of the entry.
 */
export async function signalPrices(
  handle: DatabaseHandle,
  signals: readonly SignalToPrice[],
): Promise<Map<number, SignalPrices>> {
  const prices = new Map<number, SignalPrices>();
  const followed = signals.filter(({ signal }) => signal !== "NO_TRADE");
  for (const [slotId, ofSlot] of groupBy(followed, ({ slotId }) => slotId)) {
    const times = ofSlot.map(({ ts }) => ts.getTime());
    const candles = await readCandlesAround(handle, slotId, {
      from: new Date(Math.min(...times)),
      to: new Date(Math.max(...times)),
      before: ATR_HISTORY_CANDLES,
      after: 0,
    });
    const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
    for (const { predId, ts, signal, expectedRr, stop, target } of ofSlot) {
      const index = candles.ts.indexOf(ts.getTime());
      const entryPrice = candles.close[index];
      if (stop !== null && signal !== "NO_TRADE") {
        const { horizonCandles } = OUTCOME_RULE;
        if (entryPrice !== undefined && levelDistances(signal, entryPrice, { stop, target, horizonCandles }))
          prices.set(predId, { entryPrice, targetPrice: target, stopPrice: stop });
        continue;
      }
      const distance = OUTCOME_RULE.atrMultiple * (atr[index] ?? Number.NaN);
      if (entryPrice === undefined || !(distance > 0)) continue;
      const side = signal === "BUY" ? 1 : -1;
      prices.set(predId, {
        entryPrice,
        targetPrice: expectedRr > 0 ? entryPrice + side * expectedRr * distance : null,
        stopPrice: entryPrice - side * distance,
      });
    }
  }
  return prices;
}

const MAX_CACHED = 2_000;

/** `signalPrices` with a cache, for pages that show the newest signals repeatedly. */
export async function cachedSignalPrices(
  handle: DatabaseHandle,
  signals: readonly SignalToPrice[],
): Promise<ReadonlyMap<number, SignalPrices>> {
  const cache = processWide("signal-prices", () => new LRUCache<number, SignalPrices>({ max: MAX_CACHED }));
  const prices = new Map<number, SignalPrices>();
  const missing: SignalToPrice[] = [];
  for (const signal of signals) {
    const held = cache.get(signal.predId);
    if (held) prices.set(signal.predId, held);
    else missing.push(signal);
  }
  for (const [predId, found] of await signalPrices(handle, missing)) {
    cache.set(predId, found);
    prices.set(predId, found);
  }
  return prices;
}
