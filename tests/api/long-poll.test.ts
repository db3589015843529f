import { Agent, request } from "node:http";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { changeHub } from "@/lib/api/watch/change-hub";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { makeKeys } from "@/tests/bench/service";
import { call, makeKey } from "@/tests/support/api";
import { startApiServer } from "@/tests/support/api-server";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const app = apiApp(MOUNTS);
const HOUR_MS = 3_600_000;
const newestHour = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

let turn = 0;
/** Ingests a new signal, for the newest candle by default. */
async function ingest(wish: { symbol?: string; tsMs?: number; confidence?: number } = {}) {
  const { symbol = "EURUSD", tsMs = newestHour, confidence = 0.6 } = wish;
  const rest = {
    prob_buy: confidence,
    prob_sell: 0,
    prob_no: 1 - confidence,
    regime: "RANGE",
    expected_rr: 1,
  };
  const item = {
    symbol,
    timeframe: "H1",
    ts: iso(tsMs),
    signal: "BUY",
    confidence,
    model_v: `m${turn++}`,
    ...rest,
  };
  const answer = await call("POST", "/admin/ingest/signals", { admin: true, body: { items: [item] } });
  expect(answer.status, answer.text).toBe(200);
}

async function tagOf(key: string, query = "") {
  const answer = await call("GET", `/api/scan${query}`, { key });
  expect(answer.status).toBe(200);
  return answer.headers.get("etag") ?? "";
}

/** Starts a long poll and waits until it is pending. `answered` resolves with its answer and its duration in ms. */
async function startWait(key: string, tag: string, query = "?wait=20") {
  const before = changeHub().size;
  const startedAt = performance.now();
  const answered = call("GET", `/api/scan${query}`, { key, headers: { "If-None-Match": tag } }).then(
    (answer) => ({ ...answer, ms: performance.now() - startedAt }),
  );
  await waitUntil(async () => changeHub().size > before, 5_000);
  return { answered };
}

/** Long-polls the next scan on a separate connection and reads the whole answer. */
function askOver(
  url: string,
  { agent, key }: { agent: Agent; key: string },
  tag: string,
): Promise<{ status: number | undefined; tag: string | undefined; port: number | undefined }> {
  const headers = { "X-API-Key": key, "If-None-Match": tag };
  return new Promise((done, fail) => {
    request(`${url}/api/scan?wait=50`, { agent, headers }, (answer) => {
      const { localPort: port } = answer.socket;
      answer.resume();
      answer.on("end", () => done({ status: answer.statusCode, tag: answer.headers.etag, port }));
      answer.on("error", fail);
    })
      .on("error", fail)
      .end();
  });
}

let key: string;
let keyId: number;
beforeAll(async () => {
  await ingest();
  await ingest({ symbol: "BTCUSD" });
});
beforeEach(async () => {
  ({ key, keyId } = await makeKey({ rate_limit_per_min: 1000 }));
});

describe("GET /api/scan?wait", () => {
  it("a long poll answers at once without If-None-Match, with an outdated tag, and to HEAD", async () => {
    const startedAt = performance.now();
    expect((await call("GET", "/api/scan?wait=55", { key })).status).toBe(200);
    const headers = { "If-None-Match": '"another"' };
    expect((await call("GET", "/api/scan?wait=55", { key, headers })).status).toBe(200);
    expect(
      (await call("HEAD", "/api/scan?wait=55", { key, headers: { "If-None-Match": await tagOf(key) } }))
        .status,
    ).toBe(304);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("answers as soon as a signal in scope is committed", async () => {
    const { answered } = await startWait(key, await tagOf(key));
    const committedAt = performance.now();
    await ingest();
    const answer = await answered;
    expect(answer.status).toBe(200);
    expect(performance.now() - committedAt).toBeLessThan(2_000);
    expect(answer.json.items[0].symbol).toBe("BTCUSD");
  });

  it("answers 304 at the end of the wait; signals out of scope or below the confidence filter do not end the wait", async () => {
    const { key: basic } = await makeKey({ plan_tier: "basic" });
    const filter = "?min_confidence=0.9&wait=2";
    const waits = await Promise.all([
      startWait(basic, await tagOf(basic), "?wait=2"),
      startWait(key, await tagOf(key, filter), filter),
    ]);
    await ingest({ symbol: "BTCUSD" });
    await ingest({ symbol: "BTCUSD", tsMs: newestHour - 9 * HOUR_MS });
    for (const { answered } of waits) {
      const { status, text, ms } = await answered;
      expect([status, text]).toEqual([304, ""]);
      expect(ms).toBeGreaterThan(1_900);
    }
  });

  it("waits with expand=validity too, and answers once a signal is committed", async () => {
    const query = "?expand=validity&wait=20";
    const tag = await tagOf(key, query);
    expect(tag).toMatch(/^W\//);
    const { answered } = await startWait(key, tag, query);
    await ingest();
    const { status, json } = await answered;
    expect(status).toBe(200);
    expect(json.items[0].pred_id).toEqual(expect.any(Number));
  });

  it.each([
    ["revoked", "key_revoked", () => call("DELETE", `/admin/keys/${keyId}`, { admin: true })],
    ["rotated", "key_rotated", () => call("POST", "/api/account/regenerate-key", { key })],
    [
      "expired",
      "key_expired",
      () => db().$client`update api_keys set expires_at = now() where id = ${keyId}`,
    ],
  ])("a long poll ends within two seconds with 401 when its key is %s", async (_, code, end) => {
    const { answered } = await startWait(key, await tagOf(key));
    await end();
    const endedAt = performance.now();
    const { status, json } = await answered;
    expect([status, json.code]).toEqual([401, code]);
    expect(performance.now() - endedAt).toBeLessThan(2_000);
  });

  it("answers 401 to a wait whose key was revoked, not with a signal committed afterwards", async () => {
    for (let n = 0; n < 5; n++) {
      const made = await makeKey();
      const { answered } = await startWait(made.key, await tagOf(made.key));
      await call("DELETE", `/admin/keys/${made.keyId}`, { admin: true });
      await ingest();
      expect((await answered).status).toBe(401);
    }
  });

  it("applies the key's scope at the time of the answer", async () => {
    const { answered } = await startWait(key, await tagOf(key));
    await db().$client`update api_keys set symbols_allowed = '{BTCUSD}' where id = ${keyId}`;
    await ingest({ symbol: "BTCUSD" });
    const { json } = await answered;
    expect(json.items.map((item: { symbol: string }) => item.symbol)).toEqual(["BTCUSD"]);
  });

  it("a wait counts once against the limit, and a fourth concurrent wait is 429 while polling continues", async () => {
    const tag = await tagOf(key);
    const waits = [await startWait(key, tag), await startWait(key, tag), await startWait(key, tag)];
    const headers = { "If-None-Match": tag };
    const fourth = await call("GET", "/api/scan?wait=20", { key, headers });
    expect([fourth.status, fourth.json.code]).toEqual([429, "too_many_open"]);
    expect(Number(fourth.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const poll = await call("GET", "/api/scan", { key, headers });
    expect(poll.status).toBe(304);
    expect(poll.headers.get("x-ratelimit-remaining")).toBe(String(1000 - 6));
    await ingest();
    for (const { answered } of waits) expect((await answered).status).toBe(200);
    expect(changeHub().size).toBe(0);
  });

  it.each(["56", "-1", "x", "", "1.5", "5&wait=5"])(
    "answers 422 to wait=%s, naming the parameter",
    async (wait) => {
      const { status, json } = await call("GET", `/api/scan?wait=${wait}`, { key });
      expect([status, json.errors[0].loc]).toEqual([422, ["query", "wait"]]);
    },
  );

  it("successive waits reach the last of many signals committed in quick succession", async () => {
    const seen: string[] = [];
    let tag = await tagOf(key);
    const reader = (async () => {
      while (seen.length === 0 || seen.at(-1) !== "last") {
        const answer = await call("GET", "/api/scan?wait=10", { key, headers: { "If-None-Match": tag } });
        expect(answer.status).toBe(200);
        tag = answer.headers.get("etag") ?? "";
        const item = answer.json.items.find((one: { symbol: string }) => one.symbol === "EURUSD");
        seen.push(item.confidence === 0.99 ? "last" : String(item.confidence));
      }
    })();
    for (let n = 1; n <= 20; n++) await ingest({ confidence: n / 100 });
    await ingest({ confidence: 0.99 });
    await reader;
    expect(seen.at(-1)).toBe("last");
  });

  it("answers the first of many waiting requests before the last is notified", async () => {
    const tag = await tagOf(key);
    const sql = connectDirectly();
    const keys = await makeKeys(sql, 600, "pro");
    await sql.end();
    const stillWaiting: number[] = [];
    const answers = keys.map(async (waiting) => {
      const headers = { "X-API-Key": waiting, "If-None-Match": tag };
      const { status } = await app.fetch(new Request("http://localhost/api/scan?wait=20", { headers }));
      stillWaiting.push(changeHub().size);
      return status;
    });
    await waitUntil(async () => changeHub().size === keys.length, 10_000);
    await ingest();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(stillWaiting[0]).toBeGreaterThan(0);
  });

  it("answers each of several waiting clients after every commit, on its kept connection", async () => {
    const server = await startApiServer();
    const ports = new Set<number | undefined>();
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => ({
        agent: new Agent({ keepAlive: true, maxSockets: 1 }),
        key: (await makeKey()).key,
      })),
    );
    try {
      let tag = await tagOf(key);
      for (let commit = 1; commit <= 3; commit++) {
        const answers = clients.map((client) => askOver(server.url, client, tag));
        await waitUntil(async () => changeHub().size === clients.length, 10_000);
        await ingest();
        tag = await tagOf(key);
        for (const { port, ...answer } of await Promise.all(answers)) {
          expect(answer).toEqual({ status: 200, tag });
          ports.add(port);
        }
      }
      expect(ports.size).toBe(clients.length);
    } finally {
      for (const { agent } of clients) agent.destroy();
      await server.close();
    }
  });

  it("each client can wait again on its connection as soon as its wait was answered", async () => {
    const server = await startApiServer();
    const sql = connectDirectly();
    const clients = (await makeKeys(sql, 40, "pro")).flatMap((owner) =>
      Array.from({ length: 3 }, () => ({ agent: new Agent({ keepAlive: true, maxSockets: 1 }), key: owner })),
    );
    await sql.end();
    try {
      const tag = await tagOf(key);
      const told = clients.map((client) => askOver(server.url, client, tag));
      await waitUntil(async () => changeHub().size === clients.length, 10_000);
      const again = told.map(async (first, n) => {
        const { tag: held = "" } = await first;
        return askOver(server.url, clients[n] ?? { agent: new Agent(), key }, held);
      });
      await ingest();
      await Promise.all(told);
      await waitUntil(async () => changeHub().size === clients.length, 10_000);
      await ingest();
      expect(new Set((await Promise.all(again)).map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      for (const { agent } of clients) agent.destroy();
      await server.close();
    }
  });

  it("a scan's headers name when the next candle in scope closes and the newest signal number", async () => {
    const { headers } = await call("GET", "/api/scan", { key });
    const next = Date.parse(headers.get("next-signal-at") ?? "");
    // Crypto trades around the clock.
    expect(next).toBeGreaterThan(Date.now());
    expect(next).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    const [row] = await db().$client<{ seq: string }[]>`select max(seq) as seq from signals`;
    expect(headers.get("signal-seq")).toBe(row?.seq);
  });
});
