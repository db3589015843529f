import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { limited } from "@/db/limited-client";
import { createDatabase } from "@/tests/support/database";

const LIMIT_MS = 300;

describe("a client with limited waits", () => {
  let url: string;
  let drop: () => Promise<void>;
  const opened: postgres.Sql[] = [];
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
    const own = postgres(url, { max: 1 });
    await own`create table written (n int)`;
    await own.end();
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.end({ timeout: 0 });
  });
  afterAll(() => drop());

  const open = () => {
    const silences: number[] = [];
    const client = postgres(url, { max: 1 });
    opened.push(client);
    const database = drizzle(limited(client, LIMIT_MS, () => silences.push(1)));
    return { database, silences };
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: Error & { cause?: { code?: string }; code?: string }) => error.code ?? error.cause?.code,
    );

  it("hands on what comes in time, rows and values alike, and hears of no silence", async () => {
    const { database, silences } = open();
    expect(await database.execute(sql`select 1 as n`)).toMatchObject([{ n: 1 }]);
    expect(await database.select({ n: sql<number>`2` }).from(sql`generate_series(1, 1)`)).toEqual([{ n: 2 }]);
    expect(await database.transaction((tx) => tx.execute(sql`select 3 as n`))).toMatchObject([{ n: 3 }]);
    expect(await codeOf(database.execute(sql`select 1 / 0`))).toBe("22012");
    await new Promise((done) => setTimeout(done, LIMIT_MS + 100));
    expect(silences).toEqual([]);
  });

  it("gives up a statement, and the one that waits behind it", async () => {
    const { database, silences } = open();
    const startedAt = performance.now();
    const slow = codeOf(database.execute(sql`select pg_sleep(5)`));
    const behind = codeOf(database.execute(sql`select 1`));
    expect(await Promise.all([slow, behind])).toEqual(["DEADLINE", "DEADLINE"]);
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS + 1_000);
    expect(silences.length).toBeGreaterThanOrEqual(1);
  });

  it("rolls back a transaction that was given up, whatever it still does, and does not begin one too late", async () => {
    const { database } = open();
    let begun = false;
    const slow = codeOf(
      database.transaction(async (tx) => {
        await tx.execute(sql`insert into written values (1)`);
        await new Promise((done) => setTimeout(done, LIMIT_MS + 200));
        await tx.execute(sql`insert into written values (2)`);
      }),
    );
    const behind = codeOf(
      database.transaction(async () => {
        begun = true;
      }),
    );
    expect(await Promise.all([slow, behind])).toEqual(["DEADLINE", "DEADLINE"]);
    await new Promise((done) => setTimeout(done, 500));
    const own = postgres(url, { max: 1 });
    opened.push(own);
    expect(await own`select n from written`).toHaveLength(0);
    expect(begun).toBe(false);
  });
});
