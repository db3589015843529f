import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runArrivalOrders } from "@/tests/fuzz/arrival-orders";
import { tables, useDatabase } from "@/tests/support/database";

useDatabase({ LOG_LEVEL: "error" });

/** The same stories in every run. `npm run fuzz -- payments` draws many others. */
const STORIES = Number(process.env.NST ?? 12);
const SEED = Number(process.env.SEED0 ?? 5_000_000);

let sql: postgres.Sql;
beforeAll(() => {
  sql = tables();
});
afterAll(() => sql.end());

it(`${STORIES} purchases with several events end the same in every order of arrival`, async () => {
  const report = await runArrivalOrders(sql, { stories: STORIES, seed: SEED });
  expect(report.stories).toBe(STORIES);
}, 120_000);

it.each([
  ["before a link tells which payment it was of", 1_750_466_135],
  ["of one of two invoices that a link makes one", 239_584_946],
])("a refund %s is not flagged once its link has arrived", async (_, seed) => {
  await runArrivalOrders(sql, { stories: 1, seed });
});
