import { describe, expect, it } from "vitest";
import { applyAnchoredCalibration } from "@/lib/engine/calibration/anchored";
import { DailyCalibration } from "@/lib/engine/calibration/daily";
import { UNCALIBRATED_STATE } from "@/lib/engine/calibration/online";
import { makeFeatures } from "@/lib/engine/features";
import { fitSignalModels } from "@/lib/engine/models/fit-signal-models";
import { predictSignalModel } from "@/lib/engine/models/signal-model";
import { labelCandles } from "@/lib/engine/outcome";
import { makeSlotSample, trainAndSelectChampion } from "@/lib/engine/train";
import {
  forecastSignals,
  requiredCandles,
  type TrainedModel,
  type TrainedModelFormat1,
  upgradeTrainedModel,
} from "@/lib/engine/trained-model";
import { walkForward } from "@/lib/engine/walk-forward";
import { sliceCandles } from "@/lib/market/candles";
import { SMALL_WALK_FORWARD } from "./small-settings";
import { garbleCandlesAfter, randomWalk } from "./synthetic";

const COST = { kind: "fraction", value: 0.0001 } as const;
const candles = randomWalk({ n: 5000, seed: 41 });
const training = trainAndSelectChampion({
  sample: makeSlotSample(candles, 60, COST),
  timeframeMinutes: 60,
  current: "baseline",
  slots: 1,
  settings: SMALL_WALK_FORWARD,
});

/** A fresh calibration, which does not change the model's forecasts. */
const asTheyAre = (series: typeof candles) =>
  new DailyCalibration(
    { ts: series.ts, closesMs: series.ts, labels: new Int8Array(series.ts.length).fill(-1) },
    {
      dayMs: Number.NEGATIVE_INFINITY,
      state: { ...UNCALIBRATED_STATE },
      learntToMs: Number.NEGATIVE_INFINITY,
    },
  );

/** Figures of the training on this walk. They change only if the method changes: update them in the same commit. */
const GOLDEN = { n: 2414, brier: "0.614785", baseline: "0.642078" };

function trained(): TrainedModel {
  if (training.trained === null) throw new Error("this walk's rhythm is learnt");
  return training.trained;
}

describe("trainAndSelectChampion", () => {
  it("trainAndSelectChampion promotes a model of a driftless market with a daily rhythm, and claims no direction", () => {
    expect(training.decision.change).toBe("promoted");
    const evaluation = training.evaluations.get("blend")!;
    expect(evaluation.skillPct).toBeGreaterThan(1);
    expect(evaluation.skillTest!.pAboveZero).toBeLessThan(0.01);
    const [low, high] = evaluation.aucDirection!.interval;
    expect(low).toBeLessThan(0.53);
    expect(high).toBeGreaterThan(0.47);
    expect(trained().policy.mayFollow).toBe(false);
  });

  it("trainAndSelectChampion gives the stored Brier scores of the reference run", () => {
    const { brier, brierBaseline, n } = training.evaluations.get("blend")!;
    expect({ n, brier: brier.toFixed(6), baseline: brierBaseline.toFixed(6) }).toEqual(GOLDEN);
  });

  it("trainAndSelectChampion gives the same bytes for the same candles, with pauses and after a JSON round trip", () => {
    let breaths = 0;
    const again = trainAndSelectChampion({
      sample: makeSlotSample(structuredClone(candles), 60, COST),
      timeframeMinutes: 60,
      current: "baseline",
      slots: 1,
      settings: SMALL_WALK_FORWARD,
      breathe: () => {
        breaths++;
      },
    });
    expect(breaths).toBeGreaterThan(1000);
    const bytes = JSON.stringify(trained());
    expect(JSON.stringify(again.trained)).toBe(bytes);
    expect(JSON.stringify(JSON.parse(bytes))).toBe(bytes);
  }, 120_000);

  it("walkForward's forecasts and policies do not change when later candles change", () => {
    const cut = 4300;
    const [honest, garbled] = [candles, garbleCandlesAfter(candles, cut, 7)].map((series) =>
      walkForward({
        ...makeSlotSample(series, 60, COST),
        settings: { ...SMALL_WALK_FORWARD, recipes: ["logistic", "blend"] },
      }),
    );
    // The parts of a walk-forward depend on the number of candles, not on their values.
    const known = honest!.rows.filter((row) => row <= cut).length;
    expect(known).toBeGreaterThan(1000);
    for (const [k, record] of honest!.records.entries()) {
      const other = garbled!.records[k]!;
      expect(other.recipe).toBe(record.recipe);
      expect(other.calibrated.subarray(0, 3 * known)).toEqual(record.calibrated.subarray(0, 3 * known));
      expect([...other.policyOf.subarray(0, known)].map((p) => other.policies[p])).toEqual(
        [...record.policyOf.subarray(0, known)].map((p) => record.policies[p]),
      );
    }
  }, 120_000);
});

describe("forecastSignals", () => {
  it("a signal forecast from only the required last candles equals one from the whole series", () => {
    const whole = forecastSignals({
      trained: trained(),
      candles,
      fromIndex: 4990,
      toIndex: 5000,
      cost: COST,
      daily: asTheyAre(candles),
    });
    const history = requiredCandles(trained());
    const tail = sliceCandles(candles, 5000 - history);
    const live = forecastSignals({
      trained: trained(),
      candles: tail,
      fromIndex: history - 1,
      toIndex: history,
      cost: COST,
      daily: asTheyAre(tail),
    });
    expect(whole.drafts).toHaveLength(10);
    const { index: _whole, ...expected } = whole.drafts[9]!;
    const { index: _live, ...signal } = live.drafts[0]!;
    expect(signal).toEqual(expected);
    expect(live.rawNo[0]).toBe(whole.rawNo[9]);
    expect(Object.keys(live.features[0]!)).toContain("rsi_14");
  });

  it("a forecast's features and signals do not change when candles after theirs change", () => {
    for (const cut of [700, 2210, 4444]) {
      const of = (series: typeof candles) =>
        forecastSignals({
          trained: trained(),
          candles: series,
          fromIndex: cut - 3,
          toIndex: cut + 1,
          cost: COST,
          daily: asTheyAre(series),
        });
      expect(of(garbleCandlesAfter(candles, cut, cut))).toEqual(of(candles));
    }
  });

  it("a candle without enough history gets no signal", () => {
    const short = sliceCandles(candles, 0, 500);
    const forecast = forecastSignals({
      trained: trained(),
      candles: short,
      fromIndex: 0,
      toIndex: 500,
      cost: COST,
      daily: asTheyAre(short),
    });
    expect(forecast.drafts).toEqual([]);
  });

  it("the more probable direction is given at zero cost when the policy allows directions", () => {
    const free = { ...trained(), policy: { ...trained().policy, mayFollow: true, expectedRr: 1.5 } };
    const { drafts } = forecastSignals({
      trained: free,
      candles,
      fromIndex: 3000,
      toIndex: 5000,
      cost: { kind: "absolute", value: 0 },
      daily: asTheyAre(candles),
    });
    for (const draft of drafts) {
      const edge = draft.probBuy - draft.probSell;
      if (Math.abs(edge) < 2e-6) continue;
      expect(draft.signal).toBe(edge > 0 ? "BUY" : "SELL");
      expect(draft.expectedRr).toBe(1.5);
    }
  });

  it("models of the earlier format, with 33 features and a fixed calibration, still give signals", () => {
    const table = makeFeatures(candles, 60, 1);
    expect(table.definitions).toHaveLength(33);
    const { models } = fitSignalModels({
      table,
      labels: labelCandles(candles).label,
      firstIndex: table.firstIndex,
      endIndex: 4800,
      recipes: ["logistic"],
      settings: SMALL_WALK_FORWARD.fit,
    });
    const { features: _features, calibratedToMs: _to, ...rest } = trained();
    const stored: TrainedModelFormat1 = {
      ...rest,
      format: 1,
      model: models.get("logistic")!,
      calibration: { target: [0.3, 0.3, 0.4], source: [0.25, 0.25, 0.5], s: 0.9 },
    };
    const former = upgradeTrainedModel(structuredClone(stored));
    expect(requiredCandles(former)).toBe(650);
    const { drafts, features } = forecastSignals({
      trained: former,
      candles: sliceCandles(candles, 5000 - 650),
      fromIndex: 649,
      toIndex: 650,
      cost: COST,
      daily: asTheyAre(candles),
    });
    const raw = predictSignalModel(stored.model, table, [4999]);
    const expected = applyAnchoredCalibration(stored.calibration, raw);
    expect(Object.keys(features[0]!)).toHaveLength(33);
    expect(drafts[0]!.probNo).toBeCloseTo(expected[2]!, 5);
    expect(drafts[0]!.probBuy).toBeCloseTo(expected[0]!, 5);
  });
});
