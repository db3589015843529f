import { sql } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withGuardedTransactions } from "@/db/guarded-transaction";
import { createDatabase } from "@/tests/support/database";

describe("a transaction that loses its connection", () => {
  let url: string;
  let drop: () => Promise<void>;
  let own: postgres.Sql;
  const defects: unknown[] = [];
  const note = (defect: unknown) => void defects.push(defect);
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
    own = postgres(url, { max: 1, onnotice: () => undefined });
    await own`create table written (n int)`;
    process.prependListener("uncaughtException", note);
    process.prependListener("unhandledRejection", note);
  });
  beforeEach(() => own`truncate written`);
  afterAll(async () => {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
    await own.end();
    await drop();
  });

  const open = () => {
    // One connection, so that the next statement uses the lost one.
    const client = postgres(url, {
      max: 1,
      connect_timeout: 2,
      backoff: () => 0.05,
      onnotice: () => undefined,
    });
    return { client, database: drizzle(withGuardedTransactions(client)) };
  };
  const pidOf = async (handle: Pick<PostgresJsDatabase, "execute">) => {
    const [row] = await handle.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    return row?.pid ?? 0;
  };
  const terminate = (pid: number) => own`select pg_terminate_backend(${pid}, 2000)`;

  it.each([
    ["a statement is under way", "statement"],
    ["nothing is under way", "pause"],
    ["nothing is under way and a part begins next", "part"],
  ])(
    "a transaction whose connection is lost while %s fails, writes nothing into the next transaction, and leaves the client usable",
    async (_, step) => {
      const { client, database } = open();
      try {
        for (let round = 1; round <= 5; round++) {
          let goOn = () => {};
          const paused = new Promise<void>((done) => {
            goOn = done;
          });
          let tell: (pid: number) => void = () => {};
          const pid = new Promise<number>((done) => {
            tell = done;
          });
          const lost = database.transaction(async (tx) => {
            await tx.execute(sql`insert into written values (${-round})`);
            tell(await pidOf(tx));
            if (step === "statement") await tx.execute(sql`select pg_sleep(20)`);
            else await paused;
            const write = (handle: Pick<typeof tx, "execute">) =>
              handle.execute(sql`insert into written values (${-round})`);
            await (step === "part" ? tx.transaction(write) : write(tx));
          });
          lost.catch(() => undefined);
          await terminate(await pid);
          await expect(lost).rejects.toThrow();
          // The driver reports the lost connection's end to the next statement.
          await client`select 1`.catch(() => undefined);
          const next = database.transaction(async (tx) => {
            await tx.execute(sql`insert into written values (${round})`);
            goOn();
            await tx.execute(sql`select pg_sleep(0.05)`);
            await tx.execute(sql`insert into written values (${round})`);
          });
          await next;
        }
        expect(await own`select n, count(*)::int as times from written group by n order by n`).toEqual(
          [1, 2, 3, 4, 5].map((n) => ({ n, times: 2 })),
        );
        await new Promise((done) => setTimeout(done, 100));
        expect(defects).toEqual([]);
      } finally {
        await client.end({ timeout: 0 });
      }
    },
  );

  it("an application error rolls the transaction back and is rethrown, even in a savepoint", async () => {
    const { client, database } = open();
    try {
      const failing = database.transaction(async (tx) => {
        await tx.execute(sql`insert into written values (1)`);
        throw new Error("not this");
      });
      await expect(failing).rejects.toThrow("not this");
      await database.transaction(async (tx) => {
        await tx.execute(sql`insert into written values (2)`);
        const part = tx.transaction(async (inner) => {
          await inner.execute(sql`insert into written values (3)`);
          throw new Error("not this part");
        });
        await expect(part).rejects.toThrow("not this part");
      });
      expect(await own`select n from written`).toEqual([{ n: 2 }]);
    } finally {
      await client.end({ timeout: 0 });
    }
  });
});
