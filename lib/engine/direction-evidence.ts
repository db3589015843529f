import type { CandleSeries } from "@/lib/market/candles";
import { BUY, SELL } from "./classes";
import { elementOrNaN } from "./column";
import { OUTCOME_RULE } from "./outcome";
import { REGIME_TREND_DOWN, REGIME_TREND_UP, REGIME_UNKNOWN, REGIMES } from "./regime";

/**
 * Share of its wealth that each of the four accounts of a hypothesis stakes: a twelfth of the share on each open
 * position, of which there are at most twelve. These shares suit edges from 0.01 to 0.33 R.
 */
const STAKES = Float64Array.of(0.04, 0.08, 0.16, 0.32);
/**
 * No position opens where a round trip costs more than this, in R, so that one candle cannot empty an
 * account.
 */
const MAX_COST_R = 0.5;
/** Upper limit of an account: keeps the sum of accounts finite. */
const MAX_WEALTH = 1e300;

const MIRRORED: Readonly<Record<number, number>> = {
  [REGIME_TREND_UP]: REGIME_TREND_DOWN,
  [REGIME_TREND_DOWN]: REGIME_TREND_UP,
};

interface Position {
  hypothesis: number;
  /** 1 for BUY, -1 for SELL. */
  way: number;
  entry: number;
  /** The barrier distance in price units. */
  distance: number;
  /** Value of the position at the last close, in R. */
  markR: number;
  /** Index of the candle at whose close the position ends at the latest. */
  lastIndex: number;
}

/**
 * Evidence that a direction pays in a regime: an e-process.
 *
 * At every close with a regime and a cost of at most `MAX_COST_R` a BUY and a SELL open under the outcome rule. Every
 * open position is valued at every close: its gain since the close before, in R, less cost and `thresholdR` at the
 * opening. There are six hypotheses: BUY in RANGE, SELL in RANGE, BUY in VOLATILE, SELL in VOLATILE, with the trend
 * (BUY in an up trend or SELL in a down trend), and against the trend. Each hypothesis has four accounts, which start
 * at 1 and stake a share on its open positions: wealth x (1 + stake x gain / 12). Without an edge the expected gain is
 * at most zero after any history, so an account ever reaches x with a chance of at most 1 / x, however often it is
 * checked. The same holds for the mean of the four.
 *
 * Overlapping positions count in full: each bet covers one candle, and candles do not overlap.
 *
 * @see Ville (1939); Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B
 *   86 (2024)
 */
export class DirectionEvidence {
  /** Candles processed, counted from the start of the series. */
  taken = 0;
  /** Wealth of each account, by hypothesis and stake. */
  readonly #wealth = new Float64Array(2 * REGIMES.length * STAKES.length).fill(1);
  readonly #gain = new Float64Array(2 * REGIMES.length);
  #open: Position[] = [];
  readonly #rule: { thresholdR: number; expectedRr: number };

  constructor(rule: { thresholdR: number; expectedRr: number }) {
    this.#rule = rule;
  }

  /**
   * Processes the next candle of the series, the one with index `taken`.
   *
   * @param distance barrier distance, in price, of the positions that open at its close
   * @param costR cost of a round trip of these positions, in R
   */
  add(candles: CandleSeries, regime: number, distance: number, costR: number): void {
    const index = this.taken++;
    this.#gain.fill(0);
    this.#open = this.#open.filter((position) => this.#value(position, candles, index));
    // The first candles have no regime, and so no hypothesis.
    if (regime !== REGIME_UNKNOWN && distance > 0 && costR <= MAX_COST_R) {
      for (const direction of [BUY, SELL]) {
        const hypothesis = hypothesisOf(regime, direction);
        this.#gain[hypothesis] = elementOrNaN(this.#gain, hypothesis) - costR - this.#rule.thresholdR;
        this.#open.push({
          hypothesis,
          way: direction === BUY ? 1 : -1,
          entry: elementOrNaN(candles.close, index),
          distance,
          markR: 0,
          lastIndex: index + OUTCOME_RULE.horizonCandles,
        });
      }
    }
    for (let hypothesis = 0; hypothesis < this.#gain.length; hypothesis++) this.#bet(hypothesis);
  }

  /** Mean wealth of the four accounts of a direction in a regime; each starts at 1. */
  of(regime: number, direction: number): number {
    const first = hypothesisOf(regime, direction) * STAKES.length;
    let sum = 0;
    for (let k = 0; k < STAKES.length; k++) sum += elementOrNaN(this.#wealth, first + k);
    return sum / STAKES.length;
  }

  /** Adds a position's gain over a candle to the gain of its hypothesis. Returns whether the position is still open. */
  #value(position: Position, { high, low, close }: CandleSeries, index: number): boolean {
    const { hypothesis, way, entry, distance, markR, lastIndex } = position;
    const against = way > 0 ? elementOrNaN(low, index) : elementOrNaN(high, index);
    const along = way > 0 ? elementOrNaN(high, index) : elementOrNaN(low, index);
    const { expectedRr } = this.#rule;
    const isStopped = way * (entry - against) >= distance;
    const hasReached = way * (along - entry) >= expectedRr * distance;
    position.markR = isStopped
      ? -1
      : hasReached
        ? expectedRr
        : (way * (elementOrNaN(close, index) - entry)) / distance;
    this.#gain[hypothesis] = elementOrNaN(this.#gain, hypothesis) + position.markR - markR;
    return !isStopped && !hasReached && index < lastIndex;
  }

  #bet(hypothesis: number): void {
    const gain = elementOrNaN(this.#gain, hypothesis) / OUTCOME_RULE.horizonCandles;
    if (gain === 0) return;
    const first = hypothesis * STAKES.length;
    for (let k = 0; k < STAKES.length; k++) {
      const wealth = elementOrNaN(this.#wealth, first + k) * (1 + elementOrNaN(STAKES, k) * gain);
      this.#wealth[first + k] = Math.min(wealth, MAX_WEALTH);
    }
  }
}

/** Number of a hypothesis: a BUY in a trend and a SELL in the opposite trend share one. */
function hypothesisOf(regime: number, direction: number): number {
  const mirrored = MIRRORED[regime];
  if (mirrored === undefined) return 2 * regime + direction;
  return 2 * (direction === BUY ? regime : mirrored);
}
