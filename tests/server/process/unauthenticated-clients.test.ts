import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { isAlive, makeKey, pagePid, sendRawText, type TestDatabase } from "./built-server";

describe("a client without a key", () => {
  let database: TestDatabase;
  let server: RunningServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer(database.url, { WORKER: "none", TRUST_PROXY_HOPS: "1" });
    expect((await fetch(`${server.url}/login`)).status).toBe(200);
  });
  afterAll(async () => {
    await server.kill();
    await database.drop();
  });

  const pagesAnswer = async () => {
    for (const path of ["/login", "/terms", "/admin/sign-in", "/portal"]) {
      const { status } = await fetch(`${server.url}${path}`, { redirect: "manual" });
      expect([200, 307], path).toContain(status);
    }
  };

  /** Opens a connection and writes these bytes; the caller closes it. */
  const opened = (text: string): Promise<Socket> =>
    new Promise((done, fail) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(text, () => done(socket)));
      socket.on("error", fail);
    });

  const alone = (line: string, headers = "") => `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

  it("absolute request targets do not end the process", async () => {
    const targets = ["http://[/./", "http://x:99999/./", "http://%/./", "http://@/./", "https://[v1.a]/%2e/"];
    for (const target of [...targets, "http://:99999/./x", "http://[::1/.x", "http://[/admin"])
      expect(await sendRawText(server.port, alone(`GET ${target}`, "Connection: close\r\n")), target).toMatch(
        /^HTTP\/1\.1 400 /,
      );
    await pagesAnswer();
  });

  it("connections that request two pages and disconnect leave every page available", async () => {
    for (let n = 0; n < 20; n++) (await opened(alone("GET /terms").repeat(2))).resetAndDestroy();
    for (let n = 0; n < 20; n++) (await opened(alone("GET /login").repeat(2))).destroy();
    await pagesAnswer();
  });

  it("connections that request two streams and disconnect leave the key's streams available", async () => {
    const key = await makeKey(server);
    const stream = alone("GET /api/stream", `X-API-Key: ${key}\r\n`);
    for (let n = 0; n < 40; n++) {
      const socket = await opened(stream.repeat(2));
      await new Promise((done) => socket.once("data", done));
      socket.destroy();
    }
    const answer = await fetch(`${server.url}/api/stream`, { headers: { "X-API-Key": key } });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  it("pages are still served while 40 connections request pages and do not read", async () => {
    const slow = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = await opened(alone("GET /docs/reference").repeat(16) + alone("GET /login").repeat(16));
        return socket.pause();
      }),
    );
    await pause(500);
    await pagesAnswer();
    for (const socket of slow) socket.destroy();
  });

  it("an oversized body gets 413, even if the client sends everything before reading", async () => {
    const key = await makeKey(server);
    const size = 2 * 1_048_576;
    const head = (length: string, path = "/api/executions") =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nSec-Fetch-Site: same-origin\r\n${length}\r\n\r\n`;
    const body = Buffer.alloc(size, " ");
    const chunked = Buffer.concat([
      Buffer.from(`${size.toString(16)}\r\n`),
      body,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
    const ways: [string, Buffer][] = [
      [head(`Content-Length: ${size}`), body],
      [head("Transfer-Encoding: chunked"), chunked],
      [head(`Content-Length: ${size}`, "/login/by-key"), body],
      [head("Transfer-Encoding: chunked", "/login/by-key"), chunked],
    ];
    for (let n = 0; n < 100; n++) {
      const [start, rest] = ways[n % ways.length] as [string, Buffer];
      const socket = await opened(start);
      socket.pause();
      await new Promise<void>((done, fail) => socket.write(rest, (error) => (error ? fail(error) : done())));
      socket.resume();
      let answer = "";
      socket.setEncoding("latin1").on("data", (text: string) => {
        answer += text;
      });
      await new Promise((done) => socket.once("close", done));
      expect(answer, String(n)).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toMatch(/connection: close/i);
    }
  });

  it("300 health checks of one address are all answered with 200 or 503", async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 300; n++) statuses.add((await fetch(`${server.url}/api/health`)).status);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  it("pages work again within 20 seconds after the page process was killed, and the server stays ready", async () => {
    const pid = () => pagePid(server);
    const before = pid();
    process.kill(before, "SIGKILL");
    expect((await fetch(`${server.url}/api/health/ready`)).status).toBe(200);
    await waitUntil(
      async () => ![0, before].includes(pid()) && (await fetch(`${server.url}/login`)).status === 200,
      20_000,
    );
  });

  it("the page process ends when its parent was killed", async () => {
    const pid = pagePid(server);
    await server.kill();
    await waitUntil(async () => !isAlive(pid), 10_000);
    server = await startServer(database.url, { WORKER: "none", TRUST_PROXY_HOPS: "1" });
    await pagesAnswer();
  });
});
