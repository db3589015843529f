import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startFlushing } from "@/lib/subscribers/heartbeat-flusher";
import { useDatabase } from "@/tests/support/database";

// The logger needs the environment.
useDatabase();
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("a failed heartbeat write is retried after five seconds, and then at the normal interval", async () => {
  let isAway = false;
  let tries = 0;
  const write = async () => {
    tries++;
    if (isAway) throw new Error("the database refuses connections");
  };
  const writeAll = vi.fn(async () => undefined);
  const stop = startFlushing("heartbeats", { everyMs: 250, write, writeAll });
  const triesIn = async (ms: number) => {
    const before = tries;
    await vi.advanceTimersByTimeAsync(ms);
    return tries - before;
  };
  expect(await triesIn(1_000)).toBe(4);
  isAway = true;
  expect(await triesIn(250)).toBe(1);
  expect(await triesIn(4_900)).toBe(0);
  isAway = false;
  expect(await triesIn(100)).toBe(1);
  expect(await triesIn(1_000)).toBe(4);
  await stop();
  expect(writeAll).toHaveBeenCalledOnce();
  expect(await triesIn(10_000)).toBe(0);
});
