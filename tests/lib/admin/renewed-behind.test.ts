import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { renewedBehind } from "@/lib/admin/renewed-behind";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("the last value is answered at once and renewed behind the caller", async () => {
  let n = 0;
  const read = renewedBehind("test-renewal", 1_000, async () => ++n);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(await read(), "still fresh").toBe(1);
  await turn();
  expect(n).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read(), "old, answered all the same").toBe(1);
  await turn();
  expect(await read()).toBe(2);
});

it("a renewal that takes its time is not begun again by those who ask meanwhile", async () => {
  const finish: (() => void)[] = [];
  const read = renewedBehind(
    "test-slow",
    0,
    () => new Promise<number>((done) => finish.push(() => done(finish.length))),
  );
  const first = read();
  finish[0]?.();
  expect(await first).toBe(1);
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(1);
    expect(await read()).toBe(1);
  }
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await turn();
  expect(await read()).toBe(2);
});

it("a failed renewal leaves the last value, a failed first reading is tried again", async () => {
  const outcomes = [new Error("first"), "a", new Error("renewal"), "b"];
  const read = renewedBehind("test-failure", 0, async () => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  const later = async () => {
    vi.advanceTimersByTime(1);
    const value = await read();
    await turn();
    return value;
  };
  await expect(read()).rejects.toThrow("first");
  expect(await read()).toBe("a");
  expect(await later(), "its renewal fails").toBe("a");
  expect(await later(), "its renewal succeeds").toBe("a");
  expect(await later()).toBe("b");
});

it("a value that is older than it may be is not answered: the caller waits for a new one", async () => {
  let n = 0;
  const read = renewedBehind("test-stalest", 1_000, async () => ++n, 60_000);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(60_001);
  expect(await read()).toBe(2);
});
