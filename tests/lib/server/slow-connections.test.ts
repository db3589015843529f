import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { useDatabase } from "@/tests/support/database";
import { rawGetRequest, useHttpServer } from "@/tests/support/http-server";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const TIMEOUT_MS = 800;
/** Exceeds a connection's buffers. */
const LARGE = Buffer.alloc(16 * 1_048_576, "x");

const running = useHttpServer({
  findPage: (path) => ({ template: path, kind: path === "/waits" ? "handler" : "page" }),
  next: async (request, response) => {
    if (request.url === "/waits") await pause(4 * TIMEOUT_MS);
    response.setHeader("Content-Type", "text/html");
    response.end(request.url === "/large" ? LARGE : "page");
  },
});

function opened(text: string): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect(running.port, "127.0.0.1", () => socket.write(text, () => done(socket)));
    socket.on("error", fail);
  });
}

const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const closed = (socket: Socket, withinMs: number) =>
  Promise.race([new Promise((done) => socket.once("close", () => done(true))), pause(withinMs, false)]);

const openConnections = () =>
  new Promise((done) => running.httpServer.server.getConnections((_, count) => done(count)));

describe("a connection without traffic", () => {
  beforeAll(() => {
    running.httpServer.server.timeout = TIMEOUT_MS;
    running.httpServer.server.keepAliveTimeout = 2 * TIMEOUT_MS;
  });

  it("a connection is closed when it reads nothing of its answer, while other visitors are served", async () => {
    const slow = await Promise.all(
      Array.from({ length: 18 }, async () => (await opened(line("/large"))).pause()),
    );
    await pause(100);
    for (let n = 0; n < 20; n++) expect((await running.exchange(rawGetRequest("/small"))).status).toBe(200);
    // Before the connections are read, which would count as traffic.
    await waitUntil(async () => (await openConnections()) === 0, 40_000);
    const ends = slow.map((socket) => closed(socket.resume(), 2_000));
    expect(await Promise.all(ends)).toEqual(slow.map(() => true));
    expect(Math.max(...slow.map(({ bytesRead }) => bytesRead))).toBeLessThan(LARGE.length);
  });

  it("a connection stays open while its answer is pending", async () => {
    const socket = await opened(line("/waits"));
    const answer = await new Promise((done) =>
      socket.once("data", (chunk) => done(String(chunk).slice(9, 12))),
    );
    expect(answer).toBe("200");
    socket.destroy();
  });

  it("a connection that is idle between requests is closed", async () => {
    const socket = await opened(line("/small"));
    await new Promise((done) => socket.once("data", done));
    expect(await closed(socket, TIMEOUT_MS)).toBe(false);
    expect(await closed(socket, 10_000)).toBe(true);
  });
});
