import { BUY, NO_TRADE } from "./classes";
import { at } from "./column";
import { type DecisionPolicy, forecastDirection, NO_POLICY } from "./decision";
import { OUTCOME_RULE } from "./outcome";
import type { SlotResults } from "./results";

/**
 * Directions are given from this factor on. Without an edge one account ever multiplies its stake by 100 with a chance of
 * at most 1 in 100 (Ville). Five times the 20 of a 5 % test: the mean over interleaved accounts obeys that only roughly, each
 * retraining makes the record anew from other fits, and stops that are filled at their price flatter wide targets.
 */
const ENOUGH = 100;
const MIN_FOLLOWED = 50;
/** Shares of an account that are staked on each signal, for edges from a hundredth to a fifth of R. */
const STAKES: readonly number[] = [0.02, 0.05, 0.1, 0.2];
/** Accounts take turns, so that each knows its last result before it stakes again. */
const TURNS = OUTCOME_RULE.horizonCandles;

/**
 * Whether a slot's forecasts are worth following, from their net results in order of time: an e-process.
 *
 * For each reward/risk ratio, stake and turn of 12 there is an account that stakes its share on every forecast whose edge
 * exceeds the cost: wealth x (1 + stake x net result in R). On prices without an edge no account grows on average, so the
 * mean of all accounts seldom ever gets far above 1, however often one looks. Directions are given once it has reached
 * {@link ENOUGH}, with the ratio whose accounts have most, and until the mean net result of the newest `poolCandles`
 * forecasts is no longer above zero; then it begins again.
 *
 * @see Ville (1939); Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024);
 *   Choe and Ramdas, Combining evidence across filtrations (2024), on interleaved accounts
 */
export class FollowingEvidence {
  readonly #results: SlotResults;
  readonly #poolCandles: number;
  /** Logarithm of each account, by ratio, stake and turn. */
  readonly #logWealth: Float64Array;
  /** Net result of each forecast by ratio, 0 where none was followed. */
  readonly #netR: number[][];
  #nFollowed = 0;
  /** The ratio that is followed now; null while nothing is. */
  #followed: number | null = null;

  constructor(results: SlotResults, poolCandles: number) {
    this.#results = results;
    this.#poolCandles = poolCandles;
    this.#logWealth = new Float64Array(results.byRatio.length * STAKES.length * TURNS);
    this.#netR = results.byRatio.map(() => []);
  }

  /** Takes in one forecast as it was made, when its result is known; in order of time. */
  add(row: number, probBuy: number, probSell: number): void {
    const { costR, byRatio } = this.#results;
    const cost = at(costR, row);
    const direction = forecastDirection(probBuy, probSell, cost);
    const gross = byRatio.map(({ buyR, sellR }) =>
      direction === NO_TRADE ? Number.NaN : at(direction === BUY ? buyR : sellR, row),
    );
    const isFollowed = gross.every((result) => !Number.isNaN(result));
    if (isFollowed) this.#nFollowed++;
    for (const [ratio, result] of gross.entries()) {
      const net = isFollowed ? result - cost : 0;
      this.#netR[ratio]?.push(net);
      if (!isFollowed) continue;
      for (const [k, stake] of STAKES.entries()) {
        const account = (ratio * STAKES.length + k) * TURNS + (row % TURNS);
        // An edge above the cost is at most 1, so that a loss is at most 2 R and no account is ever empty.
        this.#logWealth[account] = at(this.#logWealth, account) + Math.log1p(stake * net);
      }
    }
  }

  /** What to do now; the same evidence gives the same answer, so looking changes nothing but the state it leads to. */
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
      this.#followed === null ? NO_POLICY.expectedRr : this.#results.byRatio[this.#followed]?.expectedRr;
    return {
      mayFollow: this.#followed !== null,
      expectedRr: expectedRr ?? NO_POLICY.expectedRr,
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

/** Mean of the accounts of which the logarithms are given. */
function meanWealth(logWealth: Float64Array): number {
  return Math.exp(meanLogWealth(logWealth));
}

/** Its logarithm, which does not overflow. */
function meanLogWealth(logWealth: Float64Array): number {
  const most = logWealth.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logWealth.reduce((total, log) => total + Math.exp(log - most), 0);
  return most + Math.log(sum / logWealth.length);
}
