import { newYorkHour } from "@/lib/market/calendar";
import type { CandleSeries } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import { BUY, classOfSignal, NO_TRADE, SELL, type Signal, signalOfClass } from "./classes";
import { at } from "./column";
import type { CostRule } from "./costs";
import { OUTCOME_RULE, outcomeAtDistance } from "./outcome";
import { roundTriple } from "./probabilities";
import {
  classifyRegimes,
  REGIME_TREND_DOWN,
  REGIME_TREND_UP,
  REGIMES,
  type Regime,
  regimeLabel,
} from "./regime";

/** What a producer has to say about one closed candle, before it is recorded. */
export interface SignalDraft {
  /** Index of the candle in the series it was made from. */
  index: number;
  /** Open time of that candle, epoch ms. */
  tsMs: number;
  signal: Signal;
  /** Probability of the class that is signalled. */
  confidence: number;
  probBuy: number;
  probSell: number;
  probNo: number;
  regime: Regime;
  /** Target in multiples of the barrier distance; the stop is 1. */
  expectedRr: number;
}

export interface BaselineSettings {
  /** BUY or SELL only when the lower bound of the net expectancy, in R, is above this. */
  thresholdR: number;
  /** Standard errors between the expectancy and its lower bound. */
  z: number;
  /** Results needed in a regime, overlapping ones counted once, before a direction can be given at all. */
  minIndependent: number;
  /** Weight of the slot's frequencies in a regime's, and of the regime's in a cell's, in candles. */
  shrinkageCandles: number;
  expectedRr: number;
}

/** The settings that the baseline was measured with. */
export const BASELINE_SETTINGS: Readonly<BaselineSettings> = {
  thresholdR: 0,
  z: 2.5,
  minIndependent: 40,
  shrinkageCandles: 240,
  expectedRr: 1,
};

/** Version of the baseline producer as it stands in `model_v`. */
export const BASELINE_VERSION = "baseline-1";

const HOURS = 24;
const MIRRORED: Readonly<Record<number, number>> = {
  [REGIME_TREND_UP]: REGIME_TREND_DOWN,
  [REGIME_TREND_DOWN]: REGIME_TREND_UP,
};

/**
 * What the baseline has counted so far in a series. Handed over again with the same series, which may have grown at its
 * end, it spares the counting from the beginning and changes no result.
 */
export class BaselineMemory {
  /** How many candles from the beginning of the series have been learnt from. */
  learnt = 0;
  readonly counts: ClassCounts;
  readonly results = Array.from({ length: REGIMES.length * 2 }, () => new ResultTally());

  constructor(settings: Partial<BaselineSettings> = {}) {
    this.counts = new ClassCounts({ ...BASELINE_SETTINGS, ...settings }.shrinkageCandles);
  }

  /** Whether nothing was learnt yet that was not known at a candle's close. */
  fits(index: number): boolean {
    return this.learnt <= Math.max(0, index - OUTCOME_RULE.horizonCandles + 1);
  }
}

/**
 * The first producer: how often did each class follow candles like this one?
 *
 * Class frequencies of the past outcomes in the candle's regime and New York hour, shrunk towards the regime's, those
 * towards the slot's, and those towards a third each:
 * p(cell) = (counts(cell) + k p(parent)) / (n(cell) + k).
 * Directions are judged per regime only (24 hours x 2 directions would find an edge by chance): the net result in R of
 * every past BUY in this regime, pooled with every past SELL in the mirrored one (an up trend is a down trend seen
 * from below), with mean - z x sd / sqrt(n independent) as lower bound. The better direction is signalled when that
 * bound exceeds `thresholdR`; otherwise NO_TRADE.
 *
 * Nothing later than the signal's own candle is used: an outcome enters at the candle that ends its horizon. One pass,
 * O(n) in the number of candles.
 *
 * @param fromIndex first candle to make a signal for; @param toIndex one past the last; @param memory what was learnt
 *   from this series before, with the same cost and settings, and goes on learning
 */
export function produceBaselineSignals(input: {
  candles: CandleSeries;
  fromIndex: number;
  toIndex: number;
  cost: CostRule;
  settings?: Partial<BaselineSettings>;
  memory?: BaselineMemory;
}): SignalDraft[] {
  const { candles, fromIndex, toIndex, cost, memory = new BaselineMemory(input.settings) } = input;
  const settings = { ...BASELINE_SETTINGS, ...input.settings };
  if (!(fromIndex >= 0 && toIndex <= candles.ts.length))
    throw new RangeError("the range is not in the series");
  if (!memory.fits(fromIndex)) throw new RangeError("the memory knows what came later");

  const horizon = OUTCOME_RULE.horizonCandles;
  const regimes = classifyRegimes(candles, memory.learnt);
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const { counts, results } = memory;

  const drafts: SignalDraft[] = [];
  for (let t = fromIndex; t < toIndex; t++) {
    while (memory.learnt <= t - horizon) learnFrom(memory.learnt++);
    drafts.push(draftAt(t));
  }
  return drafts;

  function learnFrom(i: number): void {
    const distance = OUTCOME_RULE.atrMultiple * at(atr, i);
    const outcome = outcomeAtDistance({
      candles,
      index: i,
      distance,
      expectedRr: settings.expectedRr,
      cost,
      rule: OUTCOME_RULE,
    });
    if (outcome === null || outcome === "no_history") return;
    const regime = regimes[i] ?? 0;
    counts.add(regime, newYorkHour(at(candles.ts, i)), classOfSignal(outcome.label));
    tallyOf(regime, BUY)?.add(outcome.buy.netR, i, outcome.buy.endedIndex);
    tallyOf(regime, SELL)?.add(outcome.sell.netR, i, outcome.sell.endedIndex);
  }

  /** BUY in a regime and SELL in its mirror image share a tally. */
  function tallyOf(regime: number, direction: number): ResultTally | undefined {
    const canonical = direction === BUY ? regime : (MIRRORED[regime] ?? regime);
    const isMirrorable = regime in MIRRORED;
    return results[canonical * 2 + (isMirrorable ? BUY : direction)];
  }

  function draftAt(t: number): SignalDraft {
    const regime = regimes[t] ?? 0;
    const [probBuy, probSell, probNo] = roundTriple(
      counts.frequencies(regime, newYorkHour(at(candles.ts, t))),
    );
    const signal = signalOfClass(decide(regime));
    return {
      index: t,
      tsMs: at(candles.ts, t),
      signal,
      confidence: { BUY: probBuy, SELL: probSell, NO_TRADE: probNo }[signal],
      probBuy,
      probSell,
      probNo,
      regime: regimeLabel(regime),
      expectedRr: settings.expectedRr,
    };
  }

  function decide(regime: number): number {
    const [buyBound, sellBound] = [BUY, SELL].map((direction) => lowerBound(tallyOf(regime, direction)));
    if (buyBound === undefined || sellBound === undefined) return NO_TRADE;
    const better = buyBound >= sellBound ? BUY : SELL;
    return Math.max(buyBound, sellBound) > settings.thresholdR ? better : NO_TRADE;
  }

  function lowerBound(tally: ResultTally | undefined): number {
    if (tally === undefined || tally.independent < settings.minIndependent) return Number.NEGATIVE_INFINITY;
    return tally.mean - (settings.z * tally.deviation) / Math.sqrt(tally.independent);
  }
}

/** Class counts of the slot, of each regime and of each regime and hour, with frequencies shrunk level by level. */
class ClassCounts {
  private readonly slot = new Float64Array(3);
  private readonly byRegime = new Float64Array(REGIMES.length * 3);
  private readonly byCell = new Float64Array(REGIMES.length * HOURS * 3);

  constructor(private readonly shrinkage: number) {}

  add(regime: number, hour: number, label: number): void {
    increment(this.slot, label);
    increment(this.byRegime, regime * 3 + label);
    increment(this.byCell, (regime * HOURS + hour) * 3 + label);
  }

  frequencies(regime: number, hour: number): [number, number, number] {
    const slot = shrunk(this.slot, 0, [1 / 3, 1 / 3, 1 / 3], this.shrinkage);
    const ofRegime = shrunk(this.byRegime, regime * 3, slot, this.shrinkage);
    return shrunk(this.byCell, (regime * HOURS + hour) * 3, ofRegime, this.shrinkage);
  }
}

function increment(counts: Float64Array, i: number): void {
  counts[i] = at(counts, i) + 1;
}

function shrunk(
  counts: Float64Array,
  offset: number,
  parent: readonly [number, number, number],
  weight: number,
): [number, number, number] {
  const [buy, sell, no] = [at(counts, offset), at(counts, offset + 1), at(counts, offset + 2)];
  const n = buy + sell + no + weight;
  return [(buy + weight * parent[0]) / n, (sell + weight * parent[1]) / n, (no + weight * parent[2]) / n];
}

/** Running mean and deviation (Welford) of results, and how many of them do not overlap in time. */
class ResultTally {
  independent = 0;
  mean = 0;
  private n = 0;
  private squares = 0;
  private busyUntil = Number.NEGATIVE_INFINITY;

  add(result: number, beganIndex: number, endedIndex: number): void {
    this.n++;
    const delta = result - this.mean;
    this.mean += delta / this.n;
    this.squares += delta * (result - this.mean);
    if (beganIndex >= this.busyUntil) {
      this.independent++;
      this.busyUntil = endedIndex;
    }
  }

  get deviation(): number {
    return this.n < 2 ? Number.POSITIVE_INFINITY : Math.sqrt(this.squares / (this.n - 1));
  }
}
