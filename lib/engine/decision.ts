import { BUY, NO_TRADE, SELL } from "./classes";
import { at } from "./column";
import type { ResultColumns, SlotResults } from "./results";
import { neweyWestMeanTest } from "./scores/newey-west";
import { normalQuantile } from "./scores/normal";

/** Whether directions may be given at all, and with which target. */
export interface DecisionPolicy {
  /** Directions were worth following on the candles that the policy was fitted on. */
  mayFollow: boolean;
  expectedRr: number;
  /** Lower bound of the mean net result per candle of that stretch, in R; null with too few followed. */
  lowerBoundR: number | null;
  /** Followed signals in that stretch. */
  nFollowed: number;
}

/** Nothing is followed. */
const NO_POLICY: Readonly<DecisionPolicy> = {
  mayFollow: false,
  expectedRr: 1,
  lowerBoundR: null,
  nFollowed: 0,
};

/** Reward/risk ratios that may be chosen. */
export const RATIO_GRID: readonly number[] = [1, 1.5, 2];

/** Chance, in one fit of a policy, that directions without an edge are allowed. */
const ALPHA = 0.05;
const MIN_FOLLOWED = 50;
const LAGS = 48;

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

/**
 * Decides, from candles whose results are known, whether forecasts are worth following.
 *
 * For each ratio of the grid: the net result of every candle (0 where nothing is followed), its mean and Newey-West
 * error over 48 lags; a direction may be given when the lower bound at 5 % / (number of ratios) is above zero. The
 * ratio of the highest bound is taken.
 *
 * @param rows candles in order of time; @param probs n x 3, calibrated, by models that had not seen these candles
 */
export function fitDecisionPolicy(
  rows: ArrayLike<number>,
  probs: Float64Array,
  results: SlotResults,
): DecisionPolicy {
  const z = normalQuantile(1 - ALPHA / results.byRatio.length);
  let best: DecisionPolicy = NO_POLICY;
  for (const columns of results.byRatio) {
    const { netR, nFollowed } = followForecasts(rows, probs, results.costR, columns);
    if (nFollowed < MIN_FOLLOWED) continue;
    const test = neweyWestMeanTest(netR, LAGS);
    if (test === null) continue;
    const lowerBoundR = test.mean - z * test.standardError;
    if (best.lowerBoundR === null || lowerBoundR > best.lowerBoundR) {
      best = { mayFollow: lowerBoundR > 0, expectedRr: columns.expectedRr, lowerBoundR, nFollowed };
    }
  }
  return best.mayFollow ? best : { ...best, expectedRr: NO_POLICY.expectedRr };
}

/** Net result of each candle when every forecast beyond its cost is followed; 0 where none is or its end is not known. */
function followForecasts(
  rows: ArrayLike<number>,
  probs: Float64Array,
  costR: Float64Array,
  columns: ResultColumns,
): { netR: Float64Array; nFollowed: number } {
  const netR = new Float64Array(rows.length);
  let nFollowed = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    const direction = forecastDirection(at(probs, 3 * i), at(probs, 3 * i + 1), at(costR, row));
    if (direction === NO_TRADE) continue;
    const gross = at(direction === BUY ? columns.buyR : columns.sellR, row);
    if (Number.isNaN(gross)) continue;
    nFollowed++;
    netR[i] = gross - at(costR, row);
  }
  return { netR, nFollowed };
}
