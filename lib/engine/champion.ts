import { at } from "./column";
import type { Recipe } from "./models/recipes";
import { type MeanTest, neweyWestMeanTest } from "./scores/newey-west";

export interface ChampionRule {
  /** Chance, over all slots, challengers and retrainings, that a challenger without merit is promoted. */
  alpha: number;
  lags: number;
}

const CHAMPION_RULE: Readonly<ChampionRule> = { alpha: 0.05, lags: 48 };

/** What forecasts for a slot: a recipe, or the baseline where no recipe is better than the class frequencies. */
export type Champion = Recipe | "baseline";

export interface ChampionDecision {
  champion: Champion;
  /** What happened to the champion that the slot had before. */
  change: "kept" | "promoted" | "demoted";
  /** Significance level of each comparison, after all corrections. */
  level: number;
  comparisons: { challenger: Champion; against: Champion; test: MeanTest }[];
  reason: string;
}

/**
 * Significance level of one comparison: alpha x 6 / (pi k)^2 for the k-th retraining, which sums to alpha over all of
 * them, shared among challengers and slots (Bonferroni).
 *
 * @param retraining 1 for the first
 */
export function comparisonLevel(
  rule: ChampionRule,
  count: { challengers: number; slots: number; retraining: number },
): number {
  const { challengers, slots, retraining } = count;
  if (!(challengers >= 1 && slots >= 1 && retraining >= 1)) throw new RangeError("counts start at 1");
  return (rule.alpha * 6) / (Math.PI * retraining) ** 2 / (challengers * slots);
}

/**
 * Chooses a slot's champion from paired out-of-sample Brier terms on the same candles.
 *
 * 1. The present champion is demoted when it was significantly worse than the class frequencies over the last year.
 * 2. A challenger is promoted when it is significantly better than the champion and than the class frequencies; of
 *    several, the one of lowest Brier score.
 * 3. Otherwise all stays as it is: a slot where nothing beats the class frequencies keeps them.
 *
 * The champion is a recipe and not one fit of it: the model that the recipe fits on more candles is champion as well.
 *
 * @param baselineTerms Brier terms of the class frequencies, in order of time
 * @param lastYear how many of the last terms are the last twelve months
 */
export function chooseChampion(input: {
  current: Champion;
  baselineTerms: Float64Array;
  challengers: ReadonlyMap<Recipe, Float64Array>;
  lastYear: number;
  slots: number;
  retraining: number;
  rule?: ChampionRule;
}): ChampionDecision {
  const { baselineTerms, challengers, lastYear, slots, retraining, rule = CHAMPION_RULE } = input;
  const level = comparisonLevel(rule, { challengers: Math.max(1, challengers.size), slots, retraining });
  const comparisons: ChampionDecision["comparisons"] = [];
  const termsOf = (champion: Champion) =>
    champion === "baseline" ? baselineTerms : (challengers.get(champion) ?? baselineTerms);
  const isBetter = (challenger: Champion, against: Champion, last = baselineTerms.length) => {
    const [worse, better] = [termsOf(against).slice(-last), termsOf(challenger).slice(-last)];
    const test = neweyWestMeanTest(difference(worse, better), rule.lags);
    if (test === null) return false;
    comparisons.push({ challenger, against, test });
    return test.pAboveZero < level;
  };

  let current: Champion = input.current;
  let change: ChampionDecision["change"] = "kept";
  let reason = `${current} stays: nothing is significantly better at ${level.toExponential(1)}`;
  if (current !== "baseline" && (!challengers.has(current) || isBetter("baseline", current, lastYear))) {
    reason = `${current} was significantly worse than the class frequencies over the last twelve months`;
    current = "baseline";
    change = "demoted";
  }

  const inOrder = [...challengers.keys()].sort((a, b) => mean(termsOf(a)) - mean(termsOf(b)));
  for (const challenger of inOrder) {
    if (challenger === input.current) continue;
    if (!isBetter(challenger, current)) continue;
    if (current !== "baseline" && !isBetter(challenger, "baseline")) continue;
    if (isBetter("baseline", challenger, lastYear)) continue;
    reason = `${challenger} is better than ${current} out of sample, p below ${level.toExponential(1)}`;
    return { champion: challenger, change: "promoted", level, comparisons, reason };
  }
  return { champion: current, change, level, comparisons, reason };
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - at(b, i));
}

function mean(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
}
