import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer } from "@/tests/support/server";
import { makeKey, sendRawText, type TestDatabase } from "./built-server";

describe("the server over raw HTTP", () => {
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

  it("answers HTTP/1.0 without a Host header, and closes", async () => {
    const answer = await sendRawText(server.port, `GET /api/scan HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(answer).toContain('{"items":[]');
  });

  it("ignores an offered protocol upgrade, even after a page was served", async () => {
    expect((await fetch(`${server.url}/docs`)).status).toBe(200);
    for (const path of ["/api/health", "/docs", "/_next/webpack-hmr"]) {
      for (const protocol of ["websocket", "h2c"]) {
        const answer = await sendRawText(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n` +
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        );
        expect(answer, `${path} ${protocol}`).toMatch(/^HTTP\/1\.1 (200|503|404) /);
      }
    }
  });

  it("answers Expect: 100-continue", async () => {
    const body = '{"ticket":1,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}\0';
    const answer = await sendRawText(
      server.port,
      `POST /api/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue/);
    expect(answer).toContain("HTTP/1.1 201 Created");
  });

  it("answers clients that offer an upgrade, before and after the first page", async () => {
    const offer = `GET /api/scan HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    for (let i = 0; i < 2; i++) {
      expect(await sendRawText(server.port, offer)).toMatch(/^HTTP\/1\.1 200 /);
      await fetch(`${server.url}/`);
    }
  });

  it("answers 400 to a path with invalid encoding in the portal, the administration, the API and the docs", async () => {
    for (const path of ["/portal/signals/%zz/H1", "/admin/mail/%ff", "/api/auth/%C3%28", "/docs/%"]) {
      expect(
        await sendRawText(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it("answers malformed requests with a 4xx status and continues", async () => {
    for (const text of [
      "nonsense\r\n\r\n",
      "GET /api/scan%zz HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n",
    ]) {
      expect(await sendRawText(server.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect((await fetch(`${server.url}/api/health`)).headers.get("x-request-id")).toBeTruthy();
  });

  it("refuses a body of 10 MiB with 413 without reading it", async () => {
    const answer = await new Promise<number>((done, fail) => {
      const sent = request(
        `${server.url}/api/executions`,
        { method: "POST", headers: { "X-API-Key": key, "Content-Length": 10 * 1024 * 1024 } },
        (response) => {
          response.resume();
          done(response.statusCode ?? 0);
          sent.destroy();
        },
      );
      sent.on("error", fail);
      sent.write("{");
    });
    expect(answer).toBe(413);
  });

  it("answers pipelined requests, and ends a connection that keeps sending without reading", async () => {
    const ask = `GET /api/account/me HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
    const last = `GET /api/account/me HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`;
    const statuses = (answers: string) => answers.match(/HTTP\/1\.1 \d{3}/g) ?? [];
    const within = statuses(await sendRawText(server.port, ask.repeat(63) + last));
    expect(within.filter((status) => status.endsWith("200"))).toHaveLength(64);
    const answers = await sendRawText(server.port, ask.repeat(300));
    expect(statuses(answers)).toHaveLength(65);
    expect(statuses(answers).at(-1)).toBe("HTTP/1.1 429");
    expect(answers).toContain("More than 64 requests of this connection are waiting");
    expect((await fetch(`${server.url}/api/health/live`)).status).toBe(200);
  });
});
