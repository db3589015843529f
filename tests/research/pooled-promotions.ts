import { type Champion, chooseChampion } from "@/lib/engine/champion";
import { elementOrNaN } from "@/lib/engine/column";
import type { Recipe } from "@/lib/engine/models/recipes";
import { testPooledBrierGains, type WeeklyBrierGains } from "@/lib/engine/pooled-evidence";
import { uniformSource } from "@/lib/engine/random";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { normalSource } from "@/tests/lib/engine/normal-source";

/** H4 candles in a week, and in the horizon. */
const WEEK = 30;
const HORIZON = 12;
/** Share of the variance of gains that slots have in common: their weeks correlate by 0.1 to 0.3 on real H4. */
const COMMON = 0.2;
const RECIPES = ["logistic", "trees", "blend", "pooled"] as const satisfies readonly Recipe[];
/** Share of the variance that a slot's recipes have in common. */
const ALIKE = 0.9;
const YEARS = 10;
const CANDLES = YEARS * 52 * WEEK;
/** Weeks between two trainings: more frequent ones change little in ten years. */
const EVERY = 26;
const NOISE = 0.1;
const BASELINE = 0.66;

/** Simulated gains over the class frequencies of an H4 slot. */
interface DrawnSlot {
  baseline: Float64Array;
  /** Gains of the first recipe, by candle. */
  gains: Float64Array;
  byRecipe: Map<Recipe, Float64Array>;
  evidence: WeeklyBrierGains;
}

/** Standard normal noise, correlated within a horizon. */
function overlapping(n: number, uniform: () => number): Float64Array {
  const draws = Float64Array.from({ length: n + HORIZON }, normalSource(uniform));
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < HORIZON; k++) sum += elementOrNaN(draws, i + k);
    return sum / Math.sqrt(HORIZON);
  });
}

/** Slots of a timeframe whose recipes beat the class frequencies by `advantages` standard deviations per candle. */
export function drawTimeframeSlots({
  seed,
  advantages,
}: {
  seed: number;
  advantages: readonly number[];
}): DrawnSlot[] {
  const n = CANDLES;
  const uniform = uniformSource(seed + 1);
  const common = overlapping(n, uniform);
  return advantages.map((advantage) => {
    const own = overlapping(n, uniform);
    const byRecipe = new Map<Recipe, Float64Array>(
      RECIPES.map((recipe) => {
        const ofRecipe = overlapping(n, uniform);
        return [
          recipe,
          common.map((shared, i) => {
            const ofSlot =
              Math.sqrt(ALIKE) * elementOrNaN(own, i) + Math.sqrt(1 - ALIKE) * elementOrNaN(ofRecipe, i);
            return NOISE * (advantage + Math.sqrt(COMMON) * shared + Math.sqrt(1 - COMMON) * ofSlot);
          }),
        ];
      }),
    );
    return {
      baseline: new Float64Array(n).fill(BASELINE),
      gains: byRecipe.get("logistic") ?? new Float64Array(n),
      byRecipe,
      evidence: {
        firstWeek: 0,
        byRecipe: Object.fromEntries([...byRecipe].map(([name, gains]) => [name, weekly(gains)])),
      },
    };
  });
}

function weekly(gains: Float64Array): number[] {
  return Array.from({ length: Math.floor(gains.length / WEEK) }, (_, week) =>
    gains.subarray(week * WEEK, (week + 1) * WEEK).reduce((a, b) => a + b, 0),
  );
}

/** The week of each slot's first promotion in ten years of trainings; null for never. */
export function firstPromotionWeeks({
  seed,
  advantages,
  isPooled,
  every = EVERY,
}: {
  seed: number;
  advantages: readonly number[];
  isPooled: boolean;
  /** Weeks between two trainings. */
  every?: number;
}): (number | null)[] {
  const slots = drawTimeframeSlots({ seed, advantages });
  const promoted: (number | null)[] = slots.map(() => null);
  for (let week = every; week <= CANDLES / WEEK; week += every) {
    const end = week * WEEK;
    const upTo = ({ evidence }: DrawnSlot): WeeklyBrierGains => ({
      firstWeek: 0,
      byRecipe: Object.fromEntries(
        RECIPES.map((name) => [name, evidence.byRecipe[name]?.slice(0, week) ?? []]),
      ),
    });
    const byRecipe = isPooled ? testPooledBrierGains(slots.map(upTo)) : null;
    for (const [k, { baseline, byRecipe: gainsOf }] of slots.entries()) {
      if (promoted[k] !== null) continue;
      const { change } = chooseChampion({
        current: "baseline" satisfies Champion,
        baselineTerms: baseline.subarray(0, end),
        challengers: new Map(
          [...gainsOf].map(([name, gains]) => [name, gains.subarray(0, end).map((gain) => BASELINE - gain)]),
        ),
        lastStretches: [12 * WEEK, 52 * WEEK],
        // As many H1 slots are trained with them.
        slots: 2 * slots.length,
        pooled: byRecipe === null ? undefined : { byRecipe, timeframes: 2 },
      });
      if (change === "promoted") promoted[k] = week;
    }
  }
  return promoted;
}

/**
 * Advantages of the recipes of four slots: 0.12 gives a t of about 4.3 after ten years, as on FX H4; 0.08 one of 2.9.
 */
const CASES: readonly { name: string; advantages: readonly number[] }[] = [
  { name: "no slot has skill", advantages: [0, 0, 0, 0] },
  { name: "all but the first have skill", advantages: [0, 0.12, 0.12, 0.12] },
  { name: "only the first has skill", advantages: [0.12, 0, 0, 0] },
  { name: "all have skill", advantages: [0.12, 0.12, 0.12, 0.12] },
  { name: "all have little skill", advantages: [0.08, 0.08, 0.08, 0.08] },
];

/**
 * Prints false promotions of a model without an edge, and time to promotion of one with an edge, with and without the
 * pool.
 */
export function runPooledPromotions(runs: number, print: (line: string) => void): void {
  for (const { name, advantages } of CASES) {
    for (const isPooled of [false, true]) {
      const weeks = Array.from({ length: runs }, (_, seed) =>
        firstPromotionWeeks({ seed, advantages, isPooled }),
      );
      const first = weeks.map((slots) => slots[0] ?? null);
      const found = first.filter((week) => week !== null).toSorted((a, b) => a - b);
      const any = weeks.filter((slots) => slots.some((week) => week !== null)).length;
      const median = found[Math.floor(runs / 2)];
      print(
        `${name}, ${isPooled ? "pooled" : "slot by slot"}: the first slot is promoted within ${YEARS} years in ` +
          `${share(found.length, runs)}, half by year ${median === undefined ? "none" : (median / 52).toFixed(1)}; ` +
          `any slot in ${share(any, runs)}`,
      );
    }
  }
}

function share(k: number, n: number): string {
  const [low, high] = wilsonInterval(k / n, n).map((end) => (100 * end).toFixed(1));
  return `${k} of ${n} (${((100 * k) / n).toFixed(1)} %, 95 %: ${low} to ${high})`;
}
