import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runArrivalOrders } from "@/tests/fuzz/arrival-orders";
import { tables, useDatabase } from "@/tests/support/database";
import { drawSeed } from "@/tests/support/run-named";

useDatabase({ LOG_LEVEL: "error" });

/** The full number is that of `npm run fuzz -- payments`. */
const STORIES = 12;

let sql: postgres.Sql;
beforeAll(() => {
  sql = tables();
});
afterAll(() => sql.end());

it(`${STORIES} purchases that several events tell of end alike in every order of arrival`, async () => {
  const report = await runArrivalOrders(sql, { stories: STORIES, seed: drawSeed() });
  expect(report.stories).toBe(STORIES);
}, 120_000);
