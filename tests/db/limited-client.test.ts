import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Breaker } from "@/db/breaker";
import { type ClientLimits, limited } from "@/db/limited-client";
import { createDatabase } from "@/tests/support/database";
import { locks } from "@/tests/support/locks";

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

  const limits = { places: 1, waiting: 10, waitMs: 1_000, limitMs: LIMIT_MS };
  const open = (other: Partial<ClientLimits> = {}) => {
    const silences: number[] = [];
    const client = postgres(url, { max: 1 });
    opened.push(client);
    const breaker = new Breaker(async () => true);
    const database = drizzle(limited(client, { ...limits, ...other }, breaker, () => silences.push(1)));
    return { database, silences, breaker, client };
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

  it("gives no connection to two: who finds none free waits, and is refused when too many or too long", async () => {
    const { database, silences } = open({ waiting: 1, waitMs: 100, limitMs: 5_000 });
    const startedAt = performance.now();
    const under = codeOf(database.execute(sql`select pg_sleep(0.9)`));
    const waiting = codeOf(database.execute(sql`select 1`));
    // A statement is sent a moment after it is asked for.
    await new Promise((done) => setTimeout(done, 20));
    const tooMany = codeOf(database.transaction((tx) => tx.execute(sql`select 1`)));
    expect(await tooMany).toBe("POOL_BUSY");
    expect(performance.now() - startedAt).toBeLessThan(300);
    expect(await waiting).toBe("POOL_BUSY");
    expect(performance.now() - startedAt).toBeLessThan(850);
    expect(await under).toBe("done");
    expect(await codeOf(database.execute(sql`select 1`))).toBe("done");
    expect(silences).toEqual([]);
  });

  it("refuses who waits behind a locked table, and lets through again what comes after", async () => {
    const { database, client } = open({ waitMs: 5_000, limitMs: 5_000 });
    await client`set lock_timeout = '200ms'`;
    const other = postgres(url, { max: 1, onnotice: () => undefined });
    opened.push(other);
    let release = () => {};
    const held = other.begin(async (tx) => {
      await tx`lock table written`;
      await new Promise<void>((done) => {
        release = done;
      });
    });
    // Should the test fail, its connection is taken from under it.
    held.catch(() => undefined);
    await expect
      .poll(async () =>
        (await locks(client)).some(
          ({ table, mode, granted }) => table === "written" && mode === "AccessExclusiveLock" && granted,
        ),
      )
      .toBe(true);
    const startedAt = performance.now();
    const asked = Array.from({ length: 5 }, () => codeOf(database.execute(sql`select * from written`)));
    expect(await Promise.all(asked)).toEqual(["55P03", "POOL_BUSY", "POOL_BUSY", "POOL_BUSY", "POOL_BUSY"]);
    expect(performance.now() - startedAt).toBeLessThan(500);
    release();
    await held;
    expect(await codeOf(database.execute(sql`select * from written`))).toBe("done");
  });

  it("lets go of connections that are idle when those of another client fell silent, not of newer or busy ones", async () => {
    const breaker = new Breaker(async () => true);
    const given: string[] = [];
    const openNamed = (name: string, other: Partial<ClientLimits> = {}) => {
      const client = postgres(url, { max: 1 });
      opened.push(client);
      return drizzle(limited(client, { ...limits, ...other }, breaker, () => given.push(name)));
    };
    const silent = openNamed("silent");
    const idle = openNamed("idle");
    const busy = openNamed("busy", { limitMs: 5_000 });
    expect(await codeOf(idle.execute(sql`select 1`))).toBe("done");
    const under = codeOf(busy.execute(sql`select pg_sleep(0.8)`));
    const queued = codeOf(busy.execute(sql`select 1`));
    const asked = codeOf(silent.execute(sql`select pg_sleep(2)`));
    // Its connection is younger than the question that falls silent.
    await new Promise((done) => setTimeout(done, 20));
    openNamed("newer");
    expect(await asked).toBe("DEADLINE");
    expect(given).toEqual(["silent", "idle"]);
    expect(await Promise.all([under, queued])).toEqual(["done", "done"]);
  });

  it("gives what is under way less time when another connection fell silent, where a shorter limit is set", async () => {
    const breaker = new Breaker(async () => true);
    const openWith = (other: Partial<ClientLimits>) => {
      const client = postgres(url, { max: 1 });
      opened.push(client);
      return drizzle(limited(client, { ...limits, limitMs: 5_000, ...other }, breaker, () => undefined));
    };
    const doubted = openWith({ limitInDoubtMs: 600 });
    const trusted = openWith({});
    const startedAt = performance.now();
    const asked = codeOf(doubted.execute(sql`select pg_sleep(3)`));
    const alsoAsked = codeOf(trusted.execute(sql`select pg_sleep(1)`));
    await new Promise((done) => setTimeout(done, 100));
    breaker.noteSilence(performance.now());
    expect(await asked).toBe("DEADLINE");
    expect(performance.now() - startedAt).toBeGreaterThan(550);
    expect(performance.now() - startedAt).toBeLessThan(950);
    expect(await alsoAsked).toBe("done");
    expect(await codeOf(doubted.execute(sql`select 1`))).toBe("done");
  });

  it("fails at once, under way, waiting and new, when the breaker opens", async () => {
    const silences: number[] = [];
    const client = postgres(url, { max: 1 });
    opened.push(client);
    let isThere = false;
    const breaker = new Breaker(async () => isThere);
    const database = drizzle(
      limited(client, { ...limits, waitMs: 5_000, limitMs: 5_000 }, breaker, () => silences.push(1)),
    );
    const startedAt = performance.now();
    const under = codeOf(database.execute(sql`select pg_sleep(3)`));
    const waiting = codeOf(database.execute(sql`select 1`));
    expect(await Promise.all([under, waiting])).toEqual(["DEADLINE", "DEADLINE"]);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(silences).toEqual([1]);
    const againAt = performance.now();
    expect(await codeOf(database.execute(sql`select 1`))).toBe("DEADLINE");
    expect(await codeOf(database.transaction((tx) => tx.execute(sql`select 1`)))).toBe("DEADLINE");
    expect(performance.now() - againAt).toBeLessThan(50);
    isThere = true;
    await expect.poll(() => breaker.isOpen, { timeout: 3_000 }).toBe(false);
  });

  it("does not mind a statement that takes long while the database answers", async () => {
    const { database, silences, breaker } = open({ limitMs: 5_000 });
    expect(await codeOf(database.execute(sql`select pg_sleep(1.2)`))).toBe("done");
    expect(breaker.isOpen).toBe(false);
    expect(silences).toEqual([]);
  });
});
