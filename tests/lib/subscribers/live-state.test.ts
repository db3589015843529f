import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { GET as live } from "@/app/portal/live/route";
import { db } from "@/db/client";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import type { LiveState } from "@/lib/subscribers/live-state";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalRequest, signInWithKey } from "@/tests/support/portal";

useDatabase();

const OPENING = { ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" };

/** Reads the states of an open stream as they arrive. */
async function openStream(cookie: string) {
  const response = await live(portalRequest("/portal/live", cookie));
  const reader = response.body?.getReader();
  if (!reader) throw new Error("no stream");
  const states: LiveState[] = [];
  const done = (async () => {
    const decoder = new TextDecoder();
    for (let rest = ""; ; ) {
      const { value, done: ended } = await reader.read();
      if (ended) return;
      rest += decoder.decode(value, { stream: true });
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) if (event.startsWith("data: ")) states.push(JSON.parse(event.slice(6)));
    }
  })();
  return { states, close: () => reader.cancel().then(() => done) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it("a position's report and its close each raise the live version of executions of that subscription only", async () => {
  const [ada, ben] = [await makeKey(), await makeKey()];
  const version = async (key: string) =>
    (await (await live(portalRequest("/portal/live?once", await signInWithKey(key)))).json()).executions;
  expect(await version(ada.key)).toBe(0);
  await call("POST", "/api/executions", { key: ada.key, body: OPENING });
  const opened = await version(ada.key);
  expect(opened).toBeGreaterThan(0);
  // An identical report changes nothing, so no page is refreshed.
  await call("POST", "/api/executions", { key: ada.key, body: OPENING });
  expect(await version(ada.key)).toBe(opened);
  await call("POST", "/api/executions", {
    key: ada.key,
    body: { ticket: 1, closed_at: "2026-11-20T11:00:00Z", pnl: 12.5 },
  });
  expect(await version(ada.key)).toBeGreaterThan(opened);
  expect(await version(ben.key)).toBe(0);
});

it("an open stream of a live portal page pushes the version of executions after a report", async () => {
  const { key } = await makeKey();
  const stream = await openStream(await signInWithKey(key));
  await expect.poll(() => stream.states.at(-1)?.executions).toBe(0);
  await call("POST", "/api/executions", { key, body: OPENING });
  await expect.poll(() => stream.states.at(-1)?.executions, { timeout: 4_000 }).toBeGreaterThan(0);
  await stream.close();
});

it("an open stream of a live portal page sends keep-alives only while the database answers", async () => {
  const { key } = await makeKey();
  const stream = await openStream(await signInWithKey(key));
  await expect.poll(() => stream.states.length).toBeGreaterThan(0);
  const first = Date.parse(stream.states.at(-1)?.at ?? "");
  await expect
    .poll(() => Date.parse(stream.states.at(-1)?.at ?? "") - first, { timeout: 8_000 })
    .toBeGreaterThanOrEqual(5_000);

  await db().execute(sql`alter table state_versions rename to state_versions_away`);
  await pause(500);
  const before = stream.states.length;
  await pause(6_500);
  expect(stream.states.length).toBe(before);
  await db().execute(sql`alter table state_versions_away rename to state_versions`);
  await expect.poll(() => stream.states.length, { timeout: 3_000 }).toBeGreaterThan(before);
  await stream.close();
}, 30_000);

it("a key that was just rotated counts as unused until a program calls with it", async () => {
  const { key } = await makeKey();
  const cookie = await signInWithKey(key);
  const ea = async (session: string) =>
    (await (await live(portalRequest("/portal/live?once", session))).json()).ea;
  await call("GET", "/api/scan", { key });
  await heartbeatBuffer().flush();
  expect(await ea(cookie)).toMatchObject({ status: "online" });
  const { json } = await call("POST", "/api/account/regenerate-key", { key });
  await heartbeatBuffer().flush();
  const renewed = await signInWithKey(json.api_key);
  expect(await ea(renewed)).toEqual({ status: "never", lastSeenAt: null });
  expect((await call("GET", "/api/scan", { key })).status).toBe(401);
  await heartbeatBuffer().flush();
  expect(await ea(renewed)).toMatchObject({ status: "never" });
  await call("GET", "/api/scan", { key: json.api_key });
  expect(await ea(renewed)).toMatchObject({ status: "online" });
});
