import type { OnlineWeights } from "./calibration/online";
import { BUY, NO_TRADE, SELL } from "./classes";
import { elementOrNaN } from "./column";
import { forecastDirection } from "./decision";
import type { Recipe } from "./models/recipes";
import { OUTCOME_RULE } from "./outcome";
import type { SlotResults } from "./results";
import { type AucEstimate, aucWithInterval } from "./scores/auc-interval";
import { brierTerms } from "./scores/brier";
import { type CalibrationByTime, calibrationByTime } from "./scores/calibration-by-time";
import { type CalibrationMeasurement, measureCalibration } from "./scores/calibration-error";
import { calibrationNoise } from "./scores/calibration-noise";
import { independentCount } from "./scores/independent-count";
import { type MeanTest, neweyWestMeanTest } from "./scores/newey-west";
import { profitFactorInterval } from "./scores/profit-factor-interval";
import { maxDrawdown, profitFactor } from "./scores/results";
import { wilsonInterval } from "./scores/wilson-interval";
import type { RecipeRecord, WalkForward } from "./walk-forward";

/** Newey-West lags and length of resampling blocks, in candles: long enough for overlapping labels. */
const OVERLAP = { lags: 48, blockCandles: 120 } as const;

/** Results of a set of followed signals, net of `costTimes` times the cost. */
export interface FollowedSummary {
  costTimes: number;
  n: number;
  /** Number of these signals that do not overlap in time. */
  nIndependent: number;
  winRate: number;
  winRateInterval: [number, number];
  profitFactor: number | null;
  profitFactorInterval: [number, number] | null;
  totalR: number;
  expectancyR: number;
  maxDrawdownR: number;
}

/**
 * One followed signal: its position in the walk-forward's rows, and the indices of the candles with which it begins
 * (`row`) and ends (`endRow`).
 */
export interface FollowedSignal {
  position: number;
  row: number;
  endRow: number;
  grossR: number;
  costR: number;
}

/** Scores of the same forecasts under one other calibration: none (`raw`), anchored, or temperature scaling. */
export interface AlternativeCalibrationScores {
  name: "raw" | "anchored" | "temperature";
  brier: number;
  ece: number | null;
}

/** The report's figures of one recipe, all out of sample. */
export interface Evaluation {
  recipe: Recipe;
  n: number;
  /** Shares of BUY, SELL, NO_TRADE among the outcomes. */
  classShares: [number, number, number];
  brier: number;
  /** Brier score of the class frequencies of the training windows. */
  brierBaseline: number;
  /** 100 x (1 - brier / brierBaseline). */
  skillPct: number;
  /** Test of the mean, over candles, of (Brier term of the class frequencies - Brier term of the model). */
  skillTest: MeanTest | null;
  calibration: CalibrationMeasurement;
  /** 95 % quantile of the ECE of perfect forecasts. */
  eceNoise: number;
  /** Calibration of P(NO_TRADE) by New York hour and weekday. */
  clock: { hours: CalibrationByTime; weekdays: CalibrationByTime };
  /**
   * The final weights of the online calibration, how far it moved P(move) in percentage points, and a test of its gain.
   */
  online: OnlineWeights & { meanShiftPct: number; maxShiftPct: number; gainTest: MeanTest | null };
  /** AUC of BUY against SELL, among candles whose class is a direction. */
  aucDirection: AucEstimate | null;
  aucNoTrade: AucEstimate | null;
  /** Results of the signals that the service would have given, at 1 and 2 times the cost. */
  followed: FollowedSummary[];
  /** Results of following every forecast whose edge exceeds its cost, at 1 and 2 times the cost. */
  allForecasts: FollowedSummary[];
  noTradeShare: number;
}

/** Evaluates one recipe's walk-forward record. */
export function evaluateRecipe(walk: WalkForward, record: RecipeRecord, results: SlotResults): Evaluation {
  const { labels, baseline } = walk;
  const probs = record.calibrated;
  const n = labels.length;
  const baselineTerms = brierTerms(baseline, labels);
  const terms = brierTerms(probs, labels);
  const [brier, brierBaseline] = [mean(terms), mean(baselineTerms)];
  const directional = [...labels.keys()].filter((i) => labels[i] !== NO_TRADE);
  const followed = followedSignals(walk, record, results, "policy");
  const allForecasts = followedSignals(walk, record, results, "forecast");
  return {
    recipe: record.recipe,
    n,
    classShares: [BUY, SELL, NO_TRADE].map((k) => labels.filter((label) => label === k).length / n) as [
      number,
      number,
      number,
    ],
    brier,
    brierBaseline,
    skillPct: 100 * (1 - brier / brierBaseline),
    skillTest: neweyWestMeanTest(
      terms.map((term, i) => elementOrNaN(baselineTerms, i) - term),
      OVERLAP.lags,
    ),
    calibration: measureCalibration(probs, labels),
    eceNoise: calibrationNoise(probs, {
      nBins: 10,
      blockCandles: OUTCOME_RULE.horizonCandles,
      runs: 100,
      seed: 1,
    }),
    clock: calibrationByTime(
      Float64Array.from(labels, (_, i) => elementOrNaN(probs, 3 * i + 2)),
      labels,
      walk.closesMs,
    ),
    online: {
      ...weightsOf(record.finalCalibration),
      ...shiftsPct(record),
      // Brier term before calibration less the one after it.
      gainTest: neweyWestMeanTest(
        brierTerms(record.raw, labels).map((term, i) => term - elementOrNaN(terms, i)),
        OVERLAP.lags,
      ),
    },
    aucDirection: aucWithInterval(
      directional.map((i) => directionScore(probs, i)),
      directional.map((i) => labels[i] === BUY),
      OVERLAP.lags,
    ),
    aucNoTrade: aucWithInterval(
      Array.from(labels, (_, i) => elementOrNaN(probs, 3 * i + 2)),
      Array.from(labels, (label) => label === NO_TRADE),
      OVERLAP.lags,
    ),
    followed: [1, 2].map((times) => summariseFollowed(followed, times)),
    allForecasts: [1, 2].map((times) => summariseFollowed(allForecasts, times)),
    noTradeShare: 1 - followed.length / n,
  };
}

/** Scores a recipe's forecasts under the other calibrations. */
export function scoreAlternativeCalibrations(
  { labels }: WalkForward,
  record: RecipeRecord,
): AlternativeCalibrationScores[] {
  const { anchored, tempered } = record.otherwise();
  const scores = (name: AlternativeCalibrationScores["name"], probs: Float64Array) => ({
    name,
    brier: mean(brierTerms(probs, labels)),
    ece: measureCalibration(probs, labels).ece,
  });
  return [scores("raw", record.raw), scores("anchored", anchored), scores("temperature", tempered)];
}

const weightsOf = ({ a, b, c1, c2, d }: OnlineWeights): OnlineWeights => ({ a, b, c1, c2, d });

function shiftsPct({ raw, calibrated }: RecipeRecord): { meanShiftPct: number; maxShiftPct: number } {
  let [sum, max] = [0, 0];
  for (let i = 2; i < raw.length; i += 3) {
    const shift = Math.abs(elementOrNaN(calibrated, i) - elementOrNaN(raw, i));
    sum += shift;
    max = Math.max(max, shift);
  }
  return { meanShiftPct: (300 * sum) / Math.max(1, raw.length), maxShiftPct: 100 * max };
}

/** Share of BUY in P(BUY) + P(SELL). */
export function directionScore(probs: Float64Array, i: number): number {
  return elementOrNaN(probs, 3 * i) / (elementOrNaN(probs, 3 * i) + elementOrNaN(probs, 3 * i + 1));
}

/**
 * The followed signals of a walk-forward: all whose edge exceeds their cost, at the first reward/risk ratio
 * (`forecast`), or those of them that the decision policy in force allowed, at its ratio (`policy`).
 */
export function followedSignals(
  walk: WalkForward,
  record: RecipeRecord,
  results: SlotResults,
  by: "policy" | "forecast",
): FollowedSignal[] {
  const signals: FollowedSignal[] = [];
  for (const [position, row] of walk.rows.entries()) {
    const policy = record.policies[record.policyOf[position] ?? 0];
    if (by === "policy" && policy?.mayFollow !== true) continue;
    const columns =
      (by === "policy" && results.byRatio.find((c) => c.expectedRr === policy?.expectedRr)) ||
      results.byRatio[0];
    const costR = elementOrNaN(results.costR, row);
    const probs = record.calibrated;
    const direction = forecastDirection(
      elementOrNaN(probs, 3 * position),
      elementOrNaN(probs, 3 * position + 1),
      costR,
    );
    if (direction === NO_TRADE || columns === undefined) continue;
    const grossR = elementOrNaN(direction === BUY ? columns.buyR : columns.sellR, row);
    if (Number.isNaN(grossR)) continue;
    const endRow = (direction === BUY ? columns.buyEnd : columns.sellEnd)[row] ?? row;
    signals.push({ position, row, endRow, grossR, costR });
  }
  return signals;
}

/** Sums up followed signals at a multiple of the cost. */
export function summariseFollowed(signals: readonly FollowedSignal[], costTimes: number): FollowedSummary {
  const netR = signals.map(({ grossR, costR }) => grossR - costTimes * costR);
  const wins = netR.filter((r) => r > 0).length;
  const losses = netR.filter((r) => r < 0).length;
  const winRate = wins + losses === 0 ? 0 : wins / (wins + losses);
  const nIndependent = independentCount(signals.map(({ row, endRow }) => ({ begin: row, end: endRow })));
  const totalR = netR.reduce((a, b) => a + b, 0);
  const byEnd = [...signals.keys()].sort((a, b) => (signals[a]?.endRow ?? 0) - (signals[b]?.endRow ?? 0));
  return {
    costTimes,
    n: signals.length,
    nIndependent,
    winRate,
    winRateInterval: wilsonInterval(winRate, nIndependent),
    profitFactor: profitFactor(netR),
    profitFactorInterval: profitFactorInterval(
      netR,
      signals.map(({ row }) => row),
      { blockCandles: OVERLAP.blockCandles, runs: 400, seed: 1 },
    ),
    totalR,
    expectancyR: signals.length === 0 ? 0 : totalR / signals.length,
    maxDrawdownR: maxDrawdown(byEnd.map((i) => netR[i] ?? 0)),
  };
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
}
