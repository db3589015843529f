import { calibrateDaily } from "@/lib/engine/calibration/daily";
import { ONLINE_SETTINGS, type OnlineSettings } from "@/lib/engine/calibration/online";
import { elementOrNaN } from "@/lib/engine/column";
import { FIT_SETTINGS, type FitSettings } from "@/lib/engine/models/fit-settings";
import { fitSignalModels } from "@/lib/engine/models/fit-signal-models";
import { predictSignalModel } from "@/lib/engine/models/signal-model";
import { rowsWithKnownClass } from "@/lib/engine/models/training-rows";
import { brierTerms } from "@/lib/engine/scores/brier";
import { makeSlotSample } from "@/lib/engine/train";
import { simulateWalk, WALK_KINDS, type WalkKind, type WalkOptions } from "./simulated-walk";

const TRAINING_CANDLES = 8_000;
/** About two years of hours without pauses. */
const CANDLES = 16_000;
const RECIPE = "logistic";
const FIT: FitSettings = { ...FIT_SETTINGS, maxRows: 3000, moveStrengths: [0.003], directionStrengths: [0] };

/** Ridge penalties that suppress time-of-day and weekend effects. */
const WITHOUT_CLOCK: OnlineSettings = { ...ONLINE_SETTINGS, ridges: [100, 100, 1e12, 1e12, 1e12] };

/** Brier skill gained by the clock weights on a walk, compared with the same calibration without them. */
function gainOnWalk(kind: WalkKind, seed: number, options: WalkOptions): number {
  const minutes = 60 * (options.hours ?? 1);
  const candles = simulateWalk(kind, TRAINING_CANDLES + CANDLES, seed, options);
  const { table, labels } = makeSlotSample(candles, minutes, { kind: "absolute", value: 0 });
  const { models, classFrequencies } = fitSignalModels({
    table,
    labels,
    firstIndex: table.firstIndex,
    endIndex: TRAINING_CANDLES - FIT.purgeCandles,
    recipes: [RECIPE],
    settings: FIT,
  });
  const model = models.get(RECIPE);
  if (model === undefined) throw new Error(`${RECIPE} was not fitted`);
  const rows = rowsWithKnownClass(labels, TRAINING_CANDLES, candles.ts.length);
  const raw = predictSignalModel(model, table, rows);
  const ownLabels = Int8Array.from(rows, (row) => labels[row] ?? -1);
  const brier = (probs: Float64Array) =>
    brierTerms(probs, ownLabels).reduce((a, b) => a + b, 0) / ownLabels.length;
  const record = { rows, raw, labels, closesMs: table.closesMs };
  const [withClock = 0, without = 0] = [ONLINE_SETTINGS, WITHOUT_CLOCK].map((settings) =>
    brier(calibrateDaily(record, settings).calibrated),
  );
  const ofFrequencies = brier(Float64Array.from(raw, (_, i) => classFrequencies[i % 3] ?? 0));
  return (100 * (without - withClock)) / ofFrequencies;
}

const CASES: readonly { name: string; options: WalkOptions }[] = [
  { name: "H1 of all hours without rhythm", options: { hasRhythm: false } },
  { name: "H1 of all hours with a constant rhythm", options: {} },
  { name: "H1 of FX with a constant rhythm", options: { calendar: "fx" } },
  { name: "H4 of all hours without rhythm", options: { hours: 4, hasRhythm: false } },
];

/** Prints the cost of the clock weights when forecasts already know the hour, or there is no effect. */
export function runClockNull(walks: number, print: (line: string) => void): void {
  for (const { name, options } of CASES) {
    for (const kind of WALK_KINDS) {
      const gains = Float64Array.from({ length: walks }, (_, i) => gainOnWalk(kind, i + 1, options)).sort();
      const mean = gains.reduce((a, b) => a + b, 0) / walks;
      const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / Math.max(1, walks - 1);
      print(
        `${name}, ${kind}: the clock changes skill by ${mean.toFixed(3)} points on average ` +
          `(standard error ${Math.sqrt(variance / walks).toFixed(3)}, n ${walks} walks), ` +
          `from ${elementOrNaN(gains, 0).toFixed(3)} to ${elementOrNaN(gains, walks - 1).toFixed(3)}`,
      );
    }
  }
}
