import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sharedFor } from "@/lib/runtime/shared-for";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("callers share a reading for its time, and those who come together share one under way", async () => {
  let n = 0;
  const read = sharedFor("test-shared", 1_000, async () => ++n);
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(1_000);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read()).toBe(2);
});

it("a reading that failed is not kept: the next caller tries again at once", async () => {
  const outcomes = [new Error("away"), "back"];
  const read = sharedFor("test-failing", 60_000, async () => {
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  await expect(read()).rejects.toThrow("away");
  expect(await read()).toBe("back");
});
