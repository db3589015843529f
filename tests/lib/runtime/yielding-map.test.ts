import { expect, it } from "vitest";
import { yieldingMap } from "@/lib/runtime/yielding-map";

const busyFor = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

it("a yielding map handles the items in order and lets other work run in between", async () => {
  let turns = 0;
  const other = setInterval(() => turns++, 1);
  const made = await yieldingMap(
    Array.from({ length: 30 }, (_, n) => n),
    (n, index) => {
      busyFor(3);
      return [n, index];
    },
  );
  clearInterval(other);
  expect(made).toEqual(Array.from({ length: 30 }, (_, n) => [n, n]));
  expect(turns).toBeGreaterThanOrEqual(5);
});

it("a yielding map rethrows an item's error, and does nothing for an empty list", async () => {
  const seen: number[] = [];
  const failing = yieldingMap([1, 2, 3], (n) => {
    seen.push(n);
    if (n === 2) throw new Error("two");
  });
  await expect(failing).rejects.toThrow("two");
  expect(seen).toEqual([1, 2]);
  expect(await yieldingMap([], () => 1)).toEqual([]);
});
