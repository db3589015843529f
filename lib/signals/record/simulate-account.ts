/** Growth and drawdown of an account, in percent. */
export interface AccountFigures {
  /** In percent of the starting balance. */
  growthPct: number;
  /** Maximum drawdown from the highest balance, in percent of that balance; positive. */
  drawdownPct: number;
}

/**
 * Simulates an account that risks `riskPct` percent of its starting balance on each trade, without compounding.
 * `totals` are the cumulative results in R at the end of each day. An account that reaches zero is lost: growth -100,
 * drawdown 100.
 */
export function simulateAccount(totals: Iterable<number>, riskPct: number): AccountFigures {
  let [balance, highest, deepest] = [100, 100, 0];
  for (const total of totals) {
    balance = 100 + riskPct * total;
    if (balance <= 0) return { growthPct: -100, drawdownPct: 100 };
    highest = Math.max(highest, balance);
    deepest = Math.max(deepest, (highest - balance) / highest);
  }
  return { growthPct: balance - 100, drawdownPct: 100 * deepest };
}
