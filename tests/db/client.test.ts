import { sql } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { closePools, db, poolOptions, setProcessKind } from "@/db/client";
import { lockWithRaisedTimeout } from "@/db/queries/lock-timeout";
import { useDatabase } from "@/tests/support/database";

useDatabase({ TUNING: "timeout-factor=1" });
afterAll(closePools);

it("the pool for short statements has 6 connections, and 3 in the page process", () => {
  expect(poolOptions("short").max).toBe(6);
  setProcessKind("pages");
  expect(poolOptions("short").max).toBe(3);
  setProcessKind("front");
});

// Behind a pooler, statements have no name.
it.skipIf(process.env.TEST_POOLER_URL)(
  "short statements are prepared and planned per value, heavy ones are not prepared",
  async () => {
    const preparedBy = async (purpose: "short" | "heavy") =>
      db(purpose).transaction(async (tx) => {
        for (const n of [1, 2, 3, 4, 5, 6, 7]) await tx.execute(sql`select ${n}::int as asked_here`);
        return tx.execute<{ generic: string; custom: string }>(sql`
        select generic_plans::text as generic, custom_plans::text as custom from pg_prepared_statements
         where statement like '%asked_here%' and statement not like '%pg_prepared%'`);
      });
    expect([...(await preparedBy("short"))]).toEqual([{ generic: "0", custom: "7" }]);
    expect([...(await preparedBy("heavy"))]).toEqual([]);
  },
);

it.skipIf(process.env.TEST_POOLER_URL)(
  "a payment's transaction reuses plans, from the sixth use on",
  async () => {
    const plans = await db().transaction(async (tx) => {
      await tx.execute(lockWithRaisedTimeout());
      for (const n of [1, 2, 3, 4, 5, 6, 7]) await tx.execute(sql`select ${n}::int as asked_in_payment`);
      return tx.execute<{ generic: string; custom: string }>(sql`
      select generic_plans::text as generic, custom_plans::text as custom from pg_prepared_statements
       where statement like '%asked_in_payment%' and statement not like '%pg_prepared%'`);
    });
    expect([...plans]).toEqual([{ generic: "2", custom: "5" }]);
  },
);
