import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import type { Forecaster, Timeframe } from "@/lib/vocabulary";
import {
  type ForecastQuality,
  MIN_RESULTS_FOR_RATES,
  type RecordForecasts,
  type RecordHeadline,
  type RecordResults,
} from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { fromMicro, fromNano } from "./fixed-point";
import { type BinSums, type ForecastSums, maxBetsPerDay, N_BINS, type ResultSums } from "./score";
import type { DailySumSeries, RecordSums } from "./sums";

/**
 * Every figure of the record, from its sums. Uses only operations that give the same bits on every machine:
 * the verifier repeats them.
 */

const Z95 = 1.959963984540054;
/** Brier score of a forecast of 1/3 for each class. */
const COIN_BRIER = 2 / 3;

type Bounds = [number, number];
const rounded = ([lo, hi]: Bounds): Bounds => [roundFigure(lo), roundFigure(hi)];

/** The mean of n values with its 95 % interval, from their sum, sum of squares and number of independent values. */
function meanOf(
  sum: number,
  squares: number,
  n: number,
  nIndependent: number,
): { mean: number; ci95: Bounds } {
  const mean = sum / n;
  const half = Z95 * Math.sqrt(Math.max(0, squares / n - mean * mean) / nIndependent);
  return { mean, ci95: [mean - half, mean + half] };
}

/** Figures of followed signals. `daily`: the sum of results of each day, in order of time, in 1e-6 R. */
export function resultFigures(sums: ResultSums, daily: Iterable<number>): RecordResults {
  const { n, nIndependent, wins, losses, r, rSquares, gain } = sums;
  const enough = n >= MIN_RESULTS_FOR_RATES;
  const decided = wins + losses;
  const rate = wins / decided;
  const { mean, ci95 } = meanOf(fromMicro(r), fromMicro(rSquares), n, nIndependent);
  return {
    n,
    n_independent: nIndependent,
    enough,
    n_wins: wins,
    n_losses: losses,
    win_rate_pct: enough && decided > 0 ? roundFigure(100 * rate) : null,
    win_rate_ci95:
      enough && decided > 0
        ? rounded(wilsonInterval(rate, nIndependent).map((bound) => 100 * bound) as Bounds)
        : null,
    total_r: roundFigure(fromMicro(r)),
    expectancy_r: enough ? roundFigure(mean) : null,
    expectancy_ci95: enough ? rounded(ci95) : null,
    profit_factor: enough && gain > r ? roundFigure(gain / (gain - r)) : null,
    max_drawdown_r: roundFigure(fromMicro(maxDrawdownOf(daily))),
  };
}

/** Maximum drawdown of the running total of whole numbers, from its peak; both start at 0. */
export function maxDrawdownOf(values: Iterable<number>): number {
  let [total, highest, deepest] = [0, 0, 0];
  for (const value of values) {
    total += value;
    highest = Math.max(highest, total);
    deepest = Math.max(deepest, highest - total);
  }
  return deepest;
}

/** Figures of the probability forecasts. */
export function forecastFigures(sums: ForecastSums): RecordForecasts {
  const { n, nIndependent, nDirectional, brier, brierFrequencies, gainSquares } = sums;
  const enough = n >= MIN_RESULTS_FOR_RATES;
  const reference = fromNano(brierFrequencies) / n;
  const { ci95 } = meanOf(fromNano(brierFrequencies - brier), fromNano(gainSquares), n, nIndependent);
  const [lo, hi] = ci95;
  const skill = skillOf(brier, sums);
  return {
    n,
    n_independent: nIndependent,
    enough,
    n_directional: nDirectional,
    brier: enough ? roundFigure(fromNano(brier) / n) : null,
    brier_frequencies: enough ? roundFigure(reference) : null,
    brier_coin: enough ? roundFigure(COIN_BRIER) : null,
    skill,
    skill_ci95: skill === null ? null : rounded([lo / reference, hi / reference]),
  };
}

/**
 * Skill of a sum of Brier scores against that of the class frequencies. null with too few results, and if no forecast
 * of the model differs from the frequencies: then all signals have their own levels, which have no frequencies.
 */
export function skillOf(
  brier: number,
  { n, brierFrequencies, gainSquares }: Pick<ForecastSums, "n" | "brierFrequencies" | "gainSquares">,
): number | null {
  const isCompared = n >= MIN_RESULTS_FOR_RATES && brierFrequencies > 0 && gainSquares > 0;
  return isCompared ? roundFigure(1 - brier / brierFrequencies) : null;
}

/**
 * Calibration of one forecaster, from its bins of confidence, its sum of three-class Brier scores, in 1e-9, and the
 * sums of the model's forecasts.
 */
export function forecasterQuality(
  tallies: readonly BinSums[],
  brier: number,
  of: ForecastSums,
): ForecastQuality {
  const total = (pick: (tally: BinSums) => number) => tallies.reduce((sum, tally) => sum + pick(tally), 0);
  const n = total((tally) => tally.n);
  const enough = n >= MIN_RESULTS_FOR_RATES;
  const accuracy = total((tally) => tally.hits) / n;
  return {
    n,
    n_independent: of.nIndependent,
    enough,
    brier: enough ? roundFigure(fromNano(brier) / n) : null,
    skill: skillOf(brier, of),
    ece: enough ? roundFigure(total((t) => Math.abs(t.hits - fromNano(t.confidence))) / n) : null,
    accuracy: enough ? roundFigure(accuracy) : null,
    accuracy_ci95: enough ? rounded(wilsonInterval(accuracy, of.nIndependent)) : null,
    avg_confidence: enough ? roundFigure(fromNano(total((t) => t.confidence)) / n) : null,
    decomposition: enough ? decompose(tallies, n, accuracy) : null,
    bins: tallies.map((tally, i) => ({
      lo: i / N_BINS,
      hi: (i + 1) / N_BINS,
      n: tally.n,
      n_independent: tally.nIndependent,
      avg_confidence: tally.n === 0 ? null : roundFigure(fromNano(tally.confidence) / tally.n),
      hit_rate: tally.n === 0 ? null : roundFigure(tally.hits / tally.n),
      ci95: tally.n === 0 ? null : rounded(wilsonInterval(tally.hits / tally.n, tally.nIndependent)),
    })),
  };
}

/**
 * Murphy's decomposition of the squared error of the confidence: distance of the bins from their hit rates,
 * spread of the hit rates, uncertainty of the outcome, and variation within the bins. The rounded parts add
 * up.
 *
 * @see Allan Murphy, Journal of Applied Meteorology 12 (1973)
 */
function decompose(
  tallies: readonly BinSums[],
  n: number,
  accuracy: number,
): ForecastQuality["decomposition"] {
  const overBins = (part: (hitRate: number, confidence: number) => number) =>
    tallies.reduce(
      (sum, t) => sum + (t.n === 0 ? 0 : (t.n / n) * part(t.hits / t.n, fromNano(t.confidence) / t.n)),
      0,
    );
  const brier = roundFigure(fromNano(tallies.reduce((sum, tally) => sum + tally.brier, 0)) / n);
  const reliability = roundFigure(overBins((hitRate, confidence) => (confidence - hitRate) ** 2));
  const resolution = roundFigure(overBins((hitRate) => (hitRate - accuracy) ** 2));
  const uncertainty = roundFigure(accuracy * (1 - accuracy));
  const within = roundFigure(brier - (reliability - resolution + uncertainty));
  return { brier, reliability, resolution, uncertainty, within };
}

/** Shares of an account that are staked each day: small ones suit small edges. */
const STAKES = [0.05, 0.1, 0.2, 0.4, 0.8] as const;
/** Maximum loss of a bet, in R: 1 R at the stop, and at most 1 R in costs. */
const MAX_LOST_R = 2;
/** Upper limit of an account, which keeps products finite. Far above the evidence that any claim needs. */
const MAX_WEALTH = 1e15;
const ALPHA = 0.05;
/** Two questions are asked of each slot: do directions pay, are probabilities better than frequencies. */
const QUESTIONS = 2;

/**
 * Evidence that a slot needs for a claim of skill, in a record of `nSlots` slots. Without skill, at most 5 % of such
 * records ever contain a claim.
 */
export const evidenceNeeded = (nSlots: number): number => roundFigure((QUESTIONS * nSlots) / ALPHA);

/**
 * Factor by which betting against "this is luck" has multiplied its stake: an e-process over days.
 *
 * Bets are signals of which each begins after the horizon of the one before it has ended. A fixed share of an account
 * is staked on the sum of each day's bets, relative to the most that they could lose. If the bets gain at most zero on
 * average, no account grows on average, so the mean of all rarely rises far above 1, however often it is checked
 * (Ville).
 *
 * @param parts sum of each day's bets, in order, as a fraction of the most that a day's bets could lose
 * @see Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024)
 */
export function evidenceOf(parts: ArrayLike<number>): number {
  const wealth = new Float64Array(STAKES.length).fill(1);
  for (let i = 0; i < parts.length; i++)
    for (const [k, stake] of STAKES.entries())
      wealth[k] = Math.min(MAX_WEALTH, (wealth[k] ?? 1) * Math.max(0, 1 + stake * (parts[i] ?? 0)));
  return roundFigure(wealth.reduce((sum, one) => sum + one, 0) / wealth.length);
}

/**
 * Evidence of a slot over its whole record for both questions: do directions pay, and are probabilities
 * better than frequencies?
 */
export function evidenceOfSlot(series: Pick<DailySumSeries, "betR" | "evidence">, timeframe: Timeframe) {
  const perDay = maxBetsPerDay(timeframe);
  return {
    direction: evidenceOf(series.betR.map((r) => fromMicro(r) / (MAX_LOST_R * perDay))),
    probability: evidenceOf(series.evidence.map((sum) => fromNano(sum) / perDay)),
  };
}

/** Evidence needed for a claim over all slots together. */
export const OVERALL_EVIDENCE_NEEDED = QUESTIONS / ALPHA;

/**
 * Evidence of all slots together: the mean of theirs, an e-process under any dependence. A slot whose own evidence
 * supports a claim lifts the mean to at least `OVERALL_EVIDENCE_NEEDED`, so the additional question adds no error and no slot
 * contradicts it.
 *
 * @see Vovk and Wang, E-values: calibration, combination and applications, Annals of Statistics 49 (2021)
 */
export const overallEvidence = (ofSlots: readonly number[]): number =>
  ofSlots.length === 0 ? 1 : roundFigure(ofSlots.reduce((sum, one) => sum + one, 0) / ofSlots.length);

/** The values of a slot from which the headline is written. `shown`: the evidence for this question is sufficient. */
export interface HeadlineSlot {
  n: number;
  nFollowed: number;
  direction: { shown: boolean };
  probability: { shown: boolean };
}

/** Whether a slot has enough results for a test of its probabilities. */
export const hasEnoughResults = ({ n }: { n: number }): boolean => n >= MIN_RESULTS_FOR_RATES;

/** Whether a slot also has enough trades for a test of its directions. */
export const hasEnoughTrades = (slot: { n: number; nFollowed: number }): boolean =>
  hasEnoughResults(slot) && slot.nFollowed >= MIN_RESULTS_FOR_RATES;

/**
 * The headline: one sentence on direction and one on probability. Each says whether skill is shown over all slots
 * together, and on how many slots alone. `overall` is null if the query names slots, because the test over all slots then does not apply.
 */
export function headlineOf(
  slots: readonly HeadlineSlot[],
  overall: { direction: { shown: boolean }; probability: { shown: boolean } } | null,
): RecordHeadline {
  const judged = slots.filter(hasEnoughResults);
  const followed = slots.filter(hasEnoughTrades);
  const n = judged.length;
  const nDirection = followed.filter(({ direction }) => direction.shown).length;
  const nProbability = judged.filter(({ probability }) => probability.shown).length;
  const counts = { n_slots: n, n_direction: nDirection, n_probability: nProbability };
  if (n === 0)
    return {
      text: `Not enough results yet: ${slots.length === 1 ? "fewer than" : "no slot has"} ${MIN_RESULTS_FOR_RATES} resolved signals.`,
      ...counts,
    };
  const where = (together: boolean, k: number, all: number) =>
    slots.length === 1
      ? ""
      : overall === null
        ? ` on ${k > 0 ? k : all} of ${all} ${all === 1 ? "slot" : "slots"}`
        : together
          ? ` over all slots together, and on ${k} of ${all} alone`
          : ", neither over all slots together nor on any one of them";
  const isShown = (k: number, of: { shown: boolean } | undefined) => k > 0 || of?.shown === true;
  const directions =
    followed.length === 0
      ? "Direction: too few were given to be judged."
      : isShown(nDirection, overall?.direction)
        ? `Direction: shown to pay after costs${where(true, nDirection, followed.length)}.`
        : `Direction: not shown to be better than a coin${where(false, 0, followed.length)}.`;
  const probabilities = isShown(nProbability, overall?.probability)
    ? `Probability: shown to be better than the class frequencies${where(true, nProbability, n)}.`
    : `Probability: not shown to be better than the class frequencies${where(false, 0, n)}.`;
  return { text: `${directions} ${probabilities}`, ...counts };
}

export function figuresOfRecord({
  forecasts,
  results,
  series,
}: RecordSums): { forecasts: RecordForecasts } & Record<Forecaster, RecordResults> {
  return {
    forecasts: forecastFigures(forecasts),
    model: resultFigures(results.model, series.r),
    coin: resultFigures(results.coin, series.coinR),
    frequencies: resultFigures(results.frequencies, series.frequenciesR),
  };
}

/** The calibration of each forecaster. */
export function forecasterQualities({ forecasts, bins }: RecordSums): Record<Forecaster, ForecastQuality> {
  const { n, brier, brierFrequencies } = forecasts;
  return {
    model: forecasterQuality(bins.model, brier, forecasts),
    coin: forecasterQuality(bins.coin, COIN_BRIER * n * 1e9, forecasts),
    frequencies: forecasterQuality(bins.frequencies, brierFrequencies, forecasts),
  };
}
