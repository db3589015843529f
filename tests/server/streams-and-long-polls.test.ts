import { request as httpRequest, type IncomingMessage } from "node:http";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeEventId } from "@/app/api/stream/event-id";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { readEventStream } from "@/tests/support/stream";

const ADMIN = { "X-Admin-Secret": ADMIN_SECRET };
const EXTRA = { MARKET_FEED: "off", WORKER: "none", LOG_LEVEL: "info" };
const HOUR_MS = 3_600_000;

describe.sequential("long polls and streams of two servers over one database", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let sql: postgres.Sql;
  let servers: [RunningServer, RunningServer];
  /** A third server, which the first test kills. */
  let killed: RunningServer;
  beforeAll(async () => {
    database = await createDatabase();
    servers = [await startServer(database.url, EXTRA), await startServer(database.url, EXTRA)];
    killed = await startServer(database.url, EXTRA);
    sql = postgres(database.url, { max: 2, onnotice: () => undefined });
    await ingest(servers[0], 1);
  }, 150_000);
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    for (const server of [...servers, killed]) await server.kill();
    await database.drop();
  });

  const makeKey = async (): Promise<{ key_id: number; api_key: string }> => {
    const body = JSON.stringify({ user_name: "Tester", plan_tier: "owner" });
    return (await fetch(`${servers[0].url}/admin/keys`, { method: "POST", headers: ADMIN, body })).json();
  };
  let turn = 0;
  async function ingest(server: RunningServer, n: number) {
    const figures = { confidence: 1, prob_buy: 1, prob_sell: 0, prob_no: 0, expected_rr: 1 };
    const items = Array.from({ length: n }, () => {
      const ts = new Date(Date.UTC(2026, 0, 5) + (turn++ % 5_000) * HOUR_MS)
        .toISOString()
        .replace(".000", "");
      return {
        symbol: "EURUSD",
        timeframe: "H1",
        ts,
        signal: "BUY",
        model_v: `m${turn}`,
        regime: "RANGE",
        ...figures,
      };
    });
    const body = JSON.stringify({ items });
    const answer = await fetch(`${server.url}/admin/ingest/signals`, {
      method: "POST",
      headers: ADMIN,
      body,
    });
    expect(answer.status, await answer.text()).toBe(200);
  }
  const journal = async (after: number) =>
    (await sql<{ seq: string }[]>`select seq from signals where seq > ${after} order by seq`).map(({ seq }) =>
      Number(seq),
    );

  /** Follows signals as a client does: after each end of its stream it resumes from its last number at the next server. */
  function follow(key: string, first: number, after: number) {
    const seen: number[] = [];
    let last = String(after);
    let running = true;
    let resumed = -1;
    let current: { close(): void } | null = null;
    const over = (async () => {
      for (let n = first; running; n++) {
        resumed++;
        const server = [killed, ...servers][n % 3] ?? killed;
        try {
          const headers = { "X-API-Key": key, "Last-Event-ID": last };
          const response = await fetch(`${server.url}/api/stream`, { headers });
          if (response.status !== 200) {
            await response.arrayBuffer();
            throw new Error(String(response.status));
          }
          const stream = readEventStream(response, ({ event, id }) => {
            if (event === "signal" && id !== null) seen.push(id);
          });
          current = stream;
          await stream.ended;
          last = stream.lastId() || last;
        } catch {
          await new Promise((done) => setTimeout(done, 50));
        }
      }
    })();
    return {
      seen,
      resumed: () => resumed,
      end: async () => {
        running = false;
        current?.close();
        await over;
      },
    };
  }

  it("streams lose and repeat no signal while one of three servers is killed and its clients reconnect", {
    timeout: 120_000,
  }, async () => {
    const [from = 0] = (await journal(0)).slice(-1);
    const keys = await Promise.all([makeKey(), makeKey(), makeKey(), makeKey()]);
    const followers = keys.map(({ api_key }, n) => follow(api_key, n, from));
    await new Promise((done) => setTimeout(done, 500));
    let ingesting = true;
    const writer = (async () => {
      while (ingesting) {
        await ingest(servers[0], 20 + (turn % 7));
        await new Promise((done) => setTimeout(done, 20));
      }
    })();
    await new Promise((done) => setTimeout(done, 1_000));
    await killed.kill();
    await new Promise((done) => setTimeout(done, 1_000));
    await new Promise((done) => setTimeout(done, 500));
    ingesting = false;
    await writer;
    const expected = await journal(from);
    expect(expected.length).toBeGreaterThan(100);
    for (const { seen } of followers) {
      await waitUntil(
        async () => seen.length >= expected.length,
        15_000,
        () => `${seen.length} of ${expected.length}`,
      );
      expect(seen).toEqual(expected);
    }
    expect(Math.max(...followers.map(({ resumed }) => resumed()))).toBeGreaterThanOrEqual(1);
    for (const follower of followers) await follower.end();
  });

  it("a long poll at one server ends when the other committed a signal or ended the key", async () => {
    const { api_key, key_id } = await makeKey();
    const headers = { "X-API-Key": api_key };
    const held = async () =>
      (await fetch(`${servers[1].url}/api/scan`, { headers })).headers.get("etag") ?? "";
    const wait = async (tag: string) => {
      const answer = await fetch(`${servers[1].url}/api/scan?wait=30`, {
        headers: { ...headers, "If-None-Match": tag },
      });
      await answer.arrayBuffer();
      return { status: answer.status, atMs: performance.now() };
    };
    for (const [act, status] of [
      [() => ingest(servers[0], 1), 200],
      [() => fetch(`${servers[0].url}/admin/keys/${key_id}`, { method: "DELETE", headers: ADMIN }), 401],
    ] as const) {
      const waiting = wait(await held());
      await new Promise((done) => setTimeout(done, 300));
      await act();
      const actedMs = performance.now();
      const answer = await waiting;
      expect(answer.status).toBe(status);
      expect(answer.atMs - actedMs).toBeLessThan(2_000);
    }
  });

  it("a server drops a stream client that does not read, and keeps serving the others", {
    timeout: 120_000,
  }, async () => {
    const [slow, quick] = [await makeKey(), await makeKey()];
    await ingest(servers[0], 1_200);
    const stuck = await new Promise<IncomingMessage>((done, fail) => {
      const call = httpRequest(
        `${servers[1].url}/api/stream?after=1`,
        { headers: { "X-API-Key": slow.api_key } },
        done,
      );
      call.on("error", fail);
      call.end();
    });
    let closed = false;
    stuck.pause();
    stuck.on("error", () => undefined);
    stuck.on("close", () => {
      closed = true;
    });
    const [newest = 0] = (await journal(0)).slice(-1);
    const other = follow(quick.api_key, 1, newest);
    await new Promise((done) => setTimeout(done, 500));
    // Exceeds the system's socket buffers.
    for (let n = 0; n < 30; n++) await ingest(servers[0], 900);
    const expected = await journal(newest);
    await waitUntil(async () => other.seen.length >= expected.length, 20_000);
    // The client has ten seconds to read; what it reads afterwards ends with the connection.
    await new Promise((done) => setTimeout(done, 12_000));
    stuck.resume();
    await waitUntil(
      async () => closed,
      5_000,
      () => "the slow reader is still connected",
    );
    await other.end();
  });

  it("a stopping server ends long polls with 304 and streams with their last number", {
    timeout: 60_000,
  }, async () => {
    const { api_key } = await makeKey();
    const headers = { "X-API-Key": api_key };
    const tag = (await fetch(`${servers[1].url}/api/scan`, { headers })).headers.get("etag") ?? "";
    const waiting = fetch(`${servers[1].url}/api/scan?wait=50`, {
      headers: { ...headers, "If-None-Match": tag },
    });
    const stream = readEventStream(await fetch(`${servers[1].url}/api/stream`, { headers }));
    await waitUntil(async () => stream.events.length > 0, 5_000);
    const stoppedMs = performance.now();
    const stopping = servers[1].stop();
    const answer = await waiting;
    expect([answer.status, answer.headers.get("connection")]).toEqual([304, "close"]);
    await stream.ended;
    expect(performance.now() - stoppedMs).toBeLessThan(3_000);
    const [newest] = (await journal(0)).slice(-1);
    expect(decodeEventId(Number(stream.lastId())).seq).toBe(newest);
    expect(await stopping).toBe(0);
    expect(performance.now() - stoppedMs).toBeLessThan(8_000);
  });
});
