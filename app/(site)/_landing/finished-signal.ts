import type { ChartCandle } from "@/app/_components/chart/candle-paths";
import { db } from "@/db/client";
import { listOpenPauses, listPastPauses } from "@/db/queries/pauses";
import { coversSlot } from "@/lib/access/pauses";
import { priceDigits } from "@/lib/market/price-digits";
import { candleCloseAt, timeframeMinutes } from "@/lib/market/timeframes";
import { areCandlesShown, readPublicCandles } from "@/lib/signals/record/read-candles";
import type { Trade } from "@/lib/signals/record/read-trades";
import { addMinutes } from "@/lib/time";

/** A resolved BUY or SELL signal of the record with the candles around it, for the example on the landing page. */
export interface ExampleSignal {
  trade: Trade;
  target: number;
  stop: number;
  /** From up to `BEFORE` candles before the signal to the candle of the exit. */
  candles: ChartCandle[];
  /** Number of candles from the entry to the exit. The signal's own candle does not count. */
  nHeld: number;
  /** Decimal places of the prices. */
  digits: number;
}

/** Candles shown before the signal. */
const BEFORE = 14;
/** Maximum number of slots that are tried until one has a trade that can be drawn. */
const MAX_SLOTS = 8;
/** Number of ended pauses of a slot among which that of its newest trade is looked for. */
const PAUSES_READ = 50;

/**
 * The first of `trades` (newest first) that can be drawn from public candles and was not sent in a pause. Only the newest
 * trade of each slot is tried, for up to MAX_SLOTS slots; null: none. `digitsOf` gives the decimal places of a symbol's
 * prices.
 */
export async function findExampleSignal(
  trades: readonly Trade[],
  digitsOf: (symbol: string) => number,
): Promise<ExampleSignal | null> {
  const newestOfSlots = new Map<string, Trade>();
  for (const trade of trades) {
    const slot = `${trade.symbol}/${trade.timeframe}`;
    if (!newestOfSlots.has(slot)) newestOfSlots.set(slot, trade);
  }
  for (const trade of [...newestOfSlots.values()].slice(0, MAX_SLOTS)) {
    if (!(await areCandlesShown(trade)) || (await wasPaused(trade))) continue;
    const finished = await withCandles(trade, digitsOf(trade.symbol));
    if (finished !== null) return finished;
  }
  return null;
}

/** Whether the operator paused the slot within the first candle after the signal, so that some receivers never got it. */
async function wasPaused({ symbol, timeframe, ts }: Trade): Promise<boolean> {
  const slot = { symbol, timeframe };
  const [open, past] = await Promise.all([
    listOpenPauses(db()),
    listPastPauses(db(), { slot, limit: PAUSES_READ }),
  ]);
  const from = candleCloseAt(ts, timeframe);
  const to = candleCloseAt(from, timeframe);
  return [...open.filter((pause) => coversSlot(pause, slot)), ...past].some(
    ({ startedAt, endedAt }) => startedAt < to && (endedAt === null || endedAt > from),
  );
}

async function withCandles(trade: Trade, digits: number): Promise<ExampleSignal | null> {
  const { symbol, timeframe, ts, endedAt, direction, entryPrice, barrierDistance, expectedRr } = trade;
  // A signal without a target cannot be drawn: own stop alone, or an expected_rr of 0.
  if (trade.target === null && (trade.stop !== null || !(expectedRr > 0))) return null;
  const { items } = await readPublicCandles({
    symbol,
    tf_code: timeframe,
    from: addMinutes(ts, -BEFORE * timeframeMinutes(timeframe)),
    to: endedAt,
  });
  const candles = items
    .filter((candle) => candle.ts < endedAt)
    .map(({ ts: openedAt, ...prices }) => ({ at: openedAt, ...prices }));
  const nHeld = candles.filter(({ at }) => at > ts).length;
  // A chart needs candles both before and after the entry.
  if (nHeld === 0 || nHeld === candles.length) return null;
  const side = direction === "BUY" ? 1 : -1;
  const target = trade.target ?? entryPrice + side * expectedRr * barrierDistance;
  const stop = entryPrice - side * barrierDistance;
  return {
    trade,
    target,
    stop,
    candles,
    nHeld,
    digits: priceDigits(digits, [entryPrice, stop, target, trade.exitPrice]),
  };
}
