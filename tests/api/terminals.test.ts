import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import { listTerminals, MAX_TERMINALS } from "@/db/queries/terminals";
import { changeHub } from "@/lib/api/watch/change-hub";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { pauseOwnTrading, resumeOwnTrading } from "@/lib/subscribers/own-pauses";
import { terminalBuffer } from "@/lib/subscribers/terminals";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { ingest, signalItem } from "@/tests/support/market-data";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const ACTOR = { kind: "worker" } as const;
const HEADER = "X-Signals-Paused";
const DEMO = { "X-Terminal": 'aaaaaaaa11111111; server="Broker-Demo"; account=demo' };
const LIVE = { "X-Terminal": 'bbbbbbbb22222222; server="Other-Live"; account=real' };
const ALL = { symbol: null, timeframe: null };
const H1 = { symbol: "EURUSD", timeframe: "H1" } as const;

let version = 0;
const make = (wish: object = {}) =>
  ingest("signals", [signalItem({ ...H1, signal: "BUY", model_v: `t${version++}`, ...wish })]);

async function subscriber(wish: Parameters<typeof makeKey>[0] = {}) {
  const { keyId, key } = await makeKey(wish);
  const [row] = await db().execute<{ id: number }>(
    sql`select subscription_id as id from api_keys where id = ${keyId}`,
  );
  return { key, id: row?.id ?? -1 };
}

const predIdOf = async (key: string, symbol = "EURUSD") => {
  const { json } = await call("GET", "/api/scan?expand=validity", { key });
  return json.items.find((item: { symbol: string }) => item.symbol === symbol)?.pred_id as number;
};

beforeAll(async () => {
  await make();
  await make({ symbol: "BTCUSD" });
});

describe("a subscriber's own pause", () => {
  it("a subscriber's pause is in a header of each poll of this subscription until it is ended", async () => {
    const { key, id } = await subscriber();
    const other = await subscriber();
    const plain = await call("GET", "/api/scan", { key });
    expect(plain.headers.get(HEADER)).toBeNull();
    await pauseOwnTrading(db(), id, H1, ACTOR);
    const held = await call("GET", "/api/scan", { key });
    expect(held.headers.get(HEADER)).toMatch(/^EURUSD\/H1;since=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(held.text).toBe(plain.text);
    const etag = held.headers.get("etag") ?? "";
    const same = await call("GET", "/api/scan", { key, headers: { "If-None-Match": etag } });
    expect([same.status, same.headers.get(HEADER)]).toEqual([304, held.headers.get(HEADER)]);
    expect((await call("GET", "/api/scan", { key: other.key })).headers.get(HEADER)).toBeNull();

    await pauseOwnTrading(db(), id, ALL, ACTOR);
    expect((await call("GET", "/api/scan", { key })).headers.get(HEADER)).toMatch(
      /^all;since=\S+, EURUSD\/H1;/,
    );
    for (const { id: pauseId } of await listSubscriberPauses(db(), id))
      await resumeOwnTrading(db(), id, pauseId, ACTOR);
    expect((await call("GET", "/api/scan", { key })).headers.get(HEADER)).toBeNull();
  });

  it("a subscriber's pause is stored once per slot, only for existing slots, and only its owner can end it", async () => {
    const { id } = await subscriber();
    const other = await subscriber();
    const asked = await Promise.allSettled([1, 2, 3].map(() => pauseOwnTrading(db(), id, H1, ACTOR)));
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(
      pauseOwnTrading(db(), id, { symbol: "NOSUCH", timeframe: "H1" }, ACTOR),
    ).rejects.toMatchObject({
      code: "validation_failed",
    });
    const [pause] = await listSubscriberPauses(db(), id);
    await expect(resumeOwnTrading(db(), other.id, pause?.id ?? 0, ACTOR)).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await listSubscriberPauses(db(), id)).toHaveLength(1);
  });

  it("a subscriber's pause is in the answer of a poll that was already waiting, and survives a key rotation", async () => {
    const { key, id } = await subscriber();
    const held = await call("GET", "/api/scan?wait=1", { key });
    const waiting = call("GET", "/api/scan?wait=20", {
      key,
      headers: { "If-None-Match": held.headers.get("etag") ?? "" },
    });
    await waitUntil(async () => changeHub().size === 1, 5_000);
    await pauseOwnTrading(db(), id, ALL, ACTOR);
    await make();
    const answer = await waiting;
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, expect.stringMatching(/^all;since=/)]);
    const rotated = await call("POST", "/api/account/regenerate-key", { key });
    const next = await call("GET", "/api/scan", { key: rotated.json.api_key });
    expect(next.headers.get(HEADER)).toBe(answer.headers.get(HEADER));
  });
});

describe("POST /api/executions/not-traded", () => {
  const tell = (key: string, body: unknown, headers: Record<string, string> = {}) =>
    call("POST", "/api/executions/not-traded", { key, body, headers });

  it("the reason why a signal was not traded is stored once per signal and terminal, the last one sent", async () => {
    const { key, id } = await subscriber();
    const pred_id = await predIdOf(key);
    const first = await tell(key, { pred_id, reason: "SPREAD" });
    expect([first.status, first.json]).toEqual([201, { ok: true, action: "created", pred_id }]);
    expect((await tell(key, { pred_id, reason: "TERMINAL_ERROR", error_code: 132 })).json.action).toBe(
      "updated",
    );
    expect((await tell(key, { pred_id, reason: "HOURS" }, DEMO)).json.action).toBe("created");
    const rows = await db().execute(
      sql`select terminal, reason, error_code from untraded_signals where subscription_id = ${id} order by terminal`,
    );
    expect([...rows]).toEqual([
      { terminal: "", reason: "TERMINAL_ERROR", error_code: 132 },
      { terminal: "aaaaaaaa11111111", reason: "HOURS", error_code: null },
    ]);
  });

  it("a report of an untraded signal takes its numbers as text too, as clumsy clients send them", async () => {
    const { key } = await subscriber();
    const pred_id = await predIdOf(key);
    const sent = await tell(key, {
      pred_id: String(pred_id),
      reason: "TERMINAL_ERROR",
      error_code: " -132 ",
    });
    expect([sent.status, sent.json]).toEqual([201, { ok: true, action: "created", pred_id }]);
    for (const wrong of ["", "1.5", "1e3", "12345678901234567890"])
      expect((await tell(key, { pred_id: wrong, reason: "SPREAD" })).status).toBe(422);
  });

  it("a report of an untraded signal with an unknown reason or signal, or one out of scope, is 422, naming the field", async () => {
    const { key } = await subscriber({ plan_tier: "basic" });
    const pro = await subscriber();
    const pred_id = await predIdOf(key);
    const hidden = await predIdOf(pro.key, "BTCUSD");
    for (const [body, field] of [
      [{ pred_id, reason: "WEATHER" }, "reason"],
      [{ pred_id: hidden, reason: "SPREAD" }, "pred_id"],
      [{ pred_id: 999_999_999, reason: "SPREAD" }, "pred_id"],
      [{ pred_id: 1e300, reason: "SPREAD" }, "pred_id"],
      [{ pred_id: "x", reason: "SPREAD" }, "pred_id"],
      [{ reason: "SPREAD" }, "pred_id"],
      [{ pred_id, reason: "SPREAD", error_code: 1e12 }, "error_code"],
    ] as const) {
      const { status, json } = await tell(key, body);
      expect([status, json.errors[0].loc]).toEqual([422, ["body", field]]);
    }
    expect((await tell(crypto.randomUUID(), { pred_id, reason: "SPREAD" })).status).toBe(401);
  });
});

describe("terminals of one key", () => {
  const opening = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };

  it("terminals are listed only with expand=terminals, each with its positions and untraded signals", async () => {
    const { key, id } = await subscriber();
    await call("GET", "/api/scan", { key });
    await call("GET", "/api/scan", { key, headers: DEMO });
    await call("GET", "/api/scan", { key, headers: DEMO });
    await call("POST", "/api/executions", { key, headers: LIVE, body: { ticket: 1, ...opening } });
    await call("POST", "/api/executions", {
      ...{ key, headers: LIVE },
      body: {
        ticket: 2,
        ...opening,
        closed_at: new Date().toISOString(),
        exit_price: 1.2,
        pnl: 9,
        currency: "EUR",
      },
    });
    await call("POST", "/api/executions/not-traded", {
      ...{ key, headers: DEMO },
      body: { pred_id: await predIdOf(key), reason: "SPREAD" },
    });
    await terminalBuffer().flush();
    const { json } = await call("GET", "/api/ea-status?expand=terminals", { key });
    const told = json.terminals.map(
      ({ last_heartbeat: _, mins_since: __, ...rest }: { last_heartbeat: string; mins_since: number }) =>
        rest,
    );
    expect(told).toHaveLength(2);
    expect(told).toContainEqual({
      ...{ terminal: "aaaaaaaa11111111", server: "Broker-Demo", account: "demo", online: true },
      ...{ n_open: 0, n_closed: 0, n_not_traded: 1 },
    });
    expect(told).toContainEqual({
      ...{ terminal: "bbbbbbbb22222222", server: "Other-Live", account: "real", online: true },
      ...{ n_open: 1, n_closed: 1, n_not_traded: 0 },
    });
    expect(Object.keys((await call("GET", "/api/ea-status", { key })).json)).not.toContain("terminals");
    const [live] = (await listTerminals(db(), id)).filter(({ account }) => account === "real");
    expect(live).toMatchObject({ pnl: "9", currency: "EUR" });
  });

  it("a terminal has no sum of results if only some of them name a currency", async () => {
    const { key, id } = await subscriber();
    const closed = { ...opening, closed_at: new Date().toISOString(), exit_price: 1.2 };
    const send = (body: object) => call("POST", "/api/executions", { key, headers: LIVE, body });
    await send({ ...closed, ticket: 1, pnl: 9, currency: "EUR" });
    await send({ ...closed, ticket: 2 });
    await send({ ...opening, ticket: 3, currency: "USD" });
    await call("GET", "/api/scan", { key, headers: LIVE });
    await terminalBuffer().flush();
    expect(await listTerminals(db(), id)).toMatchObject([
      { nClosed: 2, nOpen: 1, pnl: "9", currency: "EUR" },
    ]);
    await send({ ...closed, ticket: 4, pnl: 5 });
    expect(await listTerminals(db(), id)).toMatchObject([{ nClosed: 3, pnl: null }]);
  });

  it("a report of another terminal for a used ticket gets 422; a terminal may close a position reported without a terminal", async () => {
    const { key } = await subscriber();
    const body = { ticket: 77, ...opening };
    expect((await call("POST", "/api/executions", { key, headers: DEMO, body })).json.action).toBe("created");
    const clash = await call("POST", "/api/executions", {
      ...{ key, headers: LIVE },
      body: { ticket: 77, closed_at: new Date().toISOString(), exit_price: 9, pnl: 1 },
    });
    expect([clash.status, clash.json.errors[0].loc]).toEqual([422, ["body", "ticket"]]);
    // A client that does not yet send a terminal continues with its open positions.
    const old = { ticket: 78, ...opening };
    await call("POST", "/api/executions", { key, body: old });
    const closing = { ticket: 78, closed_at: new Date().toISOString(), exit_price: 1.2, pnl: 1 };
    expect((await call("POST", "/api/executions", { key, headers: DEMO, body: closing })).status).toBe(201);
  });

  describe("after a broker renamed its server", () => {
    const opened_at = "2026-11-20T10:00:00Z";
    const closing = { closed_at: "2026-11-20T11:00:00Z", exit_price: 1.2, pnl: 1, result: "TP" };
    const report = (key: string, headers: Record<string, string>, body: object) =>
      call("POST", "/api/executions", { key, headers, body });

    it.each([
      ["opening and price", { ...opening, opened_at }],
      ["opening alone", { ...opening, opened_at, entry_price: undefined }],
      ["price alone, with a wrong clock", { ...opening, opened_at: "2026-11-20T09:00:00Z" }],
      ["opening and the broker's symbol", { ...opening, opened_at, symbol: "EURUSDm" }],
      ["price alone, as text", { symbol: "EURUSD", entry_price: "1.10000000" }],
      ["price, together with unreadable fields", { ...opening, opened_at: "soon", confidence: 7 }],
    ])("a close under the broker's new server name finds its position by %s", async (_, entry) => {
      const { key, id } = await subscriber();
      await report(key, DEMO, { ticket: 79, ...opening, opened_at });
      for (const pnl of [1, 1, 2]) {
        const { status, json } = await report(key, LIVE, { ticket: 79, ...entry, ...closing, pnl });
        expect([status, json.action]).toEqual([201, "updated"]);
      }
      // A delayed report under the old name is still accepted.
      expect((await report(key, DEMO, { ticket: 79, ...closing, pnl: 2 })).status).toBe(201);
      const rows = await db().execute(
        sql`select result, pnl, opened_at = ${opened_at} as same from executions where subscription_id = ${id}`,
      );
      expect([...rows]).toEqual([{ result: "TP", pnl: "2", same: true }]);
    });

    it.each([
      ["no opening", {}],
      ["another symbol", { ...opening, opened_at, symbol: "GBPUSD" }],
      ["another opening and price", { ...opening, opened_at: "2026-11-20T10:00:01Z", entry_price: 1.1001 }],
      ["an opening without a symbol", { opened_at, entry_price: 1.1 }],
    ])("a close under the broker's new server name with %s gets 422", async (_, entry) => {
      const { key, id } = await subscriber();
      await report(key, DEMO, { ticket: 80, ...opening, opened_at });
      const { status, json } = await report(key, LIVE, { ticket: 80, ...entry, ...closing });
      expect([status, json.errors[0].loc]).toEqual([422, ["body", "ticket"]]);
      const [row] = await db().execute(sql`select closed_at from executions where subscription_id = ${id}`);
      expect(row).toEqual({ closed_at: null });
    });

    it("a price of 0 does not identify a position under the broker's new server name", async () => {
      const { key } = await subscriber();
      await report(key, DEMO, { ticket: 81, ...opening, opened_at, entry_price: 0 });
      expect(
        (await report(key, LIVE, { ticket: 81, symbol: "EURUSD", entry_price: 0, ...closing })).status,
      ).toBe(422);
    });
  });

  it("an unreadable terminal header is ignored, and the number of stored terminals is limited", async () => {
    const { key, id } = await subscriber({ rate_limit_per_min: 1_000 });
    for (const name of ["short", "", "ü".repeat(9), "x".repeat(65), '"; drop table terminals']) {
      const headers = new Headers();
      try {
        headers.set("X-Terminal", name);
      } catch {
        continue;
      }
      expect((await call("GET", "/api/scan", { key, headers: Object.fromEntries(headers) })).status).toBe(
        200,
      );
    }
    for (let n = 0; n < MAX_TERMINALS + 5; n++)
      await call("GET", "/api/scan", { key, headers: { "X-Terminal": `terminal-${100 + n}` } });
    await terminalBuffer().flush();
    await call("GET", "/api/scan", { key, headers: { "X-Terminal": "terminal-100" } });
    await terminalBuffer().flush();
    const kept = await listTerminals(db(), id);
    expect(kept).toHaveLength(MAX_TERMINALS);
    expect(kept.filter(({ server, account }) => server !== null || account !== null)).toEqual([]);
  });
});

it("a scan's answer is the same with and without the terminal header", async () => {
  const { key } = await subscriber();
  const app = apiApp(MOUNTS);
  const asked = async (headers: Record<string, string>) => {
    const answer = await app.fetch(
      new Request("http://localhost/api/scan", { headers: { "X-API-Key": key, ...headers } }),
    );
    return [answer.status, await answer.text()];
  };
  expect(await asked({})).toEqual(await asked(DEMO));
});
