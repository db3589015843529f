import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runAtOnce } from "@/tests/fuzz/arrival-orders";
import { tables, useDatabase } from "@/tests/support/database";
import { startPaymentProcess } from "@/tests/support/start-payment-process";

useDatabase({ LOG_LEVEL: "error" });

/** The same stories in every run. `npm run fuzz -- payments` draws many others. */
const STORIES = process.env.FULL_SIZE === "1" ? 400 : 40;
const SEED = 6_000_000;

let sql: postgres.Sql;
let second: Awaited<ReturnType<typeof startPaymentProcess>>;
beforeAll(async () => {
  sql = tables();
  second = await startPaymentProcess();
});
afterAll(async () => {
  await second.stop();
  await sql.end();
});

it(`${STORIES} purchases whose events arrive at the same time at two processes end as in their order`, async () => {
  const report = await runAtOnce(sql, { stories: STORIES, seed: SEED, elsewhere: second.deliver });
  expect(report.stories).toBe(STORIES);
}, 300_000);
