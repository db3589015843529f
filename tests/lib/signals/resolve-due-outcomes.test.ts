import { afterAll, beforeAll, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { resolveDueOutcomes } from "@/lib/signals/outcomes/resolve-due-outcomes";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { storeMarket } from "@/tests/support/record-market";

useDatabase();

const never = new AbortController().signal;
const called: string[] = [];
let sql: ReturnType<typeof connectDirectly>;
beforeAll(async () => {
  sql = connectDirectly();
  await sql.listen("worker", (job) => called.push(job));
});
afterAll(() => sql.end());

/** Jobs that one check for due outcomes triggered, before any other notification. */
async function calledFor(): Promise<string[]> {
  called.length = 0;
  await resolveDueOutcomes(workerDb(), never);
  await sql`select pg_notify('worker', 'end')`;
  await expect.poll(() => called.at(-1)).toBe("end");
  return called.filter((job) => job !== "end");
}

it("the outcome job starts the job for daily sums after a backfill, and not after a few outcomes", async () => {
  await storeMarket({ symbol: "LONG", nCandles: 1_700, nSignals: 1_100, seed: 3 });
  expect(await calledFor()).toEqual(["sums"]);
  const [row] = await sql`select count(*)::int as n from outcomes`;
  expect(row?.n).toBeGreaterThan(1_000);
  await storeMarket({ symbol: "SHORT", nCandles: 700, nSignals: 100, seed: 4 });
  expect(await calledFor()).toEqual([]);
  const [more] = await sql`select count(*)::int as n from outcomes`;
  expect(more?.n).toBeGreaterThan(row?.n);
});
