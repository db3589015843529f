import { BUY, NO_TRADE } from "./classes";
import { elementOrNaN } from "./column";
import { type DecisionPolicy, forecastDirection, NO_DIRECTIONS_POLICY } from "./decision";
import { OUTCOME_RULE } from "./outcome";
import type { SlotResults } from "./results";

/**
 * Directions start when the mean wealth of the accounts of {@link FollowingEvidence}, which start at 1, reaches this.
 * Without an edge, an account ever reaches it with a chance of at most 1 % (Ville). A 5 % test would need only 20. The
 * limit is five times that for three reasons: the mean over interleaved accounts obeys the bound only roughly, each
 * retraining replaces the record, and results are too good for wide targets because stops are assumed to be filled at
 * their price.
 */
const ENOUGH = 100;
const MIN_FOLLOWED = 50;
/** Shares of an account that are staked on each followed forecast. They suit edges from 0.01 to 0.2 R. */
const STAKES: readonly number[] = [0.02, 0.05, 0.1, 0.2];
/** Number of accounts. Each bets on every twelfth candle, when its last result is known. */
const TURNS = OUTCOME_RULE.horizonCandles;

/**
 * Whether a slot's forecasts are worth following, from their net results in order of time: an e-process.
 *
 * There is an account for each reward/risk ratio, stake and turn of 12. It stakes its share on each forecast of its
 * turn whose edge exceeds the cost: wealth x (1 + stake x net result in R). Without an edge no account grows on
 * average, so the mean of all accounts rarely rises far above 1, however often it is checked. Directions start when the
 * mean is at least {@link ENOUGH} after at least {@link MIN_FOLLOWED} such forecasts, at the ratio with the richest
 * accounts, if the mean net result at this ratio over the newest `poolCandles` forecasts is above zero (0 counts for a
 * forecast that is not followed). They stop, and the evidence starts again, when that mean is no longer above zero.
 *
 * @see Ville (1939); Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86
 *   (2024); Choe and Ramdas, Combining evidence across filtrations (2024), on interleaved accounts
 */
export class FollowingEvidence {
  readonly #results: SlotResults;
  readonly #poolCandles: number;
  /** Logarithm of the wealth of each account, by ratio, stake and turn. */
  readonly #logWealth: Float64Array;
  /** Net result of each forecast in R, by ratio; 0 if the forecast was not followed. */
  readonly #netR: number[][];
  #nFollowed = 0;
  /** Index of the ratio in force; null while no directions are given. */
  #followed: number | null = null;

  constructor(results: SlotResults, poolCandles: number) {
    this.#results = results;
    this.#poolCandles = poolCandles;
    this.#logWealth = new Float64Array(results.byRatio.length * STAKES.length * TURNS);
    this.#netR = results.byRatio.map(() => []);
  }

  /** Adds the forecast of candle `row`, whose result must be known. Forecasts must be added in order of time. */
  add(row: number, probBuy: number, probSell: number): void {
    const { costR, byRatio } = this.#results;
    const cost = elementOrNaN(costR, row);
    const direction = forecastDirection(probBuy, probSell, cost);
    const gross = byRatio.map(({ buyR, sellR }) =>
      direction === NO_TRADE ? Number.NaN : elementOrNaN(direction === BUY ? buyR : sellR, row),
    );
    const isFollowed = gross.every((result) => !Number.isNaN(result));
    if (isFollowed) this.#nFollowed++;
    for (const [ratio, result] of gross.entries()) {
      const net = isFollowed ? result - cost : 0;
      this.#netR[ratio]?.push(net);
      if (!isFollowed) continue;
      for (const [k, stake] of STAKES.entries()) {
        const account = (ratio * STAKES.length + k) * TURNS + (row % TURNS);
        // A followed forecast costs less than its edge, which is at most 1 R. So a loss is at most 2 R, and the
        // logarithm is finite.
        this.#logWealth[account] = elementOrNaN(this.#logWealth, account) + Math.log1p(stake * net);
      }
    }
  }

  /**
   * Starts or stops directions by the evidence since they last stopped, and returns the policy in force. A second call
   * without new forecasts changes nothing.
   */
  policy(): DecisionPolicy {
    if (this.#followed !== null && !this.#paysOff(this.#followed)) {
      this.#followed = null;
      this.#logWealth.fill(0);
      this.#nFollowed = 0;
    }
    const evidence = meanWealth(this.#logWealth);
    if (this.#followed === null && evidence >= ENOUGH && this.#nFollowed >= MIN_FOLLOWED) {
      const best = this.#richestRatio();
      if (this.#paysOff(best)) this.#followed = best;
    }
    const expectedRr =
      this.#followed === null
        ? NO_DIRECTIONS_POLICY.expectedRr
        : this.#results.byRatio[this.#followed]?.expectedRr;
    return {
      mayFollow: this.#followed !== null,
      expectedRr: expectedRr ?? NO_DIRECTIONS_POLICY.expectedRr,
      evidence: Math.min(evidence, Number.MAX_VALUE),
      nFollowed: this.#nFollowed,
    };
  }

  #richestRatio(): number {
    const size = STAKES.length * TURNS;
    const wealth = this.#netR.map((_, ratio) =>
      meanLogWealth(this.#logWealth.subarray(ratio * size, (ratio + 1) * size)),
    );
    return wealth.indexOf(Math.max(...wealth));
  }

  #paysOff(ratio: number): boolean {
    const newest = this.#netR[ratio]?.slice(-this.#poolCandles) ?? [];
    return newest.reduce((sum, net) => sum + net, 0) > 0;
  }
}

/** Mean wealth, from log wealth. */
function meanWealth(logWealth: Float64Array): number {
  return Math.exp(meanLogWealth(logWealth));
}

/** Log of the mean wealth, without overflow. */
function meanLogWealth(logWealth: Float64Array): number {
  const most = logWealth.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logWealth.reduce((total, log) => total + Math.exp(log - most), 0);
  return most + Math.log(sum / logWealth.length);
}
