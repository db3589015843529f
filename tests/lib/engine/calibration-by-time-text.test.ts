import { describe, expect, it } from "vitest";
import { calibrationByTimeText } from "@/lib/commands/engine/text-report";
import { NO_TRADE } from "@/lib/engine/classes";
import { uniformSource } from "@/lib/engine/random";
import { calibrationByTime } from "@/lib/engine/scores/calibration-by-time";
import { HOUR_MS } from "@/lib/time";

const CANDLES = 600;

/** The text about a model that gives NO_TRADE 40 % at every hour; six hours are off by `gap`. */
function textOf(seed: number, gap: number): string {
  const uniform = uniformSource(seed);
  const closes = Float64Array.from({ length: CANDLES }, (_, i) => Date.UTC(2026, 0, 5) + i * HOUR_MS);
  const labels = Uint8Array.from({ length: CANDLES }, (_, i) =>
    uniform() < 0.4 + (i % 24 < 6 ? gap : 0) ? NO_TRADE : 0,
  );
  const { hours } = calibrationByTime(new Float64Array(CANDLES).fill(0.4), labels, closes);
  return calibrationByTimeText(hours, (hour) => `${hour} h`);
}

const namedOf = (runs: number, gap: number) =>
  Array.from({ length: runs }, (_, k) => textOf(k + 1, gap)).filter((text) => text.includes("most at"))
    .length;

describe("the text about calibration by hour", () => {
  it("the text about calibration by hour names an hour in at most 5 of 100 runs when no hour differs", () => {
    expect(namedOf(100, 0)).toBeLessThanOrEqual(5);
  });

  it("the text about calibration by hour names an hour in at least 15 of 20 runs when six hours differ", () => {
    expect(namedOf(20, 0.6)).toBeGreaterThanOrEqual(15);
  });
});
