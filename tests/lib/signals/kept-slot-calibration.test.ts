import { expect, it } from "vitest";
import type { ForecastColumns } from "@/db/queries/track-record";
import { uniformSource } from "@/lib/engine/random";
import { keptSlotCalibration } from "@/lib/signals/quality/kept-slot-calibration";
import { slotCalibrationOf } from "@/lib/signals/quality/slot-calibration";

const N = 2_000;

function forecasts(change: (columns: ForecastColumns) => void = () => undefined): [ForecastColumns] {
  const uniform = uniformSource(5);
  const probs = Float64Array.from({ length: 3 * N }, (_, i) => [0.3, 0.3, 0.4][i % 3] ?? 0);
  const columns: ForecastColumns = {
    slotId: 1,
    symbol: "EURUSD",
    timeframe: "H1",
    modelV: "m1",
    classFreq: null,
    earliestClose: new Date(0),
    probs,
    labels: Uint8Array.from({ length: N }, () => Math.floor(3 * uniform())),
    closesS: Float64Array.from({ length: N }, (_, i) => 3_600 * i),
    ids: Float64Array.from({ length: N }, (_, i) => i),
  };
  change(columns);
  return [columns];
}

it("the same forecasts are judged once, and every other difference anew", () => {
  const first = keptSlotCalibration(forecasts(), 10);
  expect(first.isNew).toBe(true);
  expect(first.row).toEqual(slotCalibrationOf(forecasts(), 10));
  const again = keptSlotCalibration(forecasts(), 10);
  expect(again).toEqual({ row: first.row, isNew: false });

  const others: [(columns: ForecastColumns) => void, number][] = [
    [() => undefined, 20],
    [(columns) => columns.labels.set([((columns.labels[0] ?? 0) + 1) % 3]), 10],
    [(columns) => columns.probs.set([0.31, 0.29]), 10],
    [(columns) => columns.closesS.set([1]), 10],
    [(columns) => Object.assign(columns, { symbol: "GBPUSD" }), 10],
    [(columns) => Object.assign(columns, { classFreq: [0.2, 0.2, 0.6] }), 10],
  ];
  for (const [change, bins] of others) {
    const { row, isNew } = keptSlotCalibration(forecasts(change), bins);
    expect(isNew).toBe(true);
    expect(row).toEqual(slotCalibrationOf(forecasts(change), bins));
  }
});
