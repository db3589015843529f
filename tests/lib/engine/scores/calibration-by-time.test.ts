import { expect, it } from "vitest";
import { BUY, NO_TRADE } from "@/lib/engine/classes";
import { uniformSource } from "@/lib/engine/random";
import { calibrationByTime } from "@/lib/engine/scores/calibration-by-time";
import { newYorkHour } from "@/lib/market/calendar";

const HOUR_MS = 3_600_000;
/** Monday 2026-01-05 00:00 in New York. */
const START_MS = Date.UTC(2026, 0, 5, 5);

/** Hourly forecasts of 0.4 whose true probability is off by `shift` at night and by the opposite in the day. */
function judged(n: number, seed: number, shift: number) {
  const uniform = uniformSource(seed);
  const closesMs = Float64Array.from({ length: n }, (_, i) => START_MS + i * HOUR_MS);
  // Twelve candles share a draw, like overlapping horizons.
  let draw = 0;
  const labels = Array.from(closesMs, (ms, i) => {
    if (i % 12 === 0) draw = uniform();
    return draw < 0.4 + (newYorkHour(ms) < 12 ? shift : -shift) ? NO_TRADE : BUY;
  });
  return calibrationByTime(new Float64Array(n).fill(0.4), labels, closesMs);
}

it("clock calibration groups by hour and weekday in New York time", () => {
  const { hours, weekdays } = calibrationByTime(
    Float64Array.of(0.5, 0.7, 0.2),
    [NO_TRADE, BUY, NO_TRADE],
    Float64Array.of(START_MS, START_MS + 24 * HOUR_MS, START_MS + 25 * HOUR_MS),
  );
  expect(hours.groups).toEqual([
    { place: 0, n: 2, said: 0.6, came: 0.5 },
    { place: 1, n: 1, said: 0.2, came: 1 },
  ]);
  expect(hours.error).toBeCloseTo((2 * 0.1 + 0.8) / 3, 12);
  expect(weekdays.groups.map(({ place, n }) => [place, n])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

it("clock calibration finds opposite errors of hours that cancel out over the day", () => {
  const { hours, weekdays } = judged(20_000, 1, 0.08);
  expect(hours.error!).toBeGreaterThan(0.06);
  expect(hours.byChance).toBeLessThan(0.04);
  expect(weekdays.error!).toBeLessThan(weekdays.byChance);
});

it("clock calibration has more error than by chance in at most 11 of 100 runs of perfect forecasts", () => {
  const runs = 100;
  const over = { hours: 0, weekdays: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const { hours, weekdays } = judged(2400, seed, 0);
    if (hours.error! > hours.byChance) over.hours++;
    if (weekdays.error! > weekdays.byChance) over.weekdays++;
  }
  console.info(`clock calibration: by more than chance in ${over.hours} and ${over.weekdays} of ${runs}`);
  expect(over.hours).toBeLessThanOrEqual(11);
  expect(over.weekdays).toBeLessThanOrEqual(11);
});

it("clock calibration has no groups and a null error without forecasts", () => {
  const { hours } = calibrationByTime(new Float64Array(0), [], new Float64Array(0));
  expect(hours).toMatchObject({ groups: [], error: null });
});
