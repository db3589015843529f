import { afterEach, expect, it, vi } from "vitest";
import { recordRequestMetrics } from "@/lib/runtime/metrics";
import {
  makeGateWaiter,
  makeTrafficGate,
  setTrafficGate,
  watchTraffic,
} from "@/lib/server/worker/traffic-gate";

const gate = makeTrafficGate();
let isBusy = false;
const watch = () =>
  watchTraffic((isSo) => {
    isBusy = isSo;
  });
let stop: () => void = () => {};
afterEach(() => {
  stop();
  stop = () => {};
  isBusy = false;
  setTrafficGate(gate, false);
  vi.useRealTimers();
});

/** Evenly spaced requests on the faked clock, with the gate's state after each. */
function requests(everyMs: number, count: number): boolean[] {
  return Array.from({ length: count }, () => {
    recordRequestMetrics("/api/scan", 200, 1);
    vi.advanceTimersByTime(everyMs);
    return isBusy;
  });
}

it("watchTraffic reports when busy traffic starts and when it ends", () => {
  vi.useFakeTimers();
  stop = watch();
  expect(requests(4, 50).at(-1)).toBe(true);
  vi.advanceTimersByTime(50);
  expect(isBusy).toBe(false);
});

it("watchTraffic does not report light traffic", () => {
  vi.useFakeTimers();
  stop = watch();
  expect(requests(7, 50)).not.toContain(true);
});

it("a computation gets ten milliseconds of each second while the traffic gate is closed", () => {
  // performance.now() advances only when the test moves it; the waiting takes real time.
  vi.useFakeTimers({ toFake: ["performance"] });
  setTrafficGate(gate, true);
  const breathe = makeGateWaiter(gate);
  expect(durationMs(breathe)).toBeGreaterThan(950);
  vi.advanceTimersByTime(9);
  expect(durationMs(breathe)).toBeLessThan(900);
  vi.advanceTimersByTime(1);
  expect(durationMs(breathe)).toBeGreaterThan(950);
});

function durationMs(run: () => void): number {
  const startedMs = Date.now();
  run();
  return Date.now() - startedMs;
}
