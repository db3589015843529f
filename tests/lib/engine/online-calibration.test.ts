import { describe, expect, it } from "vitest";
import { calibrateDaily, calibrationDay, DailyCalibration } from "@/lib/engine/calibration/daily";
import {
  applyOnlineCalibration,
  calibratedMoveProbability,
  logitOfMove,
  type OnlineSettings,
  type OnlineWeights,
  type ResolvedForecast,
  UNCALIBRATED_STATE,
  updateOnlineCalibration,
} from "@/lib/engine/calibration/online";
import { BUY, NO_TRADE } from "@/lib/engine/classes";
import { uniformSource } from "@/lib/engine/random";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Hourly forecasts whose true probabilities follow a given calibration. */
function forecasts(n: number, seed: number, truth: Partial<OnlineWeights>): ResolvedForecast[] {
  const uniform = uniformSource(seed);
  return Array.from({ length: n }, (_, i) => {
    const rawNo = 0.1 + 0.8 * uniform();
    const closesMs = (i + 1) * HOUR_MS;
    const move = calibratedMoveProbability({ ...UNCALIBRATED_STATE, ...truth }, rawNo, closesMs);
    return { rawNo, closesMs, label: uniform() < move ? BUY : NO_TRADE };
  });
}

/** Logistic regression of a and b with age weights, over all forecasts at once by Newton's method, as an independent check. */
function inOneGo(all: readonly ResolvedForecast[], settings: { halfLife: number; ridge: number }) {
  let [a, b] = [0, 1];
  for (let step = 0; step < 100; step++) {
    let [ga, gb, haa, hab, hbb] = [
      settings.ridge * a,
      settings.ridge * (b - 1),
      settings.ridge,
      0,
      settings.ridge,
    ];
    for (const [i, { rawNo, label }] of all.entries()) {
      const weight = 0.5 ** ((all.length - 1 - i) / settings.halfLife);
      const x = logitOfMove(rawNo);
      const p = 1 / (1 + Math.exp(-(a + b * x)));
      const error = weight * (p - (label === NO_TRADE ? 0 : 1));
      const curvature = weight * p * (1 - p);
      ga += error;
      gb += error * x;
      haa += curvature;
      hab += curvature * x;
      hbb += curvature * x * x;
    }
    const determinant = haa * hbb - hab * hab;
    a -= (hbb * ga - hab * gb) / determinant;
    b -= (haa * gb - hab * ga) / determinant;
  }
  return { a, b };
}

const PLAIN = { halfLife: 3000, ridge: 20 };
/** Almost no ridge penalty and almost no forgetting. */
const FREE: OnlineSettings = { halfLife: 20_000, ridges: [1, 1, 1, 1, 1] };
/** PLAIN as settings of the online fit: large ridge penalties suppress the clock weights. */
const SETTINGS: OnlineSettings = { halfLife: 3000, ridges: [20, 20, 1e12, 1e12, 1e12] };

describe("updateOnlineCalibration", () => {
  it("updateOnlineCalibration equals one regression over everything when fitted day by day", () => {
    const all = forecasts(9000, 3, { a: -0.3, b: 0.7 });
    let state = { ...UNCALIBRATED_STATE };
    for (let i = 0; i < all.length; i += 24)
      state = updateOnlineCalibration(state, all.slice(i, i + 24), SETTINGS);
    const whole = inOneGo(all, PLAIN);
    expect(state.n).toBe(9000);
    expect(Math.abs(state.a - whole.a)).toBeLessThan(0.01);
    expect(Math.abs(state.b - whole.b)).toBeLessThan(0.01);
    expect(Math.abs(whole.a + 0.3)).toBeLessThan(0.1);
    expect(Math.abs(whole.b - 0.7)).toBeLessThan(0.1);
  });

  it("updateOnlineCalibration on all forecasts at once equals one age-weighted logistic regression", () => {
    const all = forecasts(2000, 4, { a: 0.2, b: 1.3 });
    const state = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, all, SETTINGS);
    const whole = inOneGo(all, PLAIN);
    expect(state.a).toBeCloseTo(whole.a, 7);
    expect(state.b).toBeCloseTo(whole.b, 7);
  });

  it("updateOnlineCalibration starts unfitted, stays near (0, 1) on little data, and follows a change", () => {
    expect(updateOnlineCalibration({ ...UNCALIBRATED_STATE }, [])).toEqual(UNCALIBRATED_STATE);
    const few = updateOnlineCalibration(
      { ...UNCALIBRATED_STATE },
      forecasts(30, 5, { a: 2, b: 1 }),
      SETTINGS,
    );
    expect(Math.abs(few.a)).toBeLessThan(0.5);
    expect(Math.abs(few.b - 1)).toBeLessThan(0.5);
    const before = updateOnlineCalibration(
      { ...UNCALIBRATED_STATE },
      forecasts(10_000, 6, { a: 0.5, b: 1 }),
      SETTINGS,
    );
    const after = updateOnlineCalibration(before, forecasts(12_000, 7, { a: -0.5, b: 1 }), SETTINGS);
    expect(before.a).toBeGreaterThan(0.4);
    expect(after.a).toBeLessThan(-0.3);
  });

  it("updateOnlineCalibration finds effects of hour and weekend, and little where there are none", () => {
    const truth = { a: -0.1, b: 1.1, c1: 0.4, c2: -0.3, d: 0.6 };
    const found = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, forecasts(12_000, 9, truth), FREE);
    expect(Math.abs(found.c1 - truth.c1)).toBeLessThan(0.15);
    expect(Math.abs(found.c2 - truth.c2)).toBeLessThan(0.15);
    expect(Math.abs(found.d - truth.d)).toBeLessThan(0.2);
    // The ridge penalty in use leaves about half of a short-lived wave.
    const pulled = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, forecasts(12_000, 9, truth));
    expect(pulled.c1 / truth.c1).toBeGreaterThan(0.4);
    expect(pulled.c1 / truth.c1).toBeLessThan(0.8);
    const nothing = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, forecasts(12_000, 10, {}));
    for (const weight of [nothing.c1, nothing.c2, nothing.d]) expect(Math.abs(weight)).toBeLessThan(0.1);
  });

  it("updateOnlineCalibration resumes from a state stored without clock weights as from the same state with them", () => {
    const before = forecasts(6000, 11, { a: 0.3, b: 0.9 });
    const { a, b, n, curvature, pull } = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, before, SETTINGS);
    // A state stored before the clock weights.
    const stored = { a, b, n, curvature: curvature.slice(0, 3), pull: pull.slice(0, 2) };
    const upgraded = { ...UNCALIBRATED_STATE, ...stored };
    expect(calibratedMoveProbability(upgraded, 0.4, 0)).toBeCloseTo(
      1 / (1 + Math.exp(-(a + b * logitOfMove(0.4)))),
      12,
    );
    const next = forecasts(24, 12, { a: 0.3, b: 0.9 });
    const [whole, again] = [{ a, b, n, curvature, pull }, stored].map((state) =>
      updateOnlineCalibration({ ...UNCALIBRATED_STATE, ...state }, next, SETTINGS),
    );
    expect(again!.a).toBeCloseTo(whole!.a, 6);
    expect(again!.b).toBeCloseTo(whole!.b, 6);
  });

  it("updateOnlineCalibration gives finite coefficients for forecasts with probabilities of 0 and 1", () => {
    const certain = [0, 1, 0, 1].map((rawNo) => ({
      rawNo,
      closesMs: 0,
      label: rawNo === 0 ? NO_TRADE : BUY,
    }));
    const { a, b } = updateOnlineCalibration({ ...UNCALIBRATED_STATE }, certain);
    expect(Number.isFinite(a) && Number.isFinite(b)).toBe(true);
  });
});

describe("applyOnlineCalibration", () => {
  it("applyOnlineCalibration changes the probability of NO_TRADE, and keeps the ratio of BUY to SELL", () => {
    const probs = Float64Array.of(0.3, 0.1, 0.6);
    // Monday 2026-01-05, 06:00 in New York: the sine is 1, outside the weekend.
    const [sixMs, saturdayMs] = [Date.UTC(2026, 0, 5, 11), Date.UTC(2026, 0, 10, 11)];
    const weights = { a: 0.4, b: 0.8, c1: 0.2, c2: 0.7, d: -0.3 };
    const logitAt = (ms: number) => {
      const moved = applyOnlineCalibration(weights, probs, ms);
      expect(moved[0]! + moved[1]! + moved[2]!).toBeCloseTo(1, 12);
      expect(moved[0]! / moved[1]!).toBeCloseTo(3, 12);
      return Math.log((1 - moved[2]!) / moved[2]!);
    };
    expect(logitAt(sixMs)).toBeCloseTo(0.4 + 0.8 * Math.log(0.4 / 0.6) + 0.2, 12);
    expect(logitAt(saturdayMs)).toBeCloseTo(logitAt(sixMs) - 0.3, 12);
    const same = applyOnlineCalibration(UNCALIBRATED_STATE, probs, saturdayMs);
    for (const [i, p] of probs.entries()) expect(same[i]!).toBeCloseTo(p, 12);
    expect(applyOnlineCalibration(weights, Float64Array.of(0, 0, 1), sixMs)).toEqual(
      Float64Array.of(0, 0, 1),
    );
  });
});

describe("daily calibration of a record", () => {
  const n = 3000;
  const closesMs = Float64Array.from({ length: n + 12 }, (_, i) => (i + 1) * HOUR_MS);
  const all = forecasts(n, 8, { a: -0.6, b: 1 });
  const rows = Int32Array.from(all.keys());
  const raw = Float64Array.from(all.flatMap(({ rawNo }) => [(1 - rawNo) / 2, (1 - rawNo) / 2, rawNo]));
  const labels = Int8Array.from([...all.map(({ label }) => label), ...Array(12).fill(-1)]);

  it("the daily calibration of a record corrects miscalibrated forecasts", () => {
    const { calibrated, state } = calibrateDaily({ rows, raw, labels, closesMs });
    expect(state.n).toBe(n);
    const late = [...rows].filter((row) => row > 2000);
    const said = late.reduce((sum, row) => sum + 1 - calibrated[3 * row + 2]!, 0) / late.length;
    const saidRaw = late.reduce((sum, row) => sum + 1 - raw[3 * row + 2]!, 0) / late.length;
    const came = late.filter((row) => labels[row] !== NO_TRADE).length / late.length;
    expect(Math.abs(said - came)).toBeLessThan(0.05);
    expect(Math.abs(saidRaw - came)).toBeGreaterThan(0.08);
  });

  it("the daily calibration learns nothing before a horizon ends, or within a day", () => {
    const first = 1200;
    const day = calibrationDay(closesMs[first]!);
    const other = Int8Array.from(labels, (label, row) =>
      closesMs[row + 12]! > day ? (label === NO_TRADE ? BUY : NO_TRADE) : label,
    );
    const [honest, changed] = [labels, other].map((of) =>
      calibrateDaily({ rows, raw, labels: of, closesMs }).calibrated.subarray(0, 3 * (first + 1)),
    );
    expect(changed).toEqual(honest);
    // From the next day on, the fit depends on the changed labels.
    const later = calibrateDaily({ rows, raw, labels: other, closesMs }).calibrated;
    const before = calibrateDaily({ rows, raw, labels, closesMs }).calibrated;
    const next = rows.find((row) => closesMs[row]! >= day + DAY_MS)!;
    expect(later[3 * next + 2]).not.toBe(before[3 * next + 2]);
  });

  it("the daily calibration resumes from a stored day with the same result", () => {
    const series = { ts: closesMs, closesMs, labels };
    const start = { dayMs: Number.NEGATIVE_INFINITY, state: { ...UNCALIBRATED_STATE }, learntToMs: -1 };
    const whole = new DailyCalibration(series, start);
    for (let row = 0; row < n; row++) {
      whole.at(row);
      whole.add(row, raw[3 * row + 2]!);
    }
    const stored = whole.begun.at(-10)!;
    const again = new DailyCalibration(series, stored);
    for (let row = 0; row < n; row++) {
      if (closesMs[row]! >= stored.dayMs) again.at(row);
      if (closesMs[row]! > stored.learntToMs) again.add(row, raw[3 * row + 2]!);
    }
    expect(again.begun).toEqual(whole.begun.slice(-9));
    // Stored days are used unchanged; later forecasts do not affect them.
    const fixed = { ...stored, state: { ...stored.state, a: 9 } };
    const known = new DailyCalibration(series, start, new Map([[stored.dayMs, fixed]]));
    const index = closesMs.findIndex((ms) => ms >= stored.dayMs);
    expect(known.at(index).a).toBe(9);
    expect(known.begun).toEqual([]);
  });
});
