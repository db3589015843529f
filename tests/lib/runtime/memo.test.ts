import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { memo } from "@/lib/runtime/memo";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  // lru-cache treats the time 0 as unset.
  vi.advanceTimersByTime(1);
});
afterEach(() => {
  vi.useRealTimers();
});

it("a memoized value is shared for its lifetime and by concurrent callers", async () => {
  let n = 0;
  const read = memo("test-shared", { ttlMs: 1_000 }, async () => ++n);
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(1_000);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read()).toBe(2);
});

it("a memoized value's age counts from the start of its load", async () => {
  let n = 0;
  const read = memo("test-slow", { ttlMs: 1_000 }, async () => {
    vi.advanceTimersByTime(600);
    return ++n;
  });
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(400);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read()).toBe(2);
});

it("a memoized null is cached like any other value", async () => {
  let n = 0;
  const read = memo("test-null", { ttlMs: 1_000 }, async () => {
    n++;
    return null;
  });
  expect([await read(), await read(), n]).toEqual([null, null, 1]);
});

it("a failed load of a memoized value is not cached", async () => {
  const outcomes = [new Error("away"), "back"];
  const read = memo("test-failing", { ttlMs: 60_000 }, async () => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  await expect(read()).rejects.toThrow("away");
  expect(await read()).toBe("back");
});

it("a stale memoized value is returned while one load refreshes it", async () => {
  let n = 0;
  const read = memo("test-stale", { ttlMs: 1_000, staleMs: 10_000 }, async () => ++n);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1_001);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  await turn();
  expect(await read()).toBe(2);
  vi.advanceTimersByTime(10_001);
  expect(await read(), "too old to be shown").toBe(3);
});

it("a failed refresh of a memoized value keeps the stale value", async () => {
  const outcomes = ["a", new Error("renewal"), "b"];
  const read = memo("test-renewal", { ttlMs: 1_000, staleMs: 60_000 }, async () => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  expect(await read()).toBe("a");
  vi.advanceTimersByTime(1_001);
  expect(await read()).toBe("a");
  await turn();
  expect(await read()).toBe("a");
  await turn();
  expect(await read()).toBe("b");
});
