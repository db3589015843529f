import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { countRequest } from "@/lib/metrics";
import { makeTrafficGate, waitAtGate, watchTraffic } from "@/lib/worker/traffic-gate";

const gate = makeTrafficGate();
let stop: () => void = () => {};
afterEach(() => stop());

function isClosed(): boolean {
  return Atomics.load(gate, 0) !== 0;
}

/** Requests at an even rate, one every few milliseconds. */
async function requests(everyMs: number, count: number): Promise<boolean[]> {
  const seen: boolean[] = [];
  for (let i = 0; i < count; i++) {
    countRequest("/api/scan", 200, 1);
    await pause(everyMs);
    seen.push(isClosed());
  }
  return seen;
}

it("the gate closes under many requests, and opens when they end", async () => {
  stop = watchTraffic(gate);
  expect((await requests(1, 150)).at(-1)).toBe(true);
  await pause(100);
  expect(isClosed()).toBe(false);
});

it("a few requests leave it open", async () => {
  stop = watchTraffic(gate);
  expect(await requests(30, 10)).not.toContain(true);
});

it("whoever stops watching leaves it open", async () => {
  const stopWatching = watchTraffic(gate);
  await requests(1, 150);
  stopWatching();
  expect(isClosed()).toBe(false);
});

it("at a closed gate a computation goes on for ten milliseconds of each second", () => {
  Atomics.store(gate, 0, 1);
  const breathe = waitAtGate(gate);
  const startedMs = performance.now();
  breathe();
  const waitedMs = performance.now() - startedMs;
  expect(waitedMs).toBeGreaterThan(950);
  const resumedMs = performance.now();
  while (performance.now() - resumedMs < 8) breathe();
  expect(performance.now() - resumedMs).toBeLessThan(50);
  Atomics.store(gate, 0, 0);
});
