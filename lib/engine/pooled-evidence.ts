import { WEEK_MS } from "@/lib/time";
import { elementOrNaN } from "./column";
import type { Recipe } from "./models/recipes";
import { brierTerms } from "./scores/brier";
import { type MeanTest, neweyWestMeanTest } from "./scores/newey-west";
import type { WalkForward } from "./walk-forward";

/** Weekly out-of-sample gains of a slot's recipes over the class frequencies. Plain data. */
export interface WeeklyBrierGains {
  /** Week of the first element of the arrays, in weeks since the epoch. */
  firstWeek: number;
  /** Weekly sums of (Brier terms of the class frequencies - those of the recipe). */
  byRecipe: Partial<Record<Recipe, number[]>>;
}

/** Newey-West lags in weeks: a horizon of daily candles spans three weeks. */
const LAGS = 4;
/** Minimum number of weeks: fewer give no usable standard error of a mean. */
const MIN_WEEKS = 100;
const DIGITS = 4;

/** Sums a walk-forward's gains over the class frequencies by the week in which the candle closed. */
export function sumBrierGainsByWeek({ closesMs, labels, baseline, records }: WalkForward): WeeklyBrierGains {
  const weeks = Array.from(closesMs, (ms) => Math.floor(ms / WEEK_MS));
  const firstWeek = weeks[0] ?? 0;
  const ofBaseline = brierTerms(baseline, labels);
  const byRecipe: WeeklyBrierGains["byRecipe"] = {};
  for (const { recipe, calibrated } of records) {
    const sums = new Array<number>((weeks.at(-1) ?? firstWeek) - firstWeek + 1).fill(0);
    for (const [i, term] of brierTerms(calibrated, labels).entries()) {
      const week = (weeks[i] ?? firstWeek) - firstWeek;
      sums[week] = (sums[week] ?? 0) + elementOrNaN(ofBaseline, i) - term;
    }
    // The sums are rounded to save space, because every training stores them.
    byRecipe[recipe] = sums.map((sum) => Number(sum.toFixed(DIGITS)));
  }
  return { firstWeek, byRecipe };
}

/**
 * Tests the mean of each recipe's weekly gains, added up over slots. What slots of one timeframe share in a week, such
 * as a holiday, is thus part of the standard error.
 *
 * @returns a test per recipe; none for recipes with fewer than two slots or fewer than {@link MIN_WEEKS} weeks
 */
export function testPooledBrierGains(slots: readonly WeeklyBrierGains[]): Map<Recipe, MeanTest> {
  const sums = new Map<Recipe, { slots: number; byWeek: Map<number, number> }>();
  for (const { firstWeek, byRecipe } of slots) {
    // The record's keys are recipes.
    for (const [recipe, values] of Object.entries(byRecipe) as [Recipe, number[]][]) {
      const held = sums.get(recipe) ?? { slots: 0, byWeek: new Map() };
      held.slots++;
      for (const [k, value] of values.entries()) {
        held.byWeek.set(firstWeek + k, (held.byWeek.get(firstWeek + k) ?? 0) + value);
      }
      sums.set(recipe, held);
    }
  }
  const tests = new Map<Recipe, MeanTest>();
  for (const [recipe, { slots: n, byWeek }] of sums) {
    if (n < 2 || byWeek.size < MIN_WEEKS) continue;
    const inOrder = [...byWeek].toSorted(([a], [b]) => a - b).map(([, sum]) => sum);
    const test = neweyWestMeanTest(inOrder, LAGS);
    if (test !== null) tests.set(recipe, test);
  }
  return tests;
}
