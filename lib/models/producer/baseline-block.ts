import { timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";

/**
 * How far back the history of the baseline reaches at least, as a span of this many candle lengths: more than two years on
 * H1. It contains fewer candles, because the market closes.
 */
const HISTORY_CANDLES = 20_000;
/** The start of the history moves in steps of this many candle lengths. */
const BLOCK_CANDLES = 10_000;

/** The candles of one pass of the baseline; epoch ms, `untilMs` exclusive. */
export interface BaselineBlock {
  historyFromMs: number;
  untilMs: number;
}

/**
 * The block of a candle. It depends on the candle only, so every process counts the same history and makes
 * the same signal at any time.
 */
export function baselineBlockOf(tsMs: number, timeframe: Timeframe): BaselineBlock {
  const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const [historyMs, blockMs] = [HISTORY_CANDLES * candleMs, BLOCK_CANDLES * candleMs];
  const historyFromMs = Math.floor((tsMs - historyMs) / blockMs) * blockMs;
  return { historyFromMs, untilMs: historyFromMs + historyMs + blockMs };
}

const YEARS = 3;

/**
 * Number of histories that begin in a slot's first three years. Each is another chance of a direction without
 * an edge.
 */
export function countHistories(timeframe: Timeframe): number {
  const candles = (YEARS * 365 * DAY_MS) / (timeframeMinutes(timeframe) * MINUTE_MS);
  return 1 + Math.max(0, Math.ceil((candles - HISTORY_CANDLES) / BLOCK_CANDLES));
}
