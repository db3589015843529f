import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MAX_ARRIVAL_ORDERS, runArrivalOrders, runEveryArrivalOrder } from "@/tests/fuzz/arrival-orders";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ LOG_LEVEL: "error" });

/** Number of purchases, the same ones in every run. `npm run fuzz -- payments` draws many others. */
const PURCHASES = 12;
const SEED = 5_000_000;

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

it(`${PURCHASES} purchases end with the same access when their events arrive shuffled and partly repeated`, async () => {
  const report = await runArrivalOrders(sql, { purchases: PURCHASES, seed: SEED });
  expect(report.purchases).toBe(PURCHASES);
}, 120_000);

it("a refund to a buyer with another paid invoice ends all access and leaves only the flag another_paid_invoice, in every order", async () => {
  expect(await runEveryArrivalOrder(sql, "session", { isRefunded: true })).toBe(24);
}, 120_000);

it.each([
  ["change", 120],
  ["membershipChange", 6],
  ["transactionChange", 24],
] as const)(
  "%s: a refunded change of plan restores the former plan and ends no other access, in each tried order",
  async (kind, n) => {
    const tried = process.env.FULL_SIZE === "1" ? n : Math.min(n, MAX_ARRIVAL_ORDERS);
    expect(await runEveryArrivalOrder(sql, kind, { isRefunded: true })).toBe(tried);
  },
  120_000,
);

it.each(["byLink", "sessionByLink"] as const)(
  "%s: a refund ends the access of the subscriber named by the link, and no key of the payer, in every order",
  async (kind) => {
    expect(await runEveryArrivalOrder(sql, kind, { isRefunded: true })).toBe(24);
  },
  120_000,
);

it.each([
  ["upgrade", 6],
  ["variant", 6],
  ["membershipChange", 2],
  ["transactionChange", 6],
  ["change", 24],
] as const)(
  "%s: a change of plan takes effect in every order, also before the first payment",
  async (kind, n) => {
    expect(await runEveryArrivalOrder(sql, kind, { isRefunded: false })).toBe(n);
  },
  120_000,
);
