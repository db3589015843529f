import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hasCause } from "@/db/causes";
import { breaker, closePools, db, type Purpose } from "@/db/client";
import { onceMoreWhenSilent } from "@/db/once-more";
import { useDatabase } from "@/tests/support/database";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

useDatabase();

let proxy: TcpProxy;
beforeAll(async () => {
  const opened = await openProxyTo(process.env.DATABASE_URL ?? "");
  proxy = opened.proxy;
  process.env.DATABASE_URL = opened.through;
});
afterAll(async () => {
  await closePools();
  await proxy.cut();
});

const ask = (purpose: Purpose) => db(purpose).execute(sql`select 1`);

/** Has the probe make its connection, as it does by itself some seconds after the first answer. */
const connectProbe = async () => {
  breaker().suspect();
  await pause(500);
};

it("what fell silent with the connections of its time is given up early, while others are answered over newer ones", async () => {
  await ask("writes");
  await connectProbe();
  proxy.silence();
  let isOver = false;
  let answers = 0;
  const others = (async () => {
    for (; !isOver; await pause(20)) {
      await ask("reads");
      answers++;
    }
  })();

  const startedAt = performance.now();
  const silent = await ask("writes").catch((error: unknown) => error);
  const ms = performance.now() - startedAt;
  isOver = true;
  await others;
  expect(hasCause(silent, (cause) => "code" in cause && cause.code === "DEADLINE")).toBe(true);
  // Half a second until it is suspicious, a quarter until the probe's connection is, and no full limit.
  expect(ms).toBeGreaterThan(700);
  expect(ms).toBeLessThan(1_400);
  expect(answers).toBeGreaterThan(5);
  expect(breaker().isOpen).toBe(false);
});

it("what can be repeated is done over a new connection in the same time", async () => {
  await ask("writes");
  await connectProbe();
  proxy.silence();
  let isOver = false;
  const others = (async () => {
    for (; !isOver; await pause(20)) await ask("pages");
  })();
  const startedAt = performance.now();
  const [row] = await onceMoreWhenSilent(() => db("writes").execute<{ n: number }>(sql`select 7 as n`));
  isOver = true;
  await others;
  expect(row).toEqual({ n: 7 });
  expect(performance.now() - startedAt).toBeLessThan(1_500);
});
