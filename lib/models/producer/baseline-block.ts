import { timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";

/**
 * The history that the baseline counts before a candle reaches back at least this many candle lengths: more than two
 * years on H1. It contains fewer candles if the market closes or fewer are stored.
 */
const HISTORY_CANDLES = 20_000;
/** The start of the history advances in steps of this many candle lengths, counted from the epoch. */
const BLOCK_CANDLES = 10_000;

/**
 * The open times (epoch ms, `untilMs` exclusive) of the candles over which the baseline counts outcomes in one pass.
 */
export interface BaselineBlock {
  historyFromMs: number;
  untilMs: number;
}

/**
 * The history whose outcomes the baseline counts for the candle that opens at `tsMs` (epoch ms). It depends only on that
 * time and the timeframe, so every process counts the same history.
 */
export function baselineBlockOf(tsMs: number, timeframe: Timeframe): BaselineBlock {
  const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const [historyMs, blockMs] = [HISTORY_CANDLES * candleMs, BLOCK_CANDLES * candleMs];
  const historyFromMs = Math.floor((tsMs - historyMs) / blockMs) * blockMs;
  return { historyFromMs, untilMs: historyFromMs + historyMs + blockMs };
}

const YEARS = 3;

/**
 * How often, at most, the baseline's counting of a slot's history starts in the slot's first three years. Each start is
 * another chance of a direction without an edge.
 */
export function maxHistoryStartsInThreeYears(timeframe: Timeframe): number {
  const candles = (YEARS * 365 * DAY_MS) / (timeframeMinutes(timeframe) * MINUTE_MS);
  return 1 + Math.max(0, Math.ceil((candles - HISTORY_CANDLES) / BLOCK_CANDLES));
}
