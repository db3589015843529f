import type { CandleSeries } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import { BUY, NO_TRADE, SELL, type Signal, signalOfClass, UNKNOWN_CLASS } from "./classes";
import { elementOrNaN } from "./column";
import { type CostRule, tradingCost } from "./costs";

/** Distance of the barriers, and how many candles a signal has to reach one. */
export interface OutcomeRule {
  /** Stored with every outcome. */
  version: string;
  atrPeriod: number;
  /** Barrier distance D = atrMultiple x ATR at the signal's candle, in price. */
  atrMultiple: number;
  /** Number of candles after the signal's candle that decide its outcome. */
  horizonCandles: number;
  /** Whether a candle that opens beyond the stop ends the position at its open, not at the stop. */
  fillsGapsAtOpen: boolean;
}

/** The service's rule: D = 2 x ATR(14), the next 12 candles. */
export const OUTCOME_RULE: Readonly<OutcomeRule> = {
  version: "1",
  atrPeriod: 14,
  atrMultiple: 2,
  horizonCandles: 12,
  fillsGapsAtOpen: false,
};

/**
 * Rule version of signals whose producer sent a stop, with or without a target. A gap beyond the stop is filled at the
 * open of the candle: otherwise signals with a near stop, just before a market closes, would gain without any skill.
 */
export const LEVELS_RULE_VERSION = "levels-1";

/** Stop and target prices that a producer sent with a signal. They replace the service's barriers. */
export interface SignalLevels {
  stop: number;
  /** null: the signal ends at the stop or with its horizon. */
  target: number | null;
  horizonCandles: number;
}

/**
 * Converts stop and target prices to arguments of {@link outcomeAtDistance}: the barrier distance is that of the stop
 * from the entry. Null if the stop is not on the losing side of the entry or the target not on the winning side; such a
 * signal gets no outcome.
 */
export function levelDistances(
  side: "BUY" | "SELL",
  entryPrice: number,
  { stop, target, horizonCandles }: SignalLevels,
): { distance: number; expectedRr: number; rule: OutcomeRule } | null {
  const way = side === "BUY" ? 1 : -1;
  const distance = way * (entryPrice - stop);
  const reward = target === null ? Number.POSITIVE_INFINITY : way * (target - entryPrice);
  if (!(distance > 0 && reward > 0)) return null;
  return {
    distance,
    expectedRr: reward / distance,
    rule: { ...OUTCOME_RULE, version: LEVELS_RULE_VERSION, horizonCandles, fillsGapsAtOpen: true },
  };
}

/** The class of each candle of a series. */
export interface Labels {
  /** Class of each candle: 0 BUY, 1 SELL, 2 NO_TRADE; -1 until its horizon has closed, or without an ATR above 0. */
  label: Int8Array;
  /** Index of the later candle that first touches a barrier; -1 if none does within the horizon, or without a class. */
  touchIndex: Int32Array;
}

/** How a position that opens at the close of the signal's candle ends. R is the barrier distance. */
export interface FollowedResult {
  exitPrice: number;
  exitReason: "TP" | "SL" | "TIMEOUT";
  /** Index of the candle in which the position ended. */
  endedIndex: number;
  grossR: number;
  /** `grossR` less the cost of one round trip. */
  netR: number;
}

/** Outcome of a signal: its class, and the result of following either direction. */
export interface Outcome {
  ruleVersion: string;
  entryPrice: number;
  /** D, in price. */
  barrierDistance: number;
  label: Signal;
  /** Open time (epoch ms) of the candle that decided the class; null when no barrier was touched. */
  labelTs: number | null;
  buy: FollowedResult;
  sell: FollowedResult;
}

type Prices = Pick<CandleSeries, "high" | "low" | "close">;

/**
 * Class of every candle: which of close + D (BUY) and close - D (SELL) is touched first within the next
 * `horizonCandles` candles. Neither, or both first in one candle: NO_TRADE.
 *
 * The last `horizonCandles` candles have no class yet, even if a barrier was touched. If only those among them that
 * have touched a barrier had a class, NO_TRADE would be understated.
 *
 * @returns two columns as long as the series
 */
export function labelCandles(
  candles: Prices,
  rule: Pick<OutcomeRule, "atrPeriod" | "atrMultiple" | "horizonCandles"> = OUTCOME_RULE,
): Labels {
  const n = candles.close.length;
  const atr = wilderAtr(candles, rule.atrPeriod);
  const label = new Int8Array(n).fill(UNKNOWN_CLASS);
  const touchIndex = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    const distance = rule.atrMultiple * elementOrNaN(atr, i);
    if (!(distance > 0)) continue;
    const touch = firstTouch(candles, i, distance, distance, rule.horizonCandles);
    if (touch === null) continue;
    touchIndex[i] = touch.index;
    label[i] = classOfTouch(touch.side);
  }
  return { label, touchIndex };
}

/**
 * Outcome of one signal for both directions, by the same rule as {@link labelCandles}.
 *
 * Class: barriers at +-D. Result of a direction: stop at D against it (-1 R), target at `expectedRr` x D (+`expectedRr`
 * R), both in one candle counts as the stop, neither within the horizon gives (last close - entry) / D in its
 * direction; less cost / D. Under a rule that fills gaps at the open, the loss at the stop can exceed 1 R.
 *
 * Under the service's rule D is `atrMultiple` x ATR at the signal's candle. Compute Wilder's ATR from the slot's whole
 * series, or from at least 250 candles before the signal: the start then weighs less than (13/14)^236, about 3e-8.
 *
 * @param index the signal's candle
 * @param distance D, in price
 * @param expectedRr target in units of D, above 0
 * @returns null until the whole horizon has closed, even if a barrier was reached earlier; "no_history" if `distance`
 *   is not above 0, because the candle has no ATR or an ATR of 0
 */
export function outcomeAtDistance(input: {
  candles: CandleSeries;
  index: number;
  distance: number;
  expectedRr: number;
  cost: CostRule;
  rule: OutcomeRule;
}): Outcome | "no_history" | null {
  const { candles, index, distance, expectedRr, cost, rule } = input;
  if (!(expectedRr > 0)) throw new RangeError("the expected reward/risk ratio is above 0");
  if (!(distance > 0)) return "no_history";

  const touch = firstTouch(candles, index, distance, distance, rule.horizonCandles);
  const buy = follow(candles, index, distance, expectedRr, 1, rule);
  const sell = follow(candles, index, distance, expectedRr, -1, rule);
  if (touch === null || buy === null || sell === null) return null;

  const entryPrice = elementOrNaN(candles.close, index);
  const costR = tradingCost(cost, entryPrice) / distance;
  return {
    ruleVersion: rule.version,
    entryPrice,
    barrierDistance: distance,
    label: signalOfClass(classOfTouch(touch.side)),
    labelTs: touch.index < 0 ? null : elementOrNaN(candles.ts, touch.index),
    buy: { ...buy, netR: buy.grossR - costR },
    sell: { ...sell, netR: sell.grossR - costR },
  };
}

type TouchSide = "above" | "below" | "both" | "none";

function classOfTouch(side: TouchSide): number {
  if (side === "above") return BUY;
  if (side === "below") return SELL;
  return NO_TRADE;
}

/** First candle within the horizon that touches a barrier, index -1 if none does; null until the horizon has closed. */
function firstTouch(
  candles: Prices,
  index: number,
  distanceAbove: number,
  distanceBelow: number,
  horizon: number,
): { side: TouchSide; index: number } | null {
  const { high, low, close } = candles;
  const entry = elementOrNaN(close, index);
  const upper = entry + distanceAbove;
  const lower = entry - distanceBelow;
  const last = index + horizon;
  if (last >= close.length) return null;
  for (let j = index + 1; j <= last; j++) {
    const above = elementOrNaN(high, j) >= upper;
    const below = elementOrNaN(low, j) <= lower;
    if (above || below) return { side: above && below ? "both" : above ? "above" : "below", index: j };
  }
  return { side: "none", index: -1 };
}

/**
 * A position in `direction` (+1 BUY, -1 SELL) from the close of candle `index`; null until the horizon has
 * closed.
 */
function follow(
  candles: CandleSeries,
  index: number,
  distance: number,
  expectedRr: number,
  direction: 1 | -1,
  { horizonCandles: horizon, fillsGapsAtOpen }: OutcomeRule,
): Omit<FollowedResult, "netR"> | null {
  const entry = elementOrNaN(candles.close, index);
  const target = expectedRr * distance;
  const isBuy = direction === 1;
  const touch = firstTouch(candles, index, isBuy ? target : distance, isBuy ? distance : target, horizon);
  if (touch === null) return null;
  if (touch.side === "none") {
    const endedIndex = index + horizon;
    const exitPrice = elementOrNaN(candles.close, endedIndex);
    return {
      exitPrice,
      exitReason: "TIMEOUT",
      endedIndex,
      grossR: (direction * (exitPrice - entry)) / distance,
    };
  }
  if (touch.side === (isBuy ? "above" : "below")) {
    return {
      exitPrice: entry + direction * target,
      exitReason: "TP",
      endedIndex: touch.index,
      grossR: expectedRr,
    };
  }
  const stopped = { exitReason: "SL", endedIndex: touch.index } as const;
  const open = elementOrNaN(candles.open, touch.index);
  const openR = (direction * (open - entry)) / distance;
  if (fillsGapsAtOpen && openR < -1) return { ...stopped, exitPrice: open, grossR: openR };
  return { ...stopped, exitPrice: entry - direction * distance, grossR: -1 };
}
