import { elementOrNaN } from "./column";
import type { Recipe } from "./models/recipes";
import { alwaysValidBoundary } from "./scores/always-valid";
import { type MeanTest, neweyWestMeanTest } from "./scores/newey-west";

export interface ChampionRule {
  /**
   * Limit of the chance that any challenger without merit is ever promoted, over all slots, challengers and trainings.
   */
  alpha: number;
  /** Newey-West lags, in candles. */
  lags: number;
}

const CHAMPION_RULE: Readonly<ChampionRule> = { alpha: 0.05, lags: 48 };

/**
 * Number of candles at which the boundary of a promotion is lowest. It is hardly higher at a tenth or ten
 * times as many.
 */
const TUNED_FOR = 10_000;
/** Number of weeks at which the boundary for {@link PooledEvidence} is lowest. */
const TUNED_FOR_WEEKS = 200;
/** Minimum number of candles of a recent period that is tested: fewer give no usable standard error of a mean. */
const MIN_STRETCH = 300;

/**
 * What makes a slot's forecasts: a recipe, or the baseline if no recipe is significantly better than the class
 * frequencies.
 */
export type Champion = Recipe | "baseline";

/** Evidence, from all slots of a timeframe together, that recipes are better than the class frequencies. */
export interface PooledEvidence {
  /**
   * Per recipe, a test of the mean of weekly sums over these slots of (Brier terms of the class frequencies - those of
   * the recipe).
   */
  byRecipe: ReadonlyMap<Recipe, MeanTest>;
  /** Number of trained timeframes. */
  timeframes: number;
}

export interface ChampionDecision {
  champion: Champion;
  /**
   * Whether the champion stayed, was replaced by a challenger (`promoted`, also after a demotion in the same training),
   * or by the baseline (`demoted`).
   */
  change: "kept" | "promoted" | "demoted";
  /**
   * Significance level, over all trainings, of a comparison that promotes a challenger by rule 2 of `chooseChampion`:
   * `alpha`, or half of it if `pooled` is passed, divided by the numbers of challengers and slots.
   */
  level: number;
  comparisons: { challenger: Champion; against: Champion; test: MeanTest }[];
  reason: string;
}

/**
 * Chooses a slot's champion from paired out-of-sample Brier terms on the same candles.
 *
 * 1. The present champion is demoted if it is no longer among the challengers, or if it was significantly worse than
 * the class frequencies over the last twelve weeks or the last twelve months. These two tests together err in at most
 * about 5 % of trainings.
 *
 * 2. A challenger is promoted if its whole record shows that it is better than the champion and than the class
 * frequencies, by a boundary that is valid at every training at once ({@link alwaysValidBoundary}), and if it was no
 * worse than the class frequencies in either of those two periods. More candles are more evidence; another training on
 * the same candles adds none and costs nothing. Of several such challengers, the one of lowest Brier score is promoted.
 *
 * 3. A slot whose champion is the baseline can also get the recipe with the best pooled evidence over the slots of its
 * timeframe: if that evidence passes its boundary, the slot's evidence for this recipe needs to pass only a boundary at
 * `alpha`, not shared among slots and challengers. The recipe must not have been demoted in this training, nor have
 * been worse than the class frequencies in the two periods. Half of `alpha` is for rule 2 and half for this rule.
 *
 * 4. Without a promotion, the champion that is left after rule 1 stays.
 *
 * The champion is a recipe, not one fit of it: a later fit on more candles is champion too.
 *
 * @param baselineTerms Brier terms of the class frequencies, in order of time; `challengers` holds those of each recipe
 * @param lastStretches number of terms in the last twelve weeks and in the last twelve months; a period with fewer than
 *   {@link MIN_STRETCH} terms is not tested
 * @param pooled evidence by recipe over all slots of the timeframe, this one included, and the number of timeframes
 *   that are trained
 */
export function chooseChampion(input: {
  current: Champion;
  baselineTerms: Float64Array;
  challengers: ReadonlyMap<Recipe, Float64Array>;
  lastStretches: readonly number[];
  slots: number;
  pooled?: PooledEvidence | undefined;
  rule?: ChampionRule;
}): ChampionDecision {
  const { baselineTerms, challengers, slots, pooled, rule = CHAMPION_RULE } = input;
  if (!(slots >= 1)) throw new RangeError("at least one slot is trained");
  const challenges = Math.max(1, challengers.size) * (pooled === undefined ? 1 : 2);
  const level = rule.alpha / (challenges * slots);
  const stretches = input.lastStretches.filter((last) => last >= MIN_STRETCH);
  const comparisons: ChampionDecision["comparisons"] = [];
  const termsOf = (champion: Champion) =>
    champion === "baseline" ? baselineTerms : (challengers.get(champion) ?? baselineTerms);
  const compare = (challenger: Champion, against: Champion, last = baselineTerms.length) => {
    const [worse, better] = [termsOf(against).slice(-last), termsOf(challenger).slice(-last)];
    const test = neweyWestMeanTest(difference(worse, better), rule.lags);
    if (test !== null) comparisons.push({ challenger, against, test });
    return test;
  };
  const isBetter = (challenger: Champion, against: Champion, at = level) => {
    const test = compare(challenger, against);
    return test !== null && test.t > alwaysValidBoundary(test.n, at, TUNED_FOR);
  };
  const wasWorse = (champion: Champion) =>
    stretches.some((last) => {
      const test = compare("baseline", champion, last);
      return test !== null && test.t > fixedBandwidthQuantile(rule.lags / test.n);
    });
  const isNoWorse = (champion: Champion) =>
    stretches.every((last) => mean(termsOf(champion).slice(-last)) <= mean(baselineTerms.slice(-last)));

  const atLevel = `at a significance level of ${Number(level.toPrecision(2))} over all trainings`;
  let current: Champion = input.current;
  let change: ChampionDecision["change"] = "kept";
  let reason = `${current} stays: nothing is significantly better, ${atLevel}`;
  if (current !== "baseline" && (!challengers.has(current) || wasWorse(current))) {
    reason = challengers.has(current)
      ? `${current} was worse than the class frequencies over the last twelve weeks or months, by a test that errs in 5 % of trainings`
      : `${current} is no longer trained`;
    current = "baseline";
    change = "demoted";
  }

  const inOrder = [...challengers.keys()].sort((a, b) => mean(termsOf(a)) - mean(termsOf(b)));
  for (const challenger of inOrder) {
    if (challenger === input.current) continue;
    if (!isBetter(challenger, current)) continue;
    if (current !== "baseline" && !isBetter(challenger, "baseline")) continue;
    if (!isNoWorse(challenger)) continue;
    reason = `${challenger} is better than ${current} out of sample, ${atLevel}`;
    return { champion: challenger, change: "promoted", level, comparisons, reason };
  }
  const [shared] = [...(pooled?.byRecipe ?? [])]
    .filter(([recipe]) => challengers.has(recipe))
    .toSorted(([, a], [, b]) => b.t - a.t);
  if (current === "baseline" && pooled !== undefined && shared !== undefined) {
    const [recipe, test] = shared;
    const needed = alwaysValidBoundary(
      test.n,
      rule.alpha / (challenges * pooled.timeframes),
      TUNED_FOR_WEEKS,
    );
    if (
      recipe !== input.current &&
      test.t > needed &&
      isBetter(recipe, "baseline", rule.alpha) &&
      isNoWorse(recipe)
    ) {
      reason = `${recipe} is better than ${current} out of sample, here and over all slots of the timeframe (t ${test.t.toFixed(1)})`;
      return { champion: recipe, change: "promoted", level, comparisons, reason };
    }
  }
  return { champion: current, change, level, comparisons, reason };
}

/**
 * The 97.5 % quantile of a t statistic with a Newey-West error whose lags are a share of the values. The
 * normal quantile ignores that the error is estimated: with 48 lags of 360 values it rejects twice as often.
 *
 * @param share lags / n, up to 0.3
 * @see Kiefer and Vogelsang, Econometric Theory 21 (2005), table 1, Bartlett kernel
 */
function fixedBandwidthQuantile(share: number): number {
  return 1.96 + 2.9694 * share + 0.416 * share ** 2 - 0.5324 * share ** 3;
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - elementOrNaN(b, i));
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
}
