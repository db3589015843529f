import { describe, expect, it } from "vitest";
import { KeyedMutex } from "@/lib/runtime/keyed-mutex";

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe("a keyed mutex", () => {
  it("a keyed mutex runs work one after another under one key, and concurrently under two", async () => {
    const mutex = new KeyedMutex(() => new RangeError("too late"));
    let atWork = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++atWork);
      await pause(5);
      atWork--;
    };
    await Promise.all(Array.from({ length: 10 }, () => mutex.run("a", 5_000, work)));
    expect(most).toBe(1);
    await Promise.all([mutex.run("a", 5_000, work), mutex.run("b", 5_000, work)]);
    expect(most).toBe(2);
  });

  it("a keyed mutex gives up after a limited wait, skips work that timed out, and runs the next", async () => {
    const mutex = new KeyedMutex(() => new RangeError("too late"));
    let hasRun = false;
    const slow = mutex.run("a", 5_000, () => pause(100));
    const late = mutex.run("a", 20, async () => {
      hasRun = true;
    });
    const next = mutex.run("a", 5_000, async () => "next");
    await expect(late).rejects.toThrow("too late");
    await slow;
    expect(await next).toBe("next");
    expect(hasRun).toBe(false);
  });

  it("a keyed mutex continues after failed work, even when it threw synchronously", async () => {
    const mutex = new KeyedMutex(() => new RangeError("too late"));
    const failing = mutex.run("a", 5_000, () => {
      throw new Error("of its own");
    });
    const next = mutex.run("a", 5_000, async () => "next");
    await expect(failing).rejects.toThrow("of its own");
    expect(await next).toBe("next");
  });
});
