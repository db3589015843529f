import { expect, it } from "vitest";
import { RecentMap } from "@/lib/runtime/recent-map";

const entry = (n: number) => ({ n });

it("keeps the entries used last, and never more than twice as many", () => {
  const map = new RecentMap<number, { n: number }>(100);
  for (let i = 0; i < 10_000; i++) map.set(i, entry(i));
  expect(map.size).toBeLessThanOrEqual(200);
  for (let i = 9_900; i < 10_000; i++) expect(map.get(i)).toEqual({ n: i });
  expect(map.get(9_000)).toBeUndefined();
});

it("an entry that is asked for again and again stays, whatever comes after it", () => {
  const map = new RecentMap<number, { n: number }>(10);
  const kept = entry(-1);
  map.set(-1, kept);
  for (let i = 0; i < 1_000; i++) {
    map.set(i, entry(i));
    expect(map.get(-1)).toBe(kept);
  }
});

it("setting an entry anew replaces it", () => {
  const map = new RecentMap<string, { n: number }>(2);
  map.set("a", entry(1));
  map.set("b", entry(2));
  map.set("a", entry(3));
  expect(map.get("a")).toEqual({ n: 3 });
  map.set("c", entry(4));
  map.set("a", entry(5));
  expect(map.get("a")).toEqual({ n: 5 });
});
