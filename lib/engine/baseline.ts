import { newYorkHour } from "@/lib/market/calendar";
import type { CandleSeries } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import { BUY, classOfSignal, NO_TRADE, SELL, type Signal, signalOfClass } from "./classes";
import { elementOrNaN } from "./column";
import { type CostRule, tradingCost } from "./costs";
import { DirectionEvidence } from "./direction-evidence";
import { OUTCOME_RULE, outcomeAtDistance } from "./outcome";
import { classifyRegimes, REGIME_UNKNOWN, REGIMES, type Regime, regimeLabel } from "./regime";
import { roundTriple } from "./round-triple";

/** A producer's signal for one closed candle, before it is stored. */
export interface SignalDraft {
  /** Index of the signal's candle in the series. */
  index: number;
  /** Open time of that candle, epoch ms. */
  tsMs: number;
  signal: Signal;
  /** Probability of the signalled class. */
  confidence: number;
  probBuy: number;
  probSell: number;
  probNo: number;
  regime: Regime;
  /** Target in multiples of the barrier distance; the stop is 1. */
  expectedRr: number;
  /**
   * Class frequencies of the slot's counted outcomes that are known at this candle's close, shrunk towards a third
   * each. Only the baseline sets them.
   */
  classFrequencies?: [number, number, number];
}

export interface BaselineSettings {
  /** A direction needs evidence that the mean net result of its regime, in R, exceeds this. */
  thresholdR: number;
  /**
   * Factor by which bets on a direction must have multiplied their stake before signals give that direction. The
   * required factor is this times `histories`.
   */
  evidence: number;
  /**
   * Number of times that the counting of a slot's history starts in three years. Each start is another chance of a
   * direction without an edge, so the required `evidence` is multiplied by this number.
   */
  histories: number;
  /**
   * Weight, in candles, of the slot's frequencies in those of a regime, and of a regime's frequencies in those of a
   * regime and hour.
   */
  shrinkageCandles: number;
  expectedRr: number;
}

/** The default settings; lib/engine/README.md has their measurements. */
export const BASELINE_SETTINGS: Readonly<BaselineSettings> = {
  thresholdR: 0,
  evidence: 100,
  histories: 1,
  shrinkageCandles: 240,
  expectedRr: 1,
};

/** Version of the baseline producer in `model_v`. */
export const BASELINE_VERSION = "baseline-2";
/**
 * Versions of the baseline in earlier releases. If one of them is a slot's champion, the present version replaces it,
 * unless built-in models are switched off.
 */
export const FORMER_BASELINE_VERSIONS: readonly string[] = ["baseline-1"];

const HOURS = 24;
/**
 * Weight, in candles, of the prior (a third for each class) in the slot's frequencies: three horizons, because the
 * labels of one horizon overlap and together count as little more than one.
 */
const THIRDS_CANDLES = 3 * OUTCOME_RULE.horizonCandles;

/**
 * Counts that {@link produceBaselineSignals} keeps between calls with the same series, which may grow at its end. They
 * save counting earlier candles again and do not change the signals.
 */
export class BaselineMemory {
  /** Number of candles whose outcomes were counted or have no class, from the start of the series on. */
  learnt = 0;
  readonly counts: ClassCounts;
  readonly evidence: DirectionEvidence;

  constructor(settings: Partial<BaselineSettings> = {}) {
    const all = { ...BASELINE_SETTINGS, ...settings };
    this.counts = new ClassCounts(all.shrinkageCandles);
    this.evidence = new DirectionEvidence(all);
  }

  /** Whether everything learnt was known at the close of candle `index`. */
  fits(index: number): boolean {
    return (
      this.learnt <= Math.max(0, index - OUTCOME_RULE.horizonCandles + 1) && this.evidence.taken <= index + 1
    );
  }
}

/**
 * The baseline: frequencies of past outcomes in the candle's regime and New York hour. The frequencies of a cell (a
 * regime and hour) are shrunk towards those of its regime, these towards the slot's, and the slot's towards a third
 * each: p(cell) = (counts(cell) + k p(parent)) / (n(cell) + k).
 *
 * Directions are judged per regime only, because among 24 hours x 2 directions some would seem to have an edge by
 * chance. {@link DirectionEvidence} bets on each direction in each regime. The signal is BUY or SELL while these bets
 * have multiplied their stake by `evidence` x `histories`, otherwise NO_TRADE. The test is sequential and may be
 * checked after every candle: on prices without an edge, the chance that any of its six hypotheses ever gets that far
 * is at most 6 / (`evidence` x `histories`) for one start of the counting, and 6 / `evidence` for `histories` starts.
 * README.md has measured rates.
 *
 * An outcome counts from the candle that ends its horizon, so nothing later than the signal's own candle is used. O(n)
 * in the number of candles.
 *
 * @param fromIndex index of the first candle to make a signal for
 * @param toIndex one past the last
 * @param memory counts of earlier calls with the same series, cost and settings; updated
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
  if (!memory.fits(fromIndex)) throw new RangeError("the memory contains later candles");

  const horizon = OUTCOME_RULE.horizonCandles;
  const regimes = classifyRegimes(candles, memory.learnt);
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const { counts, evidence } = memory;
  const needed = settings.evidence * settings.histories;

  const drafts: SignalDraft[] = [];
  for (let t = fromIndex; t < toIndex; t++) {
    while (memory.learnt <= t - horizon) learnFrom(memory.learnt++);
    while (evidence.taken <= t) bet(evidence.taken);
    drafts.push(draftAt(t));
  }
  return drafts;

  function learnFrom(i: number): void {
    const distance = OUTCOME_RULE.atrMultiple * elementOrNaN(atr, i);
    const outcome = outcomeAtDistance({
      candles,
      index: i,
      distance,
      expectedRr: settings.expectedRr,
      cost,
      rule: OUTCOME_RULE,
    });
    if (outcome === null || outcome === "no_history") return;
    const regime = regimes[i] ?? REGIME_UNKNOWN;
    counts.add(regime, newYorkHour(elementOrNaN(candles.ts, i)), classOfSignal(outcome.label));
  }

  function bet(i: number): void {
    const distance = OUTCOME_RULE.atrMultiple * elementOrNaN(atr, i);
    const costR = tradingCost(cost, elementOrNaN(candles.close, i)) / distance;
    evidence.add(candles, regimes[i] ?? REGIME_UNKNOWN, distance, costR);
  }

  function draftAt(t: number): SignalDraft {
    const regime = regimes[t] ?? REGIME_UNKNOWN;
    const [probBuy, probSell, probNo] = roundTriple(
      counts.frequencies(regime, newYorkHour(elementOrNaN(candles.ts, t))),
    );
    const signal = signalOfClass(decide(regime));
    return {
      index: t,
      tsMs: elementOrNaN(candles.ts, t),
      signal,
      confidence: { BUY: probBuy, SELL: probSell, NO_TRADE: probNo }[signal],
      probBuy,
      probSell,
      probNo,
      regime: regimeLabel(regime),
      expectedRr: settings.expectedRr,
      classFrequencies: roundTriple(counts.ofSlot()),
    };
  }

  function decide(regime: number): number {
    const [buy, sell] = [evidence.of(regime, BUY), evidence.of(regime, SELL)];
    if (Math.max(buy, sell) < needed) return NO_TRADE;
    return buy >= sell ? BUY : SELL;
  }
}

/** Class counts of the slot, of each regime, and of each regime and hour. */
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

  /** Class frequencies of the slot, a third each before its first outcome. */
  ofSlot(): [number, number, number] {
    return shrunk(this.slot, 0, [1 / 3, 1 / 3, 1 / 3], THIRDS_CANDLES);
  }

  frequencies(regime: number, hour: number): [number, number, number] {
    const ofRegime = shrunk(this.byRegime, regime * 3, this.ofSlot(), this.shrinkage);
    return shrunk(this.byCell, (regime * HOURS + hour) * 3, ofRegime, this.shrinkage);
  }
}

function increment(counts: Float64Array, i: number): void {
  counts[i] = elementOrNaN(counts, i) + 1;
}

function shrunk(
  counts: Float64Array,
  offset: number,
  parent: readonly [number, number, number],
  weight: number,
): [number, number, number] {
  const [buy, sell, no] = [
    elementOrNaN(counts, offset),
    elementOrNaN(counts, offset + 1),
    elementOrNaN(counts, offset + 2),
  ];
  const n = buy + sell + no + weight;
  return [(buy + weight * parent[0]) / n, (sell + weight * parent[1]) / n, (no + weight * parent[2]) / n];
}
