import { Agent, request } from "node:http";
import { connect } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { makeKey, type TestDatabase } from "./built-server";

describe("the server after a stop signal", () => {
  let database: TestDatabase;
  let server: RunningServer;
  let key: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer(database.url, { WORKER: "none", TRUST_PROXY_HOPS: "1" });
    key = await makeKey(server);
  });
  afterAll(async () => {
    await server.kill();
    await database.drop();
  });

  it("a stopping server answers every pending request, writes the last heartbeats, and exits 0", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 40 });
    const statuses: number[] = [];
    let refused = 0;
    let stopping = false;
    const ask = () =>
      new Promise<void>((done) => {
        const sent = request(
          `${server.url}/api/scan`,
          { agent, headers: { "X-API-Key": key } },
          (response) => {
            response.resume();
            response.on("end", () => {
              statuses.push(response.statusCode ?? 0);
              done();
            });
          },
        );
        // A connection that the stopping server no longer accepts is not a pending request.
        sent.on("error", () => {
          refused += stopping ? 0 : 1;
          done();
        });
        sent.end();
      });
    const clients = Array.from({ length: 20 }, async () => {
      while (!stopping) await ask();
    });
    await waitUntil(async () => statuses.length > 100, 10_000);
    // A slow report: the first part of its body is sent before the stop, the rest after it.
    const body = '{"ticket":2,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}';
    const slow = new Promise<number>((done, fail) => {
      const sent = request(
        `${server.url}/api/executions`,
        { method: "POST", headers: { "X-API-Key": key, "Content-Length": body.length } },
        (response) => {
          response.resume();
          done(response.statusCode ?? 0);
        },
      );
      sent.on("error", fail);
      sent.write(body.slice(0, 20));
      setTimeout(() => sent.end(body.slice(20)), 1_000);
    });
    await waitUntil(async () => server.output().length > 0, 1_000);
    await new Promise((done) => setTimeout(done, 200));
    // Connections without a request: opened ahead by browsers, or with half a request head.
    const bare = [connect(server.port, "127.0.0.1"), connect(server.port, "127.0.0.1")];
    for (const socket of bare) socket.on("error", () => undefined);
    await Promise.all(bare.map((socket) => new Promise((done) => socket.once("connect", done))));
    bare[1]?.write("GET /api/health HTTP/1.1\r\nHost:");
    const startedAt = performance.now();
    stopping = true;
    const code = await server.stop();
    expect(code).toBe(0);
    // Half a second of notice, two seconds for incomplete request heads, the rest for everything else.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await slow).toBe(201);
    await Promise.all(clients);
    expect(refused).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const sql = postgres(database.url, { max: 1 });
    const [beat] = await sql`select sum(n_calls)::int as n from key_heartbeats`;
    await sql.end();
    expect(beat?.n).toBeGreaterThanOrEqual(statuses.length);
  });
});

describe("the server behind a balancer after a stop signal", () => {
  it("a stopping server reports at once that it is not ready, and answers requests for DRAIN_DELAY_SECONDS", async () => {
    const database = await createDatabase();
    const server = await startServer(database.url, { WORKER: "none", DRAIN_DELAY_SECONDS: "2" });
    try {
      const key = await makeKey(server);
      const ready = async () => {
        const answer = await fetch(`${server.url}/api/health/ready`);
        return { status: answer.status, ...(await answer.json()) };
      };
      expect(await ready()).toEqual({ status: 200, ready: true, reason: null });
      const startedAt = performance.now();
      const ended = server.stop();
      await waitUntil(async () => (await ready()).reason === "stopping", 1_000);
      while (performance.now() - startedAt < 1_500) {
        expect(await ready()).toEqual({ status: 503, ready: false, reason: "stopping" });
        const scan = await fetch(`${server.url}/api/scan`, {
          headers: { "X-API-Key": key, Connection: "close" },
        });
        expect(scan.status).toBe(200);
      }
      expect(await ended).toBe(0);
      expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    } finally {
      await server.kill();
      await database.drop();
    }
  });
});
