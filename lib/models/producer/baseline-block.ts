import { timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";

/** The baseline looks back on at least so many lengths of a candle: more than two years of hours. */
const HISTORY_CANDLES = 20_000;
/** The beginning of its history stands still for so many lengths, then it moves on by as many. */
const BLOCK_CANDLES = 10_000;

/** The candles that one pass of the baseline covers; epoch ms, the ends exclusive. */
export interface Block {
  historyFromMs: number;
  untilMs: number;
}

/**
 * The block that a candle belongs to. It depends on the candle alone, so that whoever makes its signal, and whenever,
 * counts the same history and says the same.
 */
export function blockOf(tsMs: number, timeframe: Timeframe): Block {
  const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const [historyMs, blockMs] = [HISTORY_CANDLES * candleMs, BLOCK_CANDLES * candleMs];
  const historyFromMs = Math.floor((tsMs - historyMs) / blockMs) * blockMs;
  return { historyFromMs, untilMs: historyFromMs + historyMs + blockMs };
}

const YEARS = 3;

/** How many histories begin in a slot's first three years: each is a further chance to give a direction without an edge. */
export function historiesOf(timeframe: Timeframe): number {
  const candles = (YEARS * 365 * DAY_MS) / (timeframeMinutes(timeframe) * MINUTE_MS);
  return 1 + Math.max(0, Math.ceil((candles - HISTORY_CANDLES) / BLOCK_CANDLES));
}
