import { describe, expect, it } from "vitest";
import { makeFeatures } from "@/lib/engine/features";
import { fitSignalModels } from "@/lib/engine/models/fit-signal-models";
import { makePoolSlot } from "@/lib/engine/models/pool";
import { rowsWithKnownClass, sampleRowsEvenly } from "@/lib/engine/models/training-rows";
import { labelCandles } from "@/lib/engine/outcome";
import { makeSlotSample, trainAndSelectChampion } from "@/lib/engine/train";
import type { CandleSeries } from "@/lib/market/candles";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { garbleCandlesAfter, randomWalk } from "@/tests/lib/engine/synthetic";

const COST = { kind: "fraction", value: 0.0001 } as const;
const HORIZON = 12;
const candles = randomWalk({ n: 3200, seed: 11 });
const other = randomWalk({ n: 3200, seed: 12 });
const table = makeFeatures(candles, 60);
const { label: labels } = labelCandles(candles);
const END = 2600;

/** The recipe fitted on the candles before END, with another slot of these candles. */
function pooledModel(series: CandleSeries) {
  const { models } = fitSignalModels({
    table,
    labels,
    pool: [makePoolSlot(series, 60, 2, SMALL_WALK_FORWARD.fit)],
    firstIndex: table.firstIndex,
    endIndex: END,
    recipes: ["pooled"],
    settings: SMALL_WALK_FORWARD.fit,
  });
  return models.get("pooled")!;
}

describe("the pool", () => {
  it("the pool uses candles of other slots only up to the last resolved candle", () => {
    const honest = JSON.stringify(pooledModel(other));
    const lastKnown = END - 1 + HORIZON;
    expect(JSON.stringify(pooledModel(garbleCandlesAfter(other, lastKnown, 5)))).toBe(honest);
    expect(JSON.stringify(pooledModel(garbleCandlesAfter(other, lastKnown - 40, 5)))).not.toBe(honest);
  });

  it("makePoolSlot thins the rows of a slot, and keeps a row's features, class and time of resolution", () => {
    const slot = makePoolSlot(other, 60, 3, SMALL_WALK_FORWARD.fit);
    const whole = makeFeatures(other, 60);
    expect(slot.labels).toHaveLength((2 * SMALL_WALK_FORWARD.fit.maxRows) / 3);
    const row = whole.closesMs.indexOf(slot.table.closesMs[500]!);
    const { columns } = whole.matrix;
    expect(slot.table.matrix.values.slice(500 * columns, 501 * columns)).toEqual(
      whole.matrix.values.slice(row * columns, (row + 1) * columns),
    );
    expect(slot.labels[500]).toBe(labelCandles(other).label[row]);
    expect(slot.finalMs[500]).toBe(whole.closesMs[row + HORIZON]);
  });

  it("a pooled challenger is added only if other slots share the pool", () => {
    const train = (pool: Parameters<typeof makeSlotSample>[3]) =>
      trainAndSelectChampion({
        sample: makeSlotSample(candles, 60, COST, pool),
        timeframeMinutes: 60,
        current: "pooled",
        slots: 1,
        settings: { ...SMALL_WALK_FORWARD, recipes: ["logistic", "pooled"] },
      });
    const alone = train([]);
    expect([...alone.evaluations.keys()]).toEqual(["logistic"]);
    expect(alone.decision.champion).not.toBe("pooled");
    const beside = train([makePoolSlot(other, 60, 2, SMALL_WALK_FORWARD.fit)]);
    expect([...beside.evaluations.keys()]).toEqual(["logistic", "pooled"]);
    expect(beside.evaluations.get("logistic")).toEqual(alone.evaluations.get("logistic"));
    const [without, having] = ["logistic", "pooled"].map((name) =>
      beside.walk.records.find(({ recipe }) => recipe === name),
    );
    expect(having!.raw).not.toEqual(without!.raw);
  });
});

describe("evenly thinned rows", () => {
  it("a thinned sample covers every hour of the day, at five sizes", () => {
    const rows = rowsWithKnownClass(new Int8Array(24_000), 0, 24_000);
    for (const max of [1000, 2000, 3000, 6000, 12_000]) {
      const some = sampleRowsEvenly(rows, max);
      expect(some).toHaveLength(max);
      expect(some.every((row, i) => i === 0 || row > some[i - 1]!)).toBe(true);
      const hours = new Array<number>(24).fill(0);
      for (const row of some) hours[row % 24]!++;
      expect(Math.min(...hours)).toBeGreaterThan((0.8 * max) / 24);
      expect(Math.max(...hours)).toBeLessThan((1.2 * max) / 24);
    }
    expect(sampleRowsEvenly(rows, 24_000)).toBe(rows);
  });

  it("a thinned sample takes each row at most once, even when few are dropped", () => {
    const rows = rowsWithKnownClass(new Int8Array(1000), 0, 1000);
    for (let max = 1; max < 1000; max++) {
      const some = sampleRowsEvenly(rows, max);
      expect(some).toHaveLength(max);
      expect(some.every((row, i) => row < 1000 && (i === 0 || row > some[i - 1]!))).toBe(true);
    }
  });
});
