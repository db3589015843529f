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
