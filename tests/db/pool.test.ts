import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Breaker } from "@/db/breaker";
import { Pool, type PoolOptions } from "@/db/pool";
import { createDatabase } from "@/tests/support/database";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

const LIMIT_MS = 300;

describe("the connection pool", () => {
  let url: string;
  let drop: () => Promise<void>;
  let proxy: TcpProxy;
  let through: string;
  const opened: postgres.Sql[] = [];
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
    ({ proxy, through } = await openProxyTo(url));
    const own = postgres(url, { max: 1 });
    await own`create table written (n int)`;
    await own.end();
  });
  afterEach(async () => {
    proxy.welcome("pass");
    for (const client of opened.splice(0)) await client.end({ timeout: 0 });
  });
  afterAll(async () => {
    await proxy.cut();
    await drop();
  });

  const open = (
    other: Partial<PoolOptions> = {},
    probe: () => Promise<unknown> = async () => true,
    address = url,
  ) => {
    const options = {
      max: 1,
      waitMs: 1_000,
      limitMs: LIMIT_MS,
      transactionMs: LIMIT_MS,
      prepare: false,
      ...other,
    };
    let opens = 0;
    const breaker = new Breaker(probe, () => pool.replace());
    const pool = new Pool(options, breaker, () => {
      opens++;
      const client = postgres(address, { max: options.max, onnotice: () => undefined });
      opened.push(client);
      return client;
    });
    return { database: drizzle(pool.client), breaker, opens: () => opens };
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: Error & { cause?: { code?: string }; code?: string }) => error.code ?? error.cause?.code,
    );

  it("returns rows, values and errors, and keeps its connections", async () => {
    const { database, opens } = open();
    expect(await database.execute(sql`select 1 as n`)).toMatchObject([{ n: 1 }]);
    expect(await database.select({ n: sql<number>`2` }).from(sql`generate_series(1, 1)`)).toEqual([{ n: 2 }]);
    expect(await database.transaction((tx) => tx.execute(sql`select 3 as n`))).toMatchObject([{ n: 3 }]);
    expect(await codeOf(database.execute(sql`select 1 / 0`))).toBe("22012");
    await pause(LIMIT_MS + 100);
    expect(opens()).toBe(1);
  });

  it("fails an unanswered statement at its limit and opens a new connection", async () => {
    const { database, opens } = open();
    const startedAt = performance.now();
    const slow = codeOf(database.execute(sql`select pg_sleep(5)`));
    const next = codeOf(database.execute(sql`select 1`));
    expect(await Promise.all([slow, next])).toEqual(["DEADLINE", "done"]);
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS + 1_000);
    expect(opens()).toBe(2);
    // Dates arrive as text for drizzle over the new connection too.
    const [row] = await database.execute<{ at: unknown }>(sql`select now() as at`);
    expect(typeof row?.at).toBe("string");
  });

  it("rolls back a transaction that exceeds its time limit", async () => {
    const { database } = open();
    const slow = codeOf(
      database.transaction(async (tx) => {
        await tx.execute(sql`insert into written values (1)`);
        await pause(LIMIT_MS + 300);
        await tx.execute(sql`insert into written values (2)`);
      }),
    );
    expect(await slow).toBe("DEADLINE");
    await pause(600);
    const [row] = await database.execute<{ n: number }>(sql`select count(*)::int as n from written`);
    expect(row).toEqual({ n: 0 });
  });

  it("refuses a call that waits too long for a connection, and keeps the connection", async () => {
    const { database, opens } = open({ waitMs: 100, limitMs: 5_000 });
    const startedAt = performance.now();
    const under = codeOf(database.execute(sql`select pg_sleep(0.9)`));
    await pause(20);
    expect(await codeOf(database.execute(sql`select 1`))).toBe("POOL_BUSY");
    expect(performance.now() - startedAt).toBeLessThan(850);
    expect(await under).toBe("done");
    expect(await codeOf(database.execute(sql`select 1`))).toBe("done");
    expect(opens()).toBe(1);
  });

  it("every call fails at once while the database is silent, and succeeds when it answers again", async () => {
    let isThere = false;
    const { database, breaker } = open({ waitMs: 5_000, limitMs: 5_000 }, async () => {
      if (!isThere) throw new Error("no answer");
    });
    const startedAt = performance.now();
    const under = codeOf(database.execute(sql`select pg_sleep(3)`));
    const waiting = codeOf(database.execute(sql`select 1`));
    expect(await Promise.all([under, waiting])).toEqual(["DEADLINE", "DEADLINE"]);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    const againAt = performance.now();
    expect(await codeOf(database.execute(sql`select 1`))).toBe("DEADLINE");
    expect(await codeOf(database.transaction((tx) => tx.execute(sql`select 1`)))).toBe("DEADLINE");
    expect(performance.now() - againAt).toBeLessThan(50);
    isThere = true;
    await expect.poll(() => breaker.isOpen, { timeout: 3_000 }).toBe(false);
    expect(await codeOf(database.execute(sql`select 1`))).toBe("done");
  });

  it("does not treat a long statement as silence while the database answers", async () => {
    const { database, breaker, opens } = open({ limitMs: 5_000 });
    expect(await codeOf(database.execute(sql`select pg_sleep(1.2)`))).toBe("done");
    expect(breaker.isOpen).toBe(false);
    expect(opens()).toBe(1);
  });

  it("fails calls on silent connections at their limit, serves others, and recovers", async () => {
    const limits = { max: 3, limitMs: 1_500, transactionMs: 1_500 };
    const { database, breaker } = open(limits, async () => true, through);
    // The pool's only open connection does not answer; further calls open others, which answer.
    await database.execute(sql`select 1`);
    proxy.silence();
    const startedAt = performance.now();
    const silent = codeOf(database.execute(sql`select 1`));
    const others = await Promise.all(
      Array.from({ length: 20 }, () => codeOf(database.execute(sql`select 1`))),
    );
    expect(others).toEqual(Array(20).fill("done"));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(await silent).toBe("DEADLINE");
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(breaker.isOpen).toBe(false);
    expect(await codeOf(database.execute(sql`select 1`))).toBe("done");
  });
});
