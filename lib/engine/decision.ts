import { BUY, NO_TRADE, SELL } from "./classes";

/** Whether the slot may give directions, and with which target. */
export interface DecisionPolicy {
  /** Whether the slot may give directions: following its forecasts has been profitable, by an anytime-valid test. */
  mayFollow: boolean;
  /** Target in multiples of the barrier distance; the stop is 1. */
  expectedRr: number;
  /**
   * Factor by which bets on forecasts whose edge exceeds the cost have multiplied the stake since directions last
   * stopped; 1 means no evidence.
   */
  evidence: number;
  /** Number of forecasts on which these bets were placed. */
  nFollowed: number;
}

/** The policy that gives no directions. */
export const NO_DIRECTIONS_POLICY: Readonly<DecisionPolicy> = {
  mayFollow: false,
  expectedRr: 1,
  evidence: 1,
  nFollowed: 0,
};

/** Reward/risk ratios of which a decision policy uses one. */
export const REWARD_RISK_RATIOS: readonly number[] = [1, 1.5, 2];

/**
 * The direction whose forecast edge exceeds the cost, else NO_TRADE.
 *
 * With barriers at +-1 R a forecast implies an expectancy in R of P(BUY) - P(SELL) for BUY, and the negative for SELL.
 *
 * @param costR cost of a round trip in R at this candle
 */
export function forecastDirection(probBuy: number, probSell: number, costR: number): 0 | 1 | 2 {
  if (probBuy - probSell > costR) return BUY;
  if (probSell - probBuy > costR) return SELL;
  return NO_TRADE;
}
