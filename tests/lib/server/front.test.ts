import { readFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverFigures } from "@/lib/runtime/metrics";
import { createFront } from "@/lib/server/front";
import { MOUNTS } from "@/lib/server/mounts";
import { localMaker } from "@/lib/server/pages/local-maker";
import { useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const front = createFront({
  mounts: MOUNTS,
  pages: localMaker((request, response) => response.end(JSON.stringify(request.headers))),
  findPage: (path) => (path === "/login/by-key" ? { template: path, kind: "handler" } : null),
  guardOf: () => null,
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  // Listening on a port, so the address is not a path.
  port = (front.address() as AddressInfo).port;
});
afterAll(() => {
  front.closeAllConnections();
  front.close();
});

/** Sends bytes over a connection of their own and gives back all that comes until it is closed. */
function exchange(bytes: string | Buffer): Promise<{ status: number; head: string; body: string }> {
  return new Promise((done, fail) => {
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", fail);
    socket.on("close", () => {
      const [head = "", ...rest] = text.split("\r\n\r\n");
      done({ status: Number(head.slice(9, 12)), head, body: rest.join("\r\n\r\n") });
    });
  });
}

const openConnections = () =>
  new Promise<number>((done, fail) => front.getConnections((error, n) => (error ? fail(error) : done(n))));

const get = (target: string, headers = "") =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;

describe("what cannot be read as a request", () => {
  it.each([
    ["no HTTP at all", "nonsense\r\n\r\n", 400, "bad_request"],
    ["an unknown method", "FOO /api/scan HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"],
    ["bytes in the path that are not ASCII", get("/api/health?\u00ff"), 400, "bad_request"],
    [
      "a length and chunks at once",
      "POST /api/executions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "bad_request",
    ],
    ["headers without end", get("/api/health", `X-Big: ${"a".repeat(20_000)}\r\n`), 431, "headers_too_large"],
    ["HTTP/1.1 without Host", "GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"],
    [
      "a tunnel to elsewhere",
      "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
      405,
      "method_not_allowed",
    ],
    ["a tunnel to a path", "CONNECT /api/scan HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"],
    ["an asterisk for a path", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"],
    [
      "a Host that is none",
      "GET /api/scan HTTP/1.1\r\nHost: []%%\r\nConnection: close\r\n\r\n",
      400,
      "bad_request",
    ],
  ])("%s gets the error of the interface and a request id", async (_what, bytes, status, code) => {
    const answer = await exchange(Buffer.from(bytes, "latin1"));
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.body);
    expect(body).toEqual({ detail: expect.any(String), code, request_id: expect.any(String) });
    expect(answer.head).toContain(`X-Request-Id: ${body.request_id}`);
    expect(answer.head).toContain("Content-Type: application/json; charset=utf-8");
  });

  it("ends with its connection, also when the other side breaks it or never closes", async () => {
    for (const bytes of ["CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "nonsense\r\n\r\n"]) {
      const broken = connect(port, "127.0.0.1", () => broken.write(bytes, () => broken.resetAndDestroy()));
      broken.on("error", () => undefined);
      const kept = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => kept.write(bytes));
      kept.on("error", () => undefined).resume();
      await new Promise((done) => kept.once("end", done));
      await waitUntil(async () => (await openConnections()) === 0, 10_000);
      kept.destroy();
    }
  });

  it("leaves other connections alone", async () => {
    const [bad, good] = await Promise.all([exchange("nonsense\r\n\r\n"), exchange(get("/api/public/stats"))]);
    expect([bad.status, good.status]).toEqual([400, 200]);
  });
});

it("an expectation that nobody knows is no obstacle", async () => {
  expect((await exchange(get("/api/public/stats", "Expect: the-unexpected\r\n"))).status).toBe(200);
});

it.each(["/./api/public/stats", "/x/../api/public/stats", "/api/%2e%2e/api/./public/stats?a=/../b"])(
  "%s is the path that its dots lead to",
  async (target) => {
    expect((await exchange(get(target))).status).toBe(200);
  },
);

it("a path that is no UTF-8 is refused before the framework sees it", async () => {
  const answer = await exchange(get("/docs/%ff"));
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, "bad_request"]);
});

it.each(["TRACE", "PUT", "DELETE", "PROPFIND"])(
  "%s reaches no handler of the framework, which would fail at some of them",
  async (method) => {
    const ask = (target: string) =>
      exchange(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const [handler, page] = [await ask("/login/by-key"), await ask("/docs")];
    expect([handler.status, JSON.parse(handler.body).code]).toEqual([405, "method_not_allowed"]);
    expect(handler.head).toContain("Allow: GET, HEAD, POST, OPTIONS");
    expect(page.head).toContain("Allow: GET, HEAD\r\n");
  },
);

it("a state of the framework's router that cannot be read never reaches the framework, which would fail at it", async () => {
  const seen = async (state: string) =>
    JSON.parse((await exchange(get("/docs", `RSC: 1\r\nNext-Router-State-Tree: ${state}\r\n`))).body)[
      "next-router-state-tree"
    ];
  // As the browser sends it from a page with a parameter in its path.
  const readable = encodeURIComponent(
    JSON.stringify([
      "",
      {
        children: [
          "portal",
          { children: [["symbol", "EURUSD", "d", null], {}, null, "refetch"] },
          null,
          null,
        ],
      },
      null,
      null,
      16,
    ]),
  );
  expect(await seen(readable)).toBe(readable);
  for (const broken of ["%zz", "{", "[]", encodeURIComponent('["",{"children":[1,{}]}]'), "a, b"])
    expect(await seen(broken), broken).toBeUndefined();
});

it("headers of server actions and middleware, of which there are none, never reach the framework, nor does an address that a client made up", async () => {
  const headers =
    "Next-Action: abc\r\nX-Middleware-Subrequest: middleware\r\nX-Client-Address: 198.51.100.9\r\n";
  const { body } = await exchange(get("/docs", headers));
  const seen = JSON.parse(body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1));
  expect(Object.keys(seen).filter((name) => /^(next-action|x-middleware)/.test(name))).toEqual([]);
  expect(seen["x-client-address"]).toBe("127.0.0.1");
});

it("a connection that offered another protocol is closed after its answer", async () => {
  const answer = await exchange(
    "GET /api/public/stats HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
  );
  expect(answer.status).toBe(200);
  expect(answer.head.toLowerCase()).toContain("connection: close");
});

it("X-Forwarded-For without a configured proxy is not believed, named once in the log, and counted", async () => {
  const counted = async () => (await serverFigures()).codes.get("forwarded_for_ignored") ?? 0;
  const before = await counted();
  for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3"]) {
    const { body } = await exchange(get("/docs", `X-Forwarded-For: ${address}\r\n`));
    expect(body).toContain('"x-client-address":"127.0.0.1"');
  }
  expect((await counted()) - before).toBe(3);
  const log = readFileSync(process.env.LOG_FILE ?? "", "utf8");
  expect(log.split("X-Forwarded-For came and is not believed")).toHaveLength(2);
});

it("every answer of the interface says that its type is to be believed and, where the site has TLS, to come by TLS", async () => {
  const targets = ["/api/public/stats", "/api/scan", "/api/nowhere", "/api/health/live"].map((path) =>
    get(path),
  );
  for (const bytes of [...targets, "nonsense\r\n\r\n"]) {
    const { head } = await exchange(bytes);
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(head).toMatch(/^strict-transport-security: max-age=63072000; includeSubDomains\r?$/im);
  }
});
