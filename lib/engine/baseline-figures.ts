import type { CandleSeries } from "@/lib/market/candles";
import { produceBaselineSignals } from "./baseline";
import { BUY, NO_TRADE } from "./classes";
import { elementOrNaN } from "./column";
import type { CostRule } from "./costs";
import { forecastDirection } from "./decision";
import { labelCandles } from "./outcome";
import { slotResults } from "./results";
import { aucBinary } from "./scores/auc";
import { profitFactor } from "./scores/results";

/** Figures of the baseline's forecasts, all out of sample. */
export interface BaselineFigures {
  /** Number of candles with a forecast and a class. */
  n: number;
  /** AUC of BUY against SELL among candles whose class is a direction; null unless both occur. */
  auc: number | null;
  /**
   * Profit factor, after costs, of following every forecast whose edge exceeds its cost; null without losses.
   */
  profitFactor: number | null;
}

/**
 * Share of the candles, at the beginning, that are only learnt from and not scored. The walk-forward of trained models
 * has the same share, counted from its first candle with all features.
 */
const FIRST_TRAIN_SHARE = 0.25;
/** With fewer scored candles there are no figures. */
const MIN_JUDGED = 50;
/**
 * Reward/risk ratio with which forecasts are followed: the edge of a forecast is defined for target and stop at one
 * distance.
 */
const RATIO = 1;

/**
 * Walk-forward figures of the baseline, defined as those of a trained model. A forecast uses its own candle and earlier
 * ones, so every forecast is out of sample.
 *
 * @returns null if fewer than 50 of the scored candles have a class
 */
export function baselineFigures(candles: CandleSeries, cost: CostRule): BaselineFigures | null {
  const from = Math.floor(candles.ts.length * FIRST_TRAIN_SHARE);
  const drafts = produceBaselineSignals({ candles, fromIndex: from, toIndex: candles.ts.length, cost });
  const { label } = labelCandles(candles);
  const { costR, byRatio } = slotResults(candles, cost, [RATIO]);
  const judged = drafts.filter(({ index }) => (label[index] ?? -1) >= 0);
  if (judged.length < MIN_JUDGED) return null;
  const decided = judged.filter(({ index }) => label[index] !== NO_TRADE);
  const followed = judged.flatMap(({ index, probBuy, probSell }) => {
    const direction = forecastDirection(probBuy, probSell, elementOrNaN(costR, index));
    const results = direction === BUY ? byRatio[0]?.buyR : byRatio[0]?.sellR;
    if (direction === NO_TRADE || results === undefined) return [];
    return [elementOrNaN(results, index) - elementOrNaN(costR, index)];
  });
  return {
    n: judged.length,
    auc: aucBinary(
      decided.map(({ probBuy, probSell }) => probBuy / (probBuy + probSell)),
      decided.map(({ index }) => label[index] === BUY),
    ),
    profitFactor: profitFactor(followed.filter((r) => !Number.isNaN(r))),
  };
}
