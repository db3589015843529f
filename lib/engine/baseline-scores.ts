import type { CandleSeries } from "@/lib/market/candles";
import { produceBaselineSignals } from "./baseline";
import { NO_TRADE } from "./classes";
import { elementOrNaN } from "./column";
import type { CostRule } from "./costs";
import { type AucEstimate, aucWithInterval } from "./scores/auc-interval";
import { brierTerms } from "./scores/brier";
import { measureCalibration } from "./scores/calibration-error";
import { type MeanTest, neweyWestMeanTest } from "./scores/newey-west";
import type { RecipeRecord, WalkForward } from "./walk-forward";

const LAGS = 48;

/**
 * Scores of the baseline (frequencies by hour and regime) on a walk-forward's candles, and a comparison of a model with
 * it.
 */
export interface BaselineScores {
  brier: number;
  ece: number | null;
  aucNoTrade: AucEstimate | null;
  /** Skill of the model over the baseline: 100 x (1 - the model's Brier score / the baseline's). */
  skillPct: number;
  /** Test of the mean, over candles, of (Brier term of the baseline - Brier term of the model). */
  skillTest: MeanTest | null;
}

/**
 * Scores the baseline on the candles of a recipe's walk-forward record, and compares the recipe's calibrated forecasts
 * with it. A forecast of the baseline uses its own candle and earlier ones.
 */
export function scoreBaseline(
  candles: CandleSeries,
  cost: CostRule,
  walk: WalkForward,
  record: RecipeRecord,
): BaselineScores {
  const drafts = produceBaselineSignals({ candles, fromIndex: 0, toIndex: candles.ts.length, cost });
  const probs = new Float64Array(3 * walk.rows.length);
  for (const [i, row] of walk.rows.entries()) {
    const draft = drafts[row];
    if (draft === undefined) throw new RangeError(`no candle at row ${row}`);
    probs.set([draft.probBuy, draft.probSell, draft.probNo], 3 * i);
  }
  const { labels } = walk;
  const terms = brierTerms(probs, labels);
  const ofModel = brierTerms(record.calibrated, labels);
  const brier = mean(terms);
  return {
    brier,
    ece: measureCalibration(probs, labels).ece,
    aucNoTrade: aucWithInterval(
      Array.from(labels, (_, i) => elementOrNaN(probs, 3 * i + 2)),
      Array.from(labels, (label) => label === NO_TRADE),
      LAGS,
    ),
    skillPct: 100 * (1 - mean(ofModel) / brier),
    skillTest: neweyWestMeanTest(
      terms.map((term, i) => term - elementOrNaN(ofModel, i)),
      LAGS,
    ),
  };
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
}
