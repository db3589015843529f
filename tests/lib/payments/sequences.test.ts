import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runLatePayments } from "@/tests/fuzz/late-payments";
import { runPaymentSequences } from "@/tests/fuzz/payment-sequences";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { TEST_SEED } from "@/tests/support/run-named";

useDatabase({ LOG_LEVEL: "warn" });

/** Numbers of sequences and of late payers. `npm run test:machine` and `npm run fuzz -- payments` run more. */
const [SEQUENCES, SUBSCRIBERS] = process.env.FULL_SIZE === "1" ? [400, 60] : [50, 20];

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

it(`${SEQUENCES} random, partly concurrent sequences of deliveries end as specified`, async () => {
  const report = await runPaymentSequences(sql, { sequences: SEQUENCES, seed: TEST_SEED, lanes: 4 });
  expect(report.sequences).toBe(SEQUENCES);
  expect(report.batches).toBeGreaterThan(SEQUENCES / 2);
}, 300_000);

it("the failed-payment grace adds no day to a late payment", async () => {
  const report = await runLatePayments(sql, { subscribers: SUBSCRIBERS, seed: TEST_SEED, lanes: 4 });
  expect(report.payments).toBeGreaterThan(2 * SUBSCRIBERS);
}, 120_000);
