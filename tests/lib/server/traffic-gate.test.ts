import { afterEach, expect, it, vi } from "vitest";
import { countRequest } from "@/lib/runtime/metrics";
import { makeTrafficGate, waitAtGate, watchTraffic } from "@/lib/server/worker/traffic-gate";

const gate = makeTrafficGate();
let stop: () => void = () => {};
afterEach(() => {
  stop();
  stop = () => {};
  Atomics.store(gate, 0, 0);
  vi.useRealTimers();
});

function isClosed(): boolean {
  return Atomics.load(gate, 0) !== 0;
}

/** Requests at an even rate on the faked clock, one every few milliseconds, and whether the gate was closed after each. */
function requests(everyMs: number, count: number): boolean[] {
  return Array.from({ length: count }, () => {
    countRequest("/api/scan", 200, 1);
    vi.advanceTimersByTime(everyMs);
    return isClosed();
  });
}

it("the gate closes under many requests, and opens when they end", () => {
  vi.useFakeTimers();
  stop = watchTraffic(gate);
  expect(requests(4, 50).at(-1)).toBe(true);
  vi.advanceTimersByTime(50);
  expect(isClosed()).toBe(false);
});

it("fewer requests leave it open", () => {
  vi.useFakeTimers();
  stop = watchTraffic(gate);
  expect(requests(7, 50)).not.toContain(true);
});

it("whoever stops watching leaves it open", () => {
  vi.useFakeTimers();
  const stopWatching = watchTraffic(gate);
  requests(1, 150);
  expect(isClosed()).toBe(true);
  stopWatching();
  expect(isClosed()).toBe(false);
});

it("at a closed gate a computation goes on for ten milliseconds of each second", () => {
  // Its own clock stands still unless moved; the waiting is real.
  vi.useFakeTimers({ toFake: ["performance"] });
  Atomics.store(gate, 0, 1);
  const breathe = waitAtGate(gate);
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
