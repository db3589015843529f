import { BUY, NO_TRADE, SELL } from "./classes";

/** Whether directions may be given at all, and with which target. */
export interface DecisionPolicy {
  /** Directions have been worth following, on evidence that may be looked at as often as one likes. */
  mayFollow: boolean;
  expectedRr: number;
  /** By what factor betting on the followed signals has multiplied its stake; 1 is no evidence. */
  evidence: number;
  /** Followed signals that it rests on. */
  nFollowed: number;
}

/** Nothing is followed. */
export const NO_POLICY: Readonly<DecisionPolicy> = {
  mayFollow: false,
  expectedRr: 1,
  evidence: 1,
  nFollowed: 0,
};

/** Reward/risk ratios that may be chosen. */
export const RATIO_GRID: readonly number[] = [1, 1.5, 2];

/**
 * The direction whose forecast edge exceeds the cost, else NO_TRADE.
 *
 * With barriers at +-1 R the forecast's own expectancy is P(BUY) - P(SELL) for BUY, the negative for SELL.
 *
 * @param costR cost of a round trip in R at this candle
 */
export function forecastDirection(probBuy: number, probSell: number, costR: number): 0 | 1 | 2 {
  if (probBuy - probSell > costR) return BUY;
  if (probSell - probBuy > costR) return SELL;
  return NO_TRADE;
}
