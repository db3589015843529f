import { describe, expect, it } from "vitest";
import { WindowCache } from "@/lib/runtime/window-cache";

const at = (ms: number) => new Date(ms);

describe("the moving-window cache", () => {
  it("the moving-window cache keeps a value until a newer version or the end of the value's validity", async () => {
    const cache = new WindowCache<number>(10);
    let computed = 0;
    const ask = (version: number, now: number) =>
      cache.get("a", version, at(now), async () => ({ value: ++computed, validUntil: at(100) }));
    expect(await ask(1, 0)).toBe(1);
    expect(await ask(1, 99)).toBe(1);
    expect(await ask(2, 50)).toBe(2);
    expect(await ask(1, 50)).toBe(2);
    expect(await ask(2, 100)).toBe(3);
  });

  it("the moving-window cache computes once for concurrent callers, and again after a failure", async () => {
    const cache = new WindowCache<number>(10);
    let runs = 0;
    const failing = async () => {
      runs++;
      throw new Error("away");
    };
    const both = await Promise.allSettled([
      cache.get("a", 1, at(0), failing),
      cache.get("a", 1, at(0), failing),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(runs).toBe(1);
    expect(await cache.get("a", 1, at(0), async () => ({ value: 7, validUntil: null }))).toBe(7);
  });

  it("the moving-window cache evicts the oldest entry when full", async () => {
    const cache = new WindowCache<string>(2);
    const put = (key: string, value: string) =>
      cache.get(key, 1, at(0), async () => ({ value, validUntil: null }));
    await put("a", "first");
    await put("b", "first");
    await put("c", "first");
    expect(await put("c", "second")).toBe("first");
    expect(await put("a", "second")).toBe("second");
  });
});
