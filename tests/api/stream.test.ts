import { once } from "node:events";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { changeHub } from "@/lib/api/watch/change-hub";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { signalReplayCache } from "@/lib/signals/committed-signals";
import { recordSignals } from "@/lib/signals/record-signals";
import { call, makeKey } from "@/tests/support/api";
import { sendRaw, startApiServer } from "@/tests/support/api-server";
import { useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { SIGNAL_DEFAULTS } from "@/tests/support/signal-defaults";
import { type EventStream, readEventStream } from "@/tests/support/stream";

useDatabase();

const HOUR_MS = 3_600_000;
const newestHour = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const app = apiApp(MOUNTS);
const open: EventStream[] = [];

let turn = 0;
/** Ingests `n` new signals; tests read what was committed from the journal. */
async function ingest(symbol: string, n = 1) {
  const figures = { confidence: 0.6, prob_buy: 0.6, prob_sell: 0.2, prob_no: 0.2, expected_rr: 1 };
  const items = Array.from({ length: n }, () => {
    const ts = new Date(newestHour - (turn % 500) * HOUR_MS).toISOString().replace(".000", "");
    return { symbol, timeframe: "H1", ts, signal: "BUY", model_v: `m${turn++}`, regime: "RANGE", ...figures };
  });
  const answer = await call("POST", "/admin/ingest/signals", { admin: true, body: { items } });
  expect(answer.status, answer.text).toBe(200);
}

/** Stores a signal of the second model of EURUSD H1. */
async function ingestBeside() {
  const [slot] = await db().$client<{ id: number }[]>`
    select id from slots where symbol = 'EURUSD' and timeframe = 'H1'`;
  const ts = new Date(newestHour);
  const figures = { signal: "BUY", confidence: 0.6, probBuy: 0.6, probSell: 0.2, probNo: 0.2 } as const;
  const row = {
    ...SIGNAL_DEFAULTS,
    ...figures,
    slotId: slot!.id,
    ts,
    closesAt: new Date(newestHour + HOUR_MS),
  };
  const stored = await db().transaction((tx) =>
    recordSignals(tx, [{ ...row, modelV: `second${turn++}`, beside: true }]),
  );
  expect(stored).toBe(1);
}

/** The numbers of a symbol's signals in the database, in commit order. */
async function journal(symbol: string, after = 0): Promise<number[]> {
  const rows = await db().$client<{ seq: string }[]>`
    select g.seq from signals g join slots s on s.id = g.slot_id
     where s.symbol = ${symbol} and g.seq > ${after} order by g.seq`;
  return rows.map(({ seq }) => Number(seq));
}

async function openStream(key: string, query = "", headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost/api/stream${query}`, {
    headers: { "X-API-Key": key, ...headers },
  });
  const response = await app.fetch(request);
  expect(response.status).toBe(200);
  const stream = readEventStream(response);
  open.push(stream);
  await waitUntil(async () => stream.events.some(({ event }) => event === "status"), 5_000);
  return stream;
}

const numbersOf = ({ events }: EventStream) =>
  events.flatMap(({ event, id }) => (event === "signal" ? [id] : []));
const until = (stream: EventStream, n: number) =>
  waitUntil(
    async () => numbersOf(stream).length >= n,
    5_000,
    () => JSON.stringify(stream.events).slice(0, 500),
  );

let key: string;
let keyId: number;
beforeAll(() => ingest("EURUSD", 5));
beforeEach(async () => {
  ({ key, keyId } = await makeKey());
});
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await waitUntil(async () => changeHub().size === 0, 5_000);
});

describe("GET /api/stream", () => {
  it("sends each signal in scope once, in commit order, with its number and pred_id", async () => {
    const [newest = 0] = (await journal("EURUSD")).slice(-1);
    const stream = await openStream(key);
    for (let n = 0; n < 5; n++) await ingest("EURUSD", 3);
    await until(stream, 15);
    expect(numbersOf(stream)).toEqual(await journal("EURUSD", newest));
    const { data } = stream.events.find(({ event }) => event === "signal") ?? {};
    expect(data).toMatchObject({ symbol: "EURUSD", timeframe: "H1", signal: "BUY", confidence: 0.6 });
    expect(data.pred_id).toEqual(expect.any(Number));
    const scan = await call("GET", "/api/scan?expand=validity", { key });
    expect(Object.keys(scan.json.items[0])).toEqual(expect.arrayContaining(Object.keys(data)));
  });

  it("stops sending a symbol's signals when the key's scope is narrowed to another symbol during the stream", async () => {
    const stream = await openStream(key);
    await ingest("BTCUSD");
    await until(stream, 1);
    await db().$client`update api_keys set symbols_allowed = '{EURUSD}' where id = ${keyId}`;
    await ingest("BTCUSD");
    await ingest("EURUSD");
    await until(stream, 2);
    expect(stream.events.flatMap(({ data }) => data.symbol ?? [])).toEqual(["BTCUSD", "EURUSD"]);
  });

  it.each(["after", "Last-Event-ID"])(
    "replays the signals after the number in %s, then sends the new ones",
    async (way) => {
      const known = await journal("EURUSD");
      const from = known.at(-4) ?? 0;
      const stream =
        way === "after"
          ? await openStream(key, `?after=${from}`)
          : await openStream(key, "?after=0", { "Last-Event-ID": String(from) });
      await ingest("EURUSD");
      const expected = await db().$client<
        { seq: string }[]
      >`select seq from signals where seq > ${from} order by seq`;
      await until(stream, expected.length);
      expect(numbersOf(stream)).toEqual(expected.map(({ seq }) => Number(seq)));
    },
  );

  it("replays the newest thousand signals, after a gap event that names the omitted ones", async () => {
    await ingest("GBPUSD", 1_203);
    await ingest("USDJPY", 900);
    const all = await journal("GBPUSD");
    await db().$client`update api_keys set symbols_allowed = '{GBPUSD}' where id = ${keyId}`;
    const stream = await openStream(key, "?after=2");
    await until(stream, 1_000);
    expect(numbersOf(stream)).toEqual(all.slice(-1_000));
    const gap = stream.events.find(({ event }) => event === "gap");
    expect(gap?.data).toEqual({ from: 3, to: (all.at(-1_000) ?? 0) - 1 });
    expect(stream.events.filter(({ event }) => event === "gap")).toHaveLength(1);
    expect(stream.events.findIndex(({ event }) => event === "gap")).toBeLessThan(
      stream.events.findIndex(({ event }) => event === "signal"),
    );
    stream.close();

    const inside = await openStream(key, `?after=${all.at(-900)}`);
    await until(inside, 899);
    expect(inside.events.filter(({ event }) => event === "gap")).toEqual([]);
    expect(numbersOf(inside)).toEqual(all.slice(-899));
  });

  it.each([
    ["?after=-1", {}, ["query", "after"]],
    ["?after=x", {}, ["query", "after"]],
    ["?after=", {}, ["query", "after"]],
    ["", { "Last-Event-ID": "1.5" }, ["header", "Last-Event-ID"]],
  ])("answers 422 to %s %o, naming the field", async (query, headers, loc) => {
    const { status, json } = await call("GET", `/api/stream${query}`, { key, headers });
    expect([status, json.errors?.[0]?.loc]).toEqual([422, loc]);
  });

  it("a stream over a real connection sends the signals made before and after its opening, in order", async () => {
    const server = await startApiServer();
    try {
      const scan = await call("GET", "/api/scan", { key });
      const before = Number(scan.headers.get("signal-seq"));
      await ingest("EURUSD", 2);
      const headers = { "X-API-Key": key, "Last-Event-ID": String(before) };
      const stream = readEventStream(await fetch(`${server.url}/api/stream`, { headers }));
      open.push(stream);
      for (let n = 0; n < 20; n++) await ingest("EURUSD", 2);
      await until(stream, 42);
      expect(numbersOf(stream)).toEqual(await journal("EURUSD", before));
    } finally {
      await server.close();
    }
  });

  it("a stream continues after numbers that belong to a slot's second model, whose signals it does not send", async () => {
    const stream = await openStream(key);
    await ingestBeside();
    const [newest = 0] = (await journal("EURUSD")).slice(-1);
    const second = await openStream(key, "", { "Last-Event-ID": String(newest) });
    await ingest("EURUSD");
    await until(stream, 1);
    await until(second, 1);
    const sent = await journal("EURUSD", newest);
    expect(numbersOf(stream)).toEqual(sent);
    expect(numbersOf(second)).toEqual(sent);
  });

  it("continues from the signal number in a scan without missing a signal", async () => {
    const scan = await call("GET", "/api/scan", { key });
    await ingest("EURUSD", 2);
    const stream = await openStream(key, `?after=${scan.headers.get("signal-seq")}`);
    await until(stream, 2);
    expect(numbersOf(stream)).toEqual(await journal("EURUSD", Number(scan.headers.get("signal-seq"))));
  });

  describe("after a restore of the database", () => {
    const newest = async () => (await journal("EURUSD")).at(-1) ?? 0;
    /** Changes the newest signal, as a restored database would: its number now belongs to another signal. */
    const replaceNewest = async () => {
      signalReplayCache().forget();
      await db()
        .$client`update signals set created_at = created_at + interval '1 ms' where seq = ${await newest()}`;
    };
    const gaps = ({ events }: EventStream) => events.filter(({ event }) => event === "gap");

    it.each([
      ["?after=999999999", {}],
      ["", { "Last-Event-ID": "999999999" }],
    ])(
      "after a restore, a position ahead of the database (%s %o) starts from now, after a gap event",
      async (query, headers) => {
        await ingest("EURUSD");
        const last = await newest();
        const stream = await openStream(key, query, headers);
        await ingest("EURUSD");
        await until(stream, 1);
        expect(gaps(stream).map(({ data }) => data)).toEqual([{ from: 1, to: last }]);
        expect(numbersOf(stream)).toEqual(await journal("EURUSD", last));
      },
    );

    it.each([
      ["was recorded at another time", "created_at = created_at + interval '1 ms'"],
      ["has another direction", "signal = 'SELL'"],
      ["has another probability", "prob_buy = 0.59"],
      ["is of another model", "model_v = model_v || '-2'"],
    ])(
      "after a restore, a position whose signal %s gets a gap event and no replayed signal",
      async (_how, change) => {
        const first = await openStream(key);
        await ingest("EURUSD");
        await until(first, 1);
        await waitUntil(async () => Number(first.lastId()) > (await newest()), 5_000);
        const place = first.lastId();
        first.close();
        signalReplayCache().forget();
        await db().$client.unsafe(`update signals set ${change} where seq = ${await newest()}`);
        const other = await openStream(key, "", { "Last-Event-ID": place });
        await waitUntil(async () => gaps(other).length === 1, 5_000);
        expect(numbersOf(other)).toEqual([]);
      },
    );

    it("after a restore, a position whose signal was lost gets a gap event", async () => {
      const first = await openStream(key);
      await ingest("EURUSD");
      await until(first, 1);
      await waitUntil(async () => Number(first.lastId()) > (await newest()), 5_000);
      const place = first.lastId();
      first.close();
      signalReplayCache().forget();
      await db().$client`update signals set backfilled = true where seq = ${await newest()}`;
      const other = await openStream(key, "", { "Last-Event-ID": place });
      await waitUntil(async () => gaps(other).length === 1, 5_000);
    });

    it("after a restore, a position whose number was reused starts from now, after a gap event", async () => {
      const first = await openStream(key);
      await ingest("EURUSD", 2);
      await until(first, 2);
      await waitUntil(async () => Number(first.lastId()) > (await newest()), 5_000);
      const place = first.lastId();
      first.close();

      const same = await openStream(key, "", { "Last-Event-ID": place });
      await ingest("EURUSD");
      await until(same, 1);
      expect([gaps(same), numbersOf(same)]).toEqual([[], [await newest()]]);
      await waitUntil(async () => Number(same.lastId()) > (await newest()), 5_000);
      const later = same.lastId();
      expect(Number(later)).toBeGreaterThan(Number(place));
      same.close();

      await replaceNewest();
      await ingest("EURUSD");
      const other = await openStream(key, "", { "Last-Event-ID": later });
      await waitUntil(async () => gaps(other).length === 1, 5_000);
      expect(gaps(other)[0]?.data.to).toBe(await newest());
      expect(numbersOf(other)).toEqual([]);
    });
  });

  it("announces a new champion of a slot in scope", async () => {
    const model = (symbol: string, model_v: string) => ({
      symbol,
      timeframe: "H1",
      model_v,
      is_active: true,
      trained_at: "2026-11-01T00:00:00Z",
    });
    const register = (...items: object[]) =>
      call("POST", "/admin/ingest/models", { admin: true, body: { items } });
    await register(model("EURUSD", "old"));
    await db().$client`update api_keys set symbols_allowed = '{EURUSD}' where id = ${keyId}`;
    const stream = await openStream(key);
    await register(model("EURUSD", "new"), model("BTCUSD", "new"));
    await waitUntil(async () => stream.events.some(({ event }) => event === "model"), 5_000);
    expect(stream.events.filter(({ event }) => event === "model").map(({ data }) => data)).toEqual([
      { symbol: "EURUSD", timeframe: "H1", model_v: "new" },
    ]);
  });

  it.each([
    ["key_revoked", () => call("DELETE", `/admin/keys/${keyId}`, { admin: true })],
    ["key_rotated", () => call("POST", "/api/account/regenerate-key", { key })],
    ["key_expired", () => db().$client`update api_keys set expires_at = now() where id = ${keyId}`],
  ])(
    "a stream ends within two seconds after the end of its key, with an event that names the reason: %s",
    async (code, end) => {
      const stream = await openStream(key);
      await end();
      const endedAt = performance.now();
      await stream.ended;
      expect(performance.now() - endedAt).toBeLessThan(2_000);
      expect(stream.events.at(-1)).toMatchObject({ event: "end", data: { code } });
    },
  );

  it("frees the resources of a client that left before its answer began", async () => {
    const headers = { "X-API-Key": key };
    await app.fetch(new Request("http://localhost/api/stream", { headers, signal: AbortSignal.abort() }));
    const server = await startApiServer();
    try {
      for (let n = 0; n < 5; n++) {
        const { socket } = sendRaw(
          server.port,
          `GET /api/stream HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
        );
        await once(socket, "connect");
        socket.resetAndDestroy();
      }
    } finally {
      await server.close();
    }
    await waitUntil(async () => changeHub().size === 0, 5_000);
    // The key may open three streams again once the server has found all of these requests disconnected.
    for (let n = 0; n < 3; n++) await vi.waitFor(() => openStream(key), { timeout: 5_000, interval: 200 });
  });

  it.each(["/api/stream", "/api/scan?wait=50"])(
    "frees the resources of a client that sends two requests for %s at once and leaves",
    async (path) => {
      const scan = await call("GET", "/api/scan", { key });
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nIf-None-Match: ${scan.headers.get("etag")}\r\n\r\n`;
      const server = await startApiServer();
      try {
        for (let n = 0; n < 5; n++) {
          const { socket } = sendRaw(server.port, head + head);
          await waitUntil(async () => changeHub().size > 0, 5_000);
          // The second request reaches its handler after some look-ups.
          await new Promise((done) => setTimeout(done, 100));
          socket.resetAndDestroy();
          await waitUntil(async () => changeHub().size === 0, 5_000);
        }
      } finally {
        await server.close();
      }
      for (let n = 0; n < 3; n++) await openStream(key);
    },
  );

  it("a key may have three open streams, and a fourth is 429 until one closes", async () => {
    for (let n = 0; n < 3; n++) await openStream(key);
    const fourth = await call("GET", "/api/stream", { key });
    expect([fourth.status, fourth.json.code]).toEqual([429, "too_many_open"]);
    open[0]?.close();
    await waitUntil(async () => changeHub().size === 2, 5_000);
    await openStream(key);
  });
});
