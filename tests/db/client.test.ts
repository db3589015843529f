import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { breaker, db, preparedDb } from "@/db/client";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("a database that was taken before goes on over new connections after its own were given up", async () => {
  const kept = [db("statistics"), preparedDb()];
  const ask = () =>
    Promise.all(
      kept.map(async (database) => {
        const [row] = await database.transaction((tx) =>
          tx.execute<{ at: unknown; pid: number }>(sql`select now() as at, pg_backend_pid() as pid`),
        );
        return row;
      }),
    );
  const before = await ask();
  breaker().noteSilence(performance.now());
  const after = await ask();
  const pids = [...before, ...after].map((row) => row?.pid);
  expect(new Set(pids).size).toBe(4);
  // Read as drizzle reads it, by new connections too.
  expect(after.map((row) => typeof row?.at)).toEqual(["string", "string"]);
});

// Behind a pooler no statement has a name.
it.skipIf(process.env.TEST_POOLER_URL)(
  "what pages and short reads ask is prepared once and planned for its values each time, statistics are not prepared",
  async () => {
    const preparedBy = async (purpose: "pages" | "reads" | "statistics") =>
      db(purpose).transaction(async (tx) => {
        for (const n of [1, 2, 3, 4, 5, 6, 7]) await tx.execute(sql`select ${n}::int as asked_here`);
        return tx.execute<{ generic: string; custom: string }>(sql`
        select generic_plans::text as generic, custom_plans::text as custom from pg_prepared_statements
         where statement like '%asked_here%' and statement not like '%pg_prepared%'`);
      });
    expect([...(await preparedBy("pages"))]).toEqual([{ generic: "0", custom: "7" }]);
    expect([...(await preparedBy("reads"))]).toEqual([{ generic: "0", custom: "7" }]);
    expect([...(await preparedBy("statistics"))]).toEqual([]);
  },
);
