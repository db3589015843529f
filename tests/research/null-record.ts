import { wilderAtr } from "@/lib/engine/atr";
import { classOfSignal } from "@/lib/engine/classes";
import { elementOrNaN } from "@/lib/engine/column";
import type { CostRule } from "@/lib/engine/costs";
import { OUTCOME_RULE, outcomeAtDistance } from "@/lib/engine/outcome";
import { uniformSource } from "@/lib/engine/random";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { evidenceNeeded, evidenceOfSlot, headlineOf } from "@/lib/signals/record/figures";
import { toMicro } from "@/lib/signals/record/fixed-point";
import { initialScoringState, noIndependentEnds, scoreNextSignal } from "@/lib/signals/record/score";
import { DAY_MS, HOUR_MS, SECOND_MS } from "@/lib/time";
import { simulateWalk, WALK_KINDS, type WalkKind } from "./simulated-walk";

/** Numbers of candles: for the class frequencies, and of the record after them, a year of hours. */
const TRAINING_CANDLES = 2_000;
const CANDLES = 8_760;
/** Follows the last half day's move: a direction at every candle, unlike an honest model. */
const MOMENTUM_CANDLES = 12;
/** Without costs, so that only the missing edge prevents a claim. */
const FREE: CostRule = { kind: "absolute", value: 0 };

/** Maximum deviation from the frequencies. */
const NOISE = 0.05;
const noise = (uniform: () => number) => NOISE * (2 * uniform() - 1);

/**
 * Whether the record's headline ever claims skill of a model without any, checked every day of a year. The walk has
 * no directional edge. Its volatility has a rhythm, so good probabilities are possible on it; this model's are the
 * class frequencies of the candles before the record, which the record does not know, with uninformative noise.
 */
export function headlineEverClaimsSkill(kind: WalkKind, seed: number): boolean {
  const candles = simulateWalk(kind, TRAINING_CANDLES + CANDLES, seed);
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const uniform = uniformSource(seed);
  const [busy, history] = [noIndependentEnds(), initialScoringState()];
  const counts = [0, 0, 0];
  const days = new Map<number, { betR: number; evidence: number }>();
  for (let i = MOMENTUM_CANDLES; i < candles.ts.length; i++) {
    const outcome = outcomeAtDistance({
      candles,
      index: i,
      distance: OUTCOME_RULE.atrMultiple * elementOrNaN(atr, i),
      expectedRr: 1,
      cost: FREE,
      rule: OUTCOME_RULE,
    });
    if (outcome === null || outcome === "no_history") continue;
    const label = classOfSignal(outcome.label);
    if (i < TRAINING_CANDLES) {
      counts[label] = (counts[label] ?? 0) + 1;
      continue;
    }
    const n = counts.reduce((sum, count) => sum + count, 0);
    const frequencies = counts.map((count) => count / n);
    const [buy, sell] = [noise(uniform), noise(uniform)];
    const closesMs = elementOrNaN(candles.ts, i) + HOUR_MS;
    const { forecast } = scoreNextSignal(
      {
        symbol: "WALK",
        timeframe: "H1",
        ts: new Date(elementOrNaN(candles.ts, i)),
        modelV: `${kind}-${seed}`,
        signal:
          elementOrNaN(candles.close, i) >= elementOrNaN(candles.close, i - MOMENTUM_CANDLES)
            ? "BUY"
            : "SELL",
        probs: [
          (frequencies[0] ?? 0) + buy,
          (frequencies[1] ?? 0) + sell,
          (frequencies[2] ?? 0) - buy - sell,
        ],
        label: outcome.label,
        buyR: toMicro(outcome.buy.netR),
        sellR: toMicro(outcome.sell.netR),
        costR: 0,
        hasOwnLevels: false,
        closesS: closesMs / SECOND_MS,
        horizonEndS: (closesMs + OUTCOME_RULE.horizonCandles * HOUR_MS) / SECOND_MS,
      },
      busy,
      history,
    );
    const day = Math.floor(closesMs / DAY_MS);
    const held = days.get(day) ?? { betR: 0, evidence: 0 };
    held.betR += forecast.betR;
    held.evidence += forecast.evidence;
    days.set(day, held);
  }
  return isEverClaimed([...days.values()]);
}

/** Whether the headline claims skill at the end of any day. */
function isEverClaimed(days: { betR: number; evidence: number }[]): boolean {
  const needed = evidenceNeeded(1);
  const [betR, evidence] = (["betR", "evidence"] as const).map((name) =>
    Float64Array.from(days, (day) => day[name]),
  ) as [Float64Array, Float64Array];
  for (let upTo = 1; upTo <= days.length; upTo++) {
    const found = evidenceOfSlot(
      { betR: betR.subarray(0, upTo), evidence: evidence.subarray(0, upTo) },
      "H1",
    );
    const judged = {
      n: upTo * 24,
      nFollowed: upTo * 24,
      direction: { shown: found.direction >= needed },
      probability: { shown: found.probability >= needed },
    };
    const headline = headlineOf([judged], judged);
    if (headline.n_direction + headline.n_probability > 0) return true;
  }
  return false;
}

/** Runs `walks` walks, half of each kind, and prints and returns in how many the headline ever claimed skill. */
export function runNullRecords(walks: number, print: (line: string) => void): number {
  let claimed = 0;
  for (let i = 0; i < walks; i++) {
    const kind = WALK_KINDS[i % WALK_KINDS.length] ?? "clustered";
    if (!headlineEverClaimsSkill(kind, i + 1)) continue;
    claimed++;
    print(`${kind} ${i + 1}: the record claimed skill`);
  }
  const [low, high] = wilsonInterval(claimed / walks, walks).map((share) => (100 * share).toFixed(1));
  print(
    `On ${claimed} of ${walks} walks without an edge the record claimed skill on any day of a year ` +
      `(${((100 * claimed) / walks).toFixed(1)} %, 95 %: ${low} to ${high})`,
  );
  return claimed;
}
