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

/** Until the probe has its connection: it is made with the first answer. */
const PROBE_MADE_MS = 500;

/** What `work` returns when everything open has fallen silent, while others are answered over connections of `purpose`. */
async function whenSilent<T>(
  purpose: Purpose,
  work: () => Promise<T>,
): Promise<{ value: T; ms: number; answers: number }> {
  await ask("writes");
  await pause(PROBE_MADE_MS);
  proxy.silence();
  let isOver = false;
  let answers = 0;
  const others = (async () => {
    for (; !isOver; await pause(20)) {
      await ask(purpose);
      answers++;
    }
  })();
  const startedAt = performance.now();
  const value = await work();
  const ms = performance.now() - startedAt;
  isOver = true;
  await others;
  return { value, ms, answers };
}

it("what fell silent with the connections of its time is given up early, while others are answered over newer ones", async () => {
  const { value, ms, answers } = await whenSilent("reads", () =>
    ask("writes").catch((error: unknown) => error),
  );
  expect(hasCause(value, (cause) => "code" in cause && cause.code === "DEADLINE")).toBe(true);
  // Half a second until it is suspicious, a quarter until the probe's connection is, and no full limit.
  expect(ms).toBeGreaterThan(700);
  expect(ms).toBeLessThan(1_400);
  expect(answers).toBeGreaterThan(5);
  expect(breaker().isOpen).toBe(false);
});

it("what can be repeated is done over a new connection in the same time", async () => {
  const { value, ms } = await whenSilent("pages", () =>
    onceMoreWhenSilent(() => db("writes").execute<{ n: number }>(sql`select 7 as n`)),
  );
  expect([...value]).toEqual([{ n: 7 }]);
  expect(ms).toBeLessThan(1_500);
});
