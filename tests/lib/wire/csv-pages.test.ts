import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { pagesAfter } from "@/db/queries/export-pages";
import { csvNumber, csvOf } from "@/lib/wire/csv";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

interface Numbered {
  id: number;
}

/** A source of 500 rows that the download reads in pages, and the number of rows still in memory. */
function numberedPages() {
  const seen: WeakRef<Numbered>[] = [];
  const nextRows = pagesAfter(
    async (after = 0, limit) => {
      const rows = Array.from({ length: Math.min(limit, 500 - after) }, (_, n) => ({ id: after + n + 1 }));
      seen.push(...rows.map((row) => new WeakRef(row)));
      return rows;
    },
    ({ id }: Numbered) => id,
  );
  return { nextRows, nHeld: () => seen.filter((ref) => ref.deref() !== undefined).length, seen };
}

it("an export waiting for its client holds text, not rows", async () => {
  const { nextRows, nHeld, seen } = numberedPages();
  const pieces = csvOf<Numbered>({ id: ["id", csvNumber] }, nextRows);
  expect(await pieces.next()).toEqual({ done: false, value: "id\r\n" });
  const first = await pieces.next();
  expect(String(first.value).split("\r\n").length - 1).toBe(200);
  expect(seen).toHaveLength(200);
  // References of an event-loop round are released at its end.
  await pause(1);
  collect();
  expect(nHeld()).toBe(0);
  await pieces.return();
});

it("an export contains the whole table in order, and reads nothing after the last page", async () => {
  const { nextRows, seen } = numberedPages();
  let text = "";
  for await (const piece of csvOf<Numbered>({ id: ["id", csvNumber] }, nextRows)) text += piece;
  expect(text.split("\r\n").slice(1, -1)).toEqual(Array.from({ length: 500 }, (_, n) => String(n + 1)));
  expect(await nextRows()).toEqual([]);
  expect(seen).toHaveLength(500);
});
