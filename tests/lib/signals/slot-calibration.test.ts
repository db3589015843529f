import { beforeAll, describe, expect, it } from "vitest";
import type { ForecastColumns } from "@/db/queries/track-record";
import { wilderAtr } from "@/lib/engine/atr";
import { labelCandles, OUTCOME_RULE } from "@/lib/engine/outcome";
import { uniformSource } from "@/lib/engine/random";
import { tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import { calibrationOf } from "@/lib/signals/quality/calibration-of";
import { slotCalibrationOf } from "@/lib/signals/quality/slot-calibration";
import { normalSource } from "@/tests/lib/engine/synthetic";
import { seriesOf } from "@/tests/lib/engine/vectors";

const { horizonCandles, atrMultiple, atrPeriod } = OUTCOME_RULE;
const STEPS = 6;
const WARM_UP = 60;
/** Standard deviation of one candle of the walk, in price. */
const SIGMA = 0.1;

/** Candles of a walk with equal independent steps: what will happen depends on the barriers' distance alone. */
function walk(n: number, seed: number) {
  const normal = normalSource(uniformSource(seed));
  let price = 1000;
  const rows = Array.from({ length: n }, () => {
    const open = price;
    let [high, low] = [open, open];
    for (let k = 0; k < STEPS; k++) {
      price += (SIGMA * normal()) / Math.sqrt(STEPS);
      high = Math.max(high, price);
      low = Math.min(low, price);
    }
    return [open, high, low, price];
  });
  return seriesOf(rows);
}

/** Distances in standard deviations of a candle, and the true chance of NO_TRADE at each: the truth of this market. */
const DISTANCES = Array.from({ length: 24 }, (_, i) => 1.6 + 0.2 * i);
let quietAt: number[] = [];

beforeAll(() => {
  const normal = normalSource(uniformSource(77));
  const PATHS = 6000;
  const quiet = DISTANCES.map(() => 0);
  for (let path = 0; path < PATHS; path++) {
    let price = 0;
    const touches = DISTANCES.map(() => "none");
    for (let candle = 0; candle < horizonCandles; candle++) {
      let [high, low] = [price, price];
      for (let k = 0; k < STEPS; k++) {
        price += normal() / Math.sqrt(STEPS);
        high = Math.max(high, price);
        low = Math.min(low, price);
      }
      DISTANCES.forEach((d, i) => {
        if (touches[i] === "none" && (high >= d || low <= -d)) {
          touches[i] = high >= d && low <= -d ? "both" : "one";
        }
      });
    }
    touches.forEach((touch, i) => {
      if (touch !== "one") quiet[i]! += 1;
    });
  }
  quietAt = quiet.map((count) => count / PATHS);
});

function trueQuiet(distance: number): number {
  const place = Math.min(Math.max((distance - DISTANCES[0]!) / 0.2, 0), DISTANCES.length - 1.001);
  const [i, part] = [Math.floor(place), place % 1];
  return (1 - part) * quietAt[i]! + part * quietAt[i + 1]!;
}

/** A window of perfect forecasts with what happened, as a slot's models made them: a version every `perModel`. */
function perfectWindow(n: number, perModel: number, seed: number): [ForecastColumns, ...ForecastColumns[]] {
  const candles = walk(WARM_UP + n + horizonCandles, seed);
  const atr = wilderAtr(candles, atrPeriod);
  const { label } = labelCandles(candles);
  const probs = Float64Array.from({ length: 3 * n }, (_, k) => {
    const no = trueQuiet((atrMultiple * atr[WARM_UP + Math.floor(k / 3)]!) / SIGMA);
    return k % 3 === 2 ? no : (1 - no) / 2;
  });
  // -1 is a candle whose horizon touched nothing.
  const labels = Uint8Array.from({ length: n }, (_, i) =>
    label[WARM_UP + i]! < 0 ? 2 : label[WARM_UP + i]!,
  );
  const models: ForecastColumns[] = [];
  for (let from = 0; from < n; from += perModel) {
    const to = Math.min(n, from + perModel);
    models.push({
      slotId: 1,
      symbol: "EURUSD",
      timeframe: "H4",
      // Versions do not sort by time.
      modelV: `m-${(7 * from) % 1000}`,
      classFreq: [0.3, 0.3, 0.4],
      earliestClose: new Date(0),
      probs: probs.slice(3 * from, 3 * to),
      labels: labels.slice(from, to),
      closesS: Float64Array.from({ length: to - from }, (_, i) => 14_400 * (from + i)),
      ids: Float64Array.from({ length: to - from }, (_, i) => from + i),
    });
  }
  return models.toSorted((a, b) => (a.modelV < b.modelV ? -1 : 1)) as [ForecastColumns, ...ForecastColumns[]];
}

describe("a slot's calibration over all its models", () => {
  it.each([
    ["D1", 90, 7, 200],
    ["H4", 540, 42, 200],
    ["H1", 1540, 120, 100],
  ])(
    "calls perfect forecasts drifting in at most 5 %% of 90-day windows (%s)",
    (_, n, perModel, count) => {
      const windows = Array.from({ length: count }, (_, k) => perfectWindow(n, perModel, 1000 + k));
      const rows = windows.map((models) => slotCalibrationOf(models, 10));
      const drifting = rows.filter((row) => row.status === "drifting").length;
      const byRule = windows.filter((models) =>
        models.some(
          (model) =>
            calibrationOf(model, tallyForecasts(model.probs, model.labels), 10).status === "drifting",
        ),
      ).length;
      console.info(
        `perfect forecasts, ${n} in a window: ${drifting} of ${count} drifting; by version and plain rule ${byRule}`,
      );
      expect(rows.every((row) => row.status !== "insufficient" && row.n === n)).toBe(true);
      expect(drifting / count).toBeLessThanOrEqual(0.05);
    },
    60_000,
  );

  it("finds forecasts that are too sure", () => {
    const found = Array.from({ length: 40 }, (_, k) => {
      const models = perfectWindow(540, 42, 5000 + k);
      // Sure of a direction, by turns of three days, where the truth is about a third each.
      for (const { probs, closesS } of models) {
        for (const [i, seconds] of closesS.entries()) {
          const isUp = Math.floor(seconds / 259_200) % 2 === 0;
          probs.set(isUp ? [0.7, 0.2, 0.1] : [0.2, 0.7, 0.1], 3 * i);
        }
      }
      return slotCalibrationOf(models, 10);
    });
    expect(found.filter((row) => row.status === "drifting").length).toBeGreaterThanOrEqual(36);
    expect(found.find((row) => row.status === "drifting")?.reason).toMatch(/^(ECE|Brier) .*by chance/);
  });

  it("takes, of several forecasts for a candle, the one recorded last", () => {
    const [model] = perfectWindow(60, 60, 3);
    const shadow = { ...model, modelV: "shadow", ids: model.ids.map((id) => id + 1000) };
    shadow.probs = Float64Array.from(model.probs, (_, k) => [0.2, 0.2, 0.6][k % 3]!);
    const row = slotCalibrationOf([model, shadow], 10);
    expect(row).toMatchObject({ model_v: "*", n: 60, avg_confidence: 0.6 });
    expect(slotCalibrationOf([shadow, model], 10)).toEqual(row);
  });

  it("says how many are missing while there are too few", () => {
    const row = slotCalibrationOf(perfectWindow(30, 10, 4), 10);
    expect(row).toMatchObject({ n: 30, status: "insufficient", ece: null, ece_noise: null });
    expect(row.reason).toBe("30 of the 50 forecasts with an outcome that are needed");
  });
});
