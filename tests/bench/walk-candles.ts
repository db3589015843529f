import type { Database } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { elementOrNaN } from "@/lib/engine/column";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { randomWalk } from "@/tests/lib/engine/synthetic";

/** Candles of a random walk, oldest first; the last one has just closed. */
export function randomWalkCandles(timeframe: Timeframe, n: number) {
  const walk = randomWalk({ n, seed: 100 });
  const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const startMs = (Math.floor(Date.now() / candleMs) - n) * candleMs;
  return Array.from({ length: n }, (_, i) => ({
    ts: new Date(startMs + i * candleMs),
    open: elementOrNaN(walk.open, i),
    high: elementOrNaN(walk.high, i),
    low: elementOrNaN(walk.low, i),
    close: elementOrNaN(walk.close, i),
    volume: 1,
  }));
}

/** Stores these candles as candles of a slot. */
export async function storeCandles(
  database: Database,
  slotId: number,
  candles: ReturnType<typeof randomWalkCandles>,
): Promise<void> {
  for (let i = 0; i < candles.length; i += 5_000) {
    await upsertCandles(
      database,
      candles.slice(i, i + 5_000).map((candle) => ({ slotId, ...candle })),
    );
  }
}
