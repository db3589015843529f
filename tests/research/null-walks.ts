import { elementOrNaN } from "@/lib/engine/column";
import { FollowingEvidence } from "@/lib/engine/following-evidence";
import { FIT_SETTINGS, type FitSettings } from "@/lib/engine/models/fit-settings";
import { fitSignalModels } from "@/lib/engine/models/fit-signal-models";
import { predictSignalModel } from "@/lib/engine/models/signal-model";
import { rowsWithKnownClass } from "@/lib/engine/models/training-rows";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { makeSlotSample } from "@/lib/engine/train";
import { WALK_FORWARD_SETTINGS } from "@/lib/engine/walk-forward";
import { simulateWalk, WALK_KINDS, type WalkKind } from "./simulated-walk";

const WEEK_CANDLES = 120;
const WEEKS = 156;
/** Weeks between two fits: fits take most of the time, and a week adds little data. */
const WEEKS_PER_FIT = 26;
const FIRST_TRAINING_CANDLES = 4800;
/** The direction part of this recipe is the same in all others but softmax. */
const RECIPE = "logistic";
/** Always learns a direction, so that there is one to follow; fewer rows make it fast and noisy. */
const FIT: FitSettings = {
  ...FIT_SETTINGS,
  maxRows: 3000,
  moveStrengths: [0.003],
  directionStrengths: [0.0003, 0.001],
};

/** Three years of weekly refreshes on one driftless walk: the number of weeks with directions. */
export function weeksWithDirections(kind: WalkKind, seed: number): number {
  const n = FIRST_TRAINING_CANDLES + WEEKS * WEEK_CANDLES + OUTCOME_RULE.horizonCandles;
  const sample = makeSlotSample(simulateWalk(kind, n, seed), 60, { kind: "absolute", value: 0 });
  const { table, labels, results } = sample;
  const evidence = new FollowingEvidence(results, WALK_FORWARD_SETTINGS.poolCandles);
  let weeks = 0;
  for (let week = 0; week < WEEKS; week += WEEKS_PER_FIT) {
    const start = FIRST_TRAINING_CANDLES + week * WEEK_CANDLES;
    const { models } = fitSignalModels({
      table,
      labels,
      firstIndex: table.firstIndex,
      endIndex: start - FIT.purgeCandles,
      recipes: [RECIPE],
      settings: FIT,
    });
    const model = models.get(RECIPE);
    if (model === undefined) throw new Error(`${RECIPE} was not fitted`);
    for (let k = 0; k < WEEKS_PER_FIT; k++) {
      const from = start + k * WEEK_CANDLES;
      const rows = rowsWithKnownClass(labels, from, from + WEEK_CANDLES);
      const probs = predictSignalModel(model, table, rows);
      for (const [i, row] of rows.entries())
        evidence.add(row, elementOrNaN(probs, 3 * i), elementOrNaN(probs, 3 * i + 1));
      if (evidence.policy().mayFollow) weeks++;
    }
  }
  return weeks;
}

/** Runs `walks` walks of each kind and prints in how many a direction was ever given. */
export function runNullWalks(walks: number, print: (line: string) => void): void {
  for (const kind of WALK_KINDS) {
    let ever = 0;
    for (let seed = 1; seed <= walks; seed++) {
      const weeks = weeksWithDirections(kind, seed);
      if (weeks > 0) {
        ever++;
        print(`${kind} ${seed}: directions in ${weeks} of ${WEEKS} weeks`);
      }
    }
    const [low, high] = wilsonInterval(ever / walks, walks).map((share) => (100 * share).toFixed(1));
    print(
      `${kind}: ${ever} of ${walks} walks without an edge ever gave a direction in ${WEEKS} weekly refreshes ` +
        `(${((100 * ever) / walks).toFixed(1)} %, 95 %: ${low} to ${high})`,
    );
  }
}
