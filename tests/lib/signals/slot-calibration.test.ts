import { beforeAll, describe, expect, it } from "vitest";
import type { ForecastColumns } from "@/db/queries/track-record";
import { tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import { runningFrequencies } from "@/lib/engine/scores/running-frequencies";
import { calibrationOf } from "@/lib/signals/quality/calibration-of";
import { slotCalibrationOf } from "@/lib/signals/quality/slot-calibration";
import { perfectForecasts } from "@/tests/research/perfect-forecasts";

let perfectWindow: ReturnType<typeof perfectForecasts>;
beforeAll(() => {
  perfectWindow = perfectForecasts();
});

describe("a slot's calibration over all models", () => {
  it.each([
    ["D1", 90, 7, 200],
    ["H4", 540, 42, 200],
    ["H1", 1540, 120, 100],
  ])(
    "a slot's calibration flags perfect forecasts as drifting in at most one 90-day window in twenty (%s)",
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

  it("the calibration of ten slots of perfect forecasts is never drifting in a year of checks every fortnight", () => {
    const [window, fortnight, checks] = [540, 84, 26];
    const slots = Array.from({ length: 10 }, (_, k) => {
      const n = window + checks * fortnight;
      const [model] = perfectWindow(n, n, 500 + k);
      return Array.from({ length: checks }, (_, check) =>
        slotCalibrationOf([part(model, check * fortnight, window)], 10),
      );
    });
    const ever = slots.filter((rows) => rows.some(({ status }) => status === "drifting"));
    expect(ever.length).toBe(0);
  });

  it.each([
    ["D1", 90, 200],
    ["H4", 540, 200],
    ["H1", 1540, 60],
  ])(
    "a slot's calibration flags forecasts of the running class frequencies in at most one window in twenty (%s)",
    (_, n, count) => {
      const drifting = Array.from({ length: count }, (_, k) => {
        const models = perfectWindow(n, n, 9000 + k);
        for (const model of models) {
          model.classFreq = null;
          model.probs = runningFrequencies(model.labels);
        }
        return slotCalibrationOf(models, 10);
      }).filter((row) => row.status === "drifting");
      console.info(`untrained forecasts, ${n} in a window: ${drifting.length} of ${count} drifting`);
      expect(drifting.length / count).toBeLessThanOrEqual(0.05);
    },
    60_000,
  );

  it("a slot's calibration is drifting for overconfident forecasts in at least 36 of 40 windows", () => {
    const found = Array.from({ length: 40 }, (_, k) => {
      const models = perfectWindow(540, 42, 5000 + k);
      // Confident in alternating directions of three days, when the true probability is a third each.
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

  it("of several forecasts for a candle, only the latest counts in a slot's calibration", () => {
    const [model] = perfectWindow(60, 60, 3);
    const shadow = { ...model, modelV: "shadow", ids: model.ids.map((id) => id + 1000) };
    shadow.probs = Float64Array.from(model.probs, (_, k) => [0.2, 0.2, 0.6][k % 3]!);
    const row = slotCalibrationOf([model, shadow], 10);
    expect(row).toMatchObject({ model_v: "*", n: 60, avg_confidence: 0.6 });
    expect(slotCalibrationOf([shadow, model], 10)).toEqual(row);
  });

  it("a slot's calibration of 30 forecasts is insufficient, and its reason names the 50 needed", () => {
    const row = slotCalibrationOf(perfectWindow(30, 10, 4), 10);
    expect(row).toMatchObject({ n: 30, status: "insufficient", ece: null, ece_noise: null });
    expect(row.reason).toBe("30 of the 50 forecasts with an outcome that are needed");
  });
});

/** `n` forecasts of a model from one of them on. */
function part(model: ForecastColumns, from: number, n: number): ForecastColumns {
  return {
    ...model,
    probs: model.probs.slice(3 * from, 3 * (from + n)),
    labels: model.labels.slice(from, from + n),
    closesS: model.closesS.slice(from, from + n),
    ids: model.ids.slice(from, from + n),
  };
}
