import { chooseChampion } from "@/lib/engine/champion";
import { elementOrNaN } from "@/lib/engine/column";
import { makeFeatures } from "@/lib/engine/features";
import { uniformSource } from "@/lib/engine/random";
import { driftLimits } from "@/lib/engine/scores/drift-limits";
import {
  binCounts,
  featureStatistics,
  populationStabilityIndex,
} from "@/lib/engine/scores/population-stability";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { featureStatus } from "@/lib/models/record-feature-drift";
import { slotCalibrationOf } from "@/lib/signals/quality/slot-calibration";
import { normalSource } from "@/tests/lib/engine/normal-source";
import { perfectForecasts } from "./perfect-forecasts";
import { simulateWalk, WALK_KINDS } from "./simulated-walk";

/** Candles in 90 days, and in the week for which a model version is used. */
const WINDOWS = [
  { name: "D1", n: 90, perModel: 7 },
  { name: "H4", n: 540, perModel: 42 },
  { name: "H1", n: 1540, perModel: 120 },
] as const;
const TRAINING_CANDLES = 20_000;
/** Number of values in each window in which a feature is checked for drift. */
const SAMPLE = 500;
const LATER_WINDOWS = 12;
/** Number of hourly candles in a week, and in the year before a champion turns bad. */
const WEEK = 120;
const BEFORE = 6240;

/** Prints how often good quality is flagged, and how often a champion that turned bad is demoted within 12 weeks. */
export function runDriftFigures(runs: number, print: (line: string) => void): void {
  const perfect = perfectForecasts();
  for (const { name, n, perModel } of WINDOWS) {
    let drifting = 0;
    for (let k = 0; k < runs; k++) {
      if (slotCalibrationOf(perfect(n, perModel, 1000 + k), 10).status === "drifting") drifting++;
    }
    print(`${name}: perfect forecasts flagged as drifting in ${share(drifting, runs)} windows of 90 days`);
  }
  let ever = 0;
  for (let k = 0; k < runs; k++) if (driftsWithinAYear(perfect, 1000 + k)) ever++;
  print(`H4: perfect forecasts ever flagged in weekly checks of a year in ${share(ever, runs)}`);
  for (const kind of WALK_KINDS) {
    let [drifted, compared] = [0, 0];
    for (let seed = 1; seed <= Math.max(1, Math.round(runs / 40)); seed++) {
      const found = driftedFeatures(kind, seed);
      drifted += found.drifted;
      compared += found.compared;
    }
    print(
      `features on ${kind} walks, ${TRAINING_CANDLES} training candles without a change: flagged in ${share(drifted, compared)} later windows of ${SAMPLE}`,
    );
  }
  let demoted = 0;
  for (let k = 0; k < runs; k++) if (isDemotedInTime(k)) demoted++;
  print(
    `champions whose hourly skill turns into equal harm: demoted within 12 weeks in ${share(demoted, runs)}`,
  );
}

function share(k: number, n: number): string {
  const [low, high] = wilsonInterval(k / n, n).map((end) => (100 * end).toFixed(1));
  return `${k} of ${n} (${((100 * k) / n).toFixed(1)} %, 95 %: ${low} to ${high})`;
}

/** Whether any of 52 weekly checks flags a slot on H4 whose forecasts are the true probabilities. */
function driftsWithinAYear(perfect: ReturnType<typeof perfectForecasts>, seed: number): boolean {
  const { n, perModel } = WINDOWS[1];
  const [model] = perfect(n + 52 * perModel, n + 52 * perModel, seed);
  return Array.from({ length: 52 }, (_, week) => {
    const [from, to] = [week * perModel, week * perModel + n];
    const window = {
      ...model,
      probs: model.probs.slice(3 * from, 3 * to),
      labels: model.labels.slice(from, to),
      closesS: model.closesS.slice(from, to),
      ids: model.ids.slice(from, to),
    };
    return slotCalibrationOf([window], 10).status === "drifting";
  }).includes(true);
}

/** Counts how often the features of a stationary walk are flagged as drifted in windows after the training sample. */
function driftedFeatures(kind: (typeof WALK_KINDS)[number], seed: number) {
  const n = TRAINING_CANDLES + LATER_WINDOWS * SAMPLE;
  const { definitions, matrix, firstIndex } = makeFeatures(simulateWalk(kind, n, seed), 60);
  let [drifted, compared] = [0, 0];
  for (const j of definitions.keys()) {
    const values = (from: number, to: number) =>
      Float64Array.from({ length: to - from }, (_, i) =>
        elementOrNaN(matrix.values, (from + i) * matrix.columns + j),
      );
    const sample = values(firstIndex, TRAINING_CANDLES);
    const statistics = featureStatistics(sample);
    const limits = driftLimits(sample, statistics).at(-1);
    for (let from = TRAINING_CANDLES; from < n; from += SAMPLE) {
      const known = values(from, from + SAMPLE).filter((value) => !Number.isNaN(value));
      if (known.length < SAMPLE) continue;
      const psi = populationStabilityIndex(statistics.shares, binCounts(statistics.edges, known));
      compared++;
      const status = featureStatus({
        psi,
        watchAbove: limits?.watch ?? null,
        driftedAbove: limits?.drifted ?? null,
      });
      if (status === "drifted") drifted++;
    }
  }
  return { drifted, compared };
}

/** Whether a champion is demoted within 12 weeks after its advantage turns into an equal disadvantage. */
function isDemotedInTime(run: number): boolean {
  const whole = Float64Array.from([
    ...terms(0.0576, 20_000 + run, BEFORE),
    ...terms(-0.0576, 30_000 + run, 12 * WEEK),
  ]);
  return Array.from({ length: 12 }, (_, week) => BEFORE + WEEK * (week + 1)).some((end) => {
    const { change } = chooseChampion({
      current: "blend",
      baselineTerms: new Float64Array(end).fill(0.66),
      challengers: new Map([["blend", whole.slice(0, end)]]),
      lastStretches: [12 * WEEK, 52 * WEEK],
      slots: 8,
    });
    return change === "demoted";
  });
}

/** Brier terms, lowered by an advantage, with noise like that of overlapping horizons. */
function terms(advantage: number, seed: number, n: number): Float64Array {
  const noise = Array.from({ length: n + 12 }, normalSource(uniformSource(seed)));
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < 12; k++) sum += noise[i + k] ?? 0;
    return 0.66 - advantage + (0.1 * sum) / Math.sqrt(12);
  });
}
