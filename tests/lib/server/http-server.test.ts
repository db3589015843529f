import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { serverFigures } from "@/lib/runtime/metrics";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { rawGetRequest, useHttpServer } from "@/tests/support/http-server";
import { INVALID_TARGETS } from "@/tests/support/invalid-targets";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const KNOWN: Record<string, "page" | "handler"> = {
  "/login/by-key": "handler",
  "/login": "page",
  "/docs": "page",
  "/record": "page",
};
const running = useHttpServer({
  findPage: (path) => {
    const kind = KNOWN[path];
    return kind === undefined ? null : { template: path, kind };
  },
  isFile: (path) => path === "/enhance.js",
  next: async (request, response) => {
    if (request.url?.includes("slow=1")) await new Promise((done) => setTimeout(done, 300));
    response.setHeader("Content-Type", "text/html");
    response.statusCode = request.url === "/-" ? 404 : 200;
    if (request.url?.includes("scripts=1"))
      return response.end(
        '<p>a</p><script src="/_next/a.js"></script><script src="/enhance.js?v=1" nonce="n"></script>',
      );
    response.end(JSON.stringify(request.headers));
  },
});
const { exchange, rendered } = running;
const { server } = running.httpServer;

const openConnections = () =>
  new Promise<number>((done, fail) => server.getConnections((error, n) => (error ? fail(error) : done(n))));

describe("a client that half-closes after its request", () => {
  const halfClosed = (bytes: string) =>
    new Promise<{ text: string; ms: number }>((done, fail) => {
      const startedAt = performance.now();
      const socket = connect({ port: running.port, host: "127.0.0.1", allowHalfOpen: true }, () =>
        socket.end(bytes),
      );
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      socket.on("error", fail);
      socket.on("end", () => done({ text, ms: performance.now() - startedAt }));
    });

  it.each([["/login?slow=1"], ["/api/health"], ["/api/scan"]])(
    "a client that half-closes after its request gets the complete answer of %s, and its connection is closed",
    async (target) => {
      const { text } = await halfClosed(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 (?:200|401|503) [\s\S]*\r\n\r\n[\s\S]+$/);
    },
  );

  it.each([
    ["Content-Length: 5", "{"],
    ["Content-Length: 5\r\nConnection: Upgrade\r\nUpgrade: h2c", "{"],
    ["Transfer-Encoding: chunked\r\nConnection: Upgrade\r\nUpgrade: h2c", "5\r\n{"],
  ])("a client that half-closes within its body, sent with %j, gets 400 at once", async (headers, body) => {
    const { key } = await makeKey();
    const { text, ms } = await halfClosed(
      `POST /api/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${headers}\r\n\r\n${body}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(ms).toBeLessThan(5_000);
  });

  it("clients that half-close leave no connection open", async () => {
    await waitUntil(async () => (await openConnections()) === 0, 5_000);
  });
});

describe("a malformed request", () => {
  it.each([
    ["no HTTP at all", "nonsense\r\n\r\n", 400, "bad_request"],
    ["an unknown method", "FOO /api/scan HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"],
    ["bytes in the path that are not ASCII", rawGetRequest("/api/health?\u00ff"), 400, "bad_request"],
    [
      "a length and chunks at once",
      "POST /api/executions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "bad_request",
    ],
    [
      "headers without end",
      rawGetRequest("/api/health", `X-Big: ${"a".repeat(20_000)}\r\n`),
      431,
      "headers_too_large",
    ],
    ["HTTP/1.1 without Host", "GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"],
    [
      "two Hosts",
      "GET /api/health HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n",
      400,
      "bad_request",
    ],
    ["an asterisk for a path", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"],
    [
      "a Host that is none",
      "GET /api/scan HTTP/1.1\r\nHost: []%%\r\nConnection: close\r\n\r\n",
      400,
      "bad_request",
    ],
  ])("the malformed request %s gets an API error and a request id", async (_what, bytes, status, code) => {
    const answer = await exchange(Buffer.from(bytes, "latin1"));
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.body);
    expect(body).toEqual({ detail: expect.any(String), code, request_id: expect.any(String) });
    expect(answer.head).toContain(`X-Request-Id: ${body.request_id}`);
    expect(answer.head).toContain("Content-Type: application/json; charset=utf-8");
  });

  it("a connection with a malformed request is closed, even when the client resets or never closes", async () => {
    const { port } = running;
    const bytes = "nonsense\r\n\r\n";
    const broken = connect(port, "127.0.0.1", () => broken.write(bytes, () => broken.resetAndDestroy()));
    broken.on("error", () => undefined);
    const kept = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => kept.write(bytes));
    kept.on("error", () => undefined).resume();
    await new Promise((done) => kept.once("end", done));
    await waitUntil(async () => (await openConnections()) === 0, 10_000);
    kept.destroy();
  });

  it("a CONNECT request is closed without an answer, as by Node", async () => {
    expect(await exchange("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")).toMatchObject(
      {
        head: "",
      },
    );
    expect((await exchange(rawGetRequest("/api/health/live"))).status).toBe(200);
  });

  it("invalid bytes end the connection after the answer to the request before them", async () => {
    const answer = await exchange("GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n");
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('{"live":true}');
  });

  it("a malformed request does not affect other connections", async () => {
    const [bad, good] = await Promise.all([
      exchange("nonsense\r\n\r\n"),
      exchange(rawGetRequest("/api/public/stats")),
    ]);
    expect([bad.status, good.status]).toEqual([400, 200]);
  });
});

describe("a report whose body cannot be read", () => {
  const LARGE = "x".repeat(65 * 1_024);

  it.each([
    ["broken chunks", "Transfer-Encoding: chunked", '5\r\n{"a"\r\nZZ\r\n', 400, "arrived incomplete"],
    [
      "a too large body",
      `Content-Length: ${LARGE.length}`,
      LARGE,
      413,
      "is larger than this address accepts",
    ],
    [
      "a too large body of chunks",
      "Transfer-Encoding: chunked",
      `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`,
      413,
      "is larger than this address accepts",
    ],
    ["a compressed body", "Content-Encoding: gzip\r\nContent-Length: 2", "{}", 415, "is compressed"],
  ])(
    "a report with %s is listed as refused, with what happened",
    async (_what, header, body, status, reason) => {
      const { key } = await makeKey();
      const answer = await exchange(
        `POST /api/executions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${key}\r\n${header}\r\n\r\n${body}`,
      );
      expect(answer.status).toBe(status);
      const explained = async (): Promise<string[]> => {
        const { json } = await call("GET", "/api/ea-status?explain=true", { key });
        return json.findings.flatMap(({ code, message }: { code: string; message: string }) =>
          code === "reports_rejected" ? [message] : [],
        );
      };
      await waitUntil(async () => (await explained()).length > 0, 5_000);
      expect((await explained())[0]).toContain(`in the last 24 hours. The report ${reason}`);
    },
  );
});

it("an unknown Expect header is ignored", async () => {
  expect((await exchange(rawGetRequest("/api/public/stats", "Expect: the-unexpected\r\n"))).status).toBe(200);
});

it.each(["/./api/public/stats", "/x/../api/public/stats", "/api/%2e%2e/api/./public/stats?a=/../b"])(
  "%s is answered as the path without its dot segments",
  async (target) => {
    expect((await exchange(rawGetRequest(target))).status).toBe(200);
  },
);

it.each(INVALID_TARGETS)("the absolute target %s is 400, and the process continues", async (target) => {
  const answer = await exchange(rawGetRequest(target));
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, "bad_request"]);
  expect((await exchange(rawGetRequest("/api/health/live"))).status).toBe(200);
});

it.each([
  "http://x/api/health/live",
  "HTTP://user@x:80/x/../api/health/live?a=b",
  "https://[::1]/api/health/live",
])("the absolute target %s is answered by its path", async (target) => {
  expect((await exchange(rawGetRequest(target))).body).toBe('{"live":true}');
});

it.each([
  "/_next/image?url=%2Fadmin&w=64&q=75",
  "/_next/data/build/docs.json",
  "/_next/static/unknown.js",
  "/docs.rsc",
  "/docs.segments/_tree.segment.rsc",
  "/login.rsc",
  "/%64ocs",
  "/enhance.js/x",
])("%s is the cached 404 document and never reaches the framework", async (target) => {
  for (const headers of ["", "RSC: 1\r\n"])
    expect((await exchange(rawGetRequest(target, headers))).status).toBe(404);
  expect(rendered.filter((address) => address !== "/-")).not.toContain(target);
  expect(rendered.filter((address) => address === "/-").length).toBeLessThanOrEqual(2);
});

it("a plain page is rendered once for requests with and without router headers", async () => {
  const before = rendered.length;
  for (let n = 0; n < 20; n++) {
    const headers = n % 2 === 0 ? "RSC: 1\r\nNext-Router-Prefetch: 1\r\n" : "";
    const { status, body, head } = await exchange(
      rawGetRequest(n % 3 === 0 ? "/docs?_rsc=abc" : "/docs", headers),
    );
    expect([status, JSON.parse(body).rsc]).toEqual([200, undefined]);
    expect(head).toContain("content-security-policy: default-src 'none'; script-src 'self'; style-src");
  }
  expect(rendered.slice(before)).toEqual(["/docs"]);
});

it("/api/health, /api/health/live and /api/health/ready answer 300 requests each without a rate limit", async () => {
  for (const path of ["/api/health", "/api/health/live", "/api/health/ready"]) {
    const statuses = new Set<number>();
    for (let n = 0; n < 300; n += 20)
      for (const { status } of await Promise.all(
        Array.from({ length: 20 }, () => exchange(rawGetRequest(path))),
      ))
        statuses.add(status);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }
});

it("a path with invalid UTF-8 is refused before the framework", async () => {
  const answer = await exchange(rawGetRequest("/docs/%ff"));
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, "bad_request"]);
});

it.each(["TRACE", "PUT", "DELETE", "PROPFIND"])(
  "a %s request gets 405 with the allowed methods, and reaches no handler of the framework",
  async (method) => {
    const ask = (target: string) =>
      exchange(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const before = rendered.length;
    const [handler, page] = [await ask("/login/by-key"), await ask("/docs")];
    expect(rendered.slice(before)).not.toContain("/login/by-key");
    expect([handler.status, JSON.parse(handler.body).code]).toEqual([405, "method_not_allowed"]);
    expect(handler.head).toContain("Allow: GET, HEAD, POST, OPTIONS");
    expect(page.status).toBe(405);
    expect(page.head).toContain("Allow: GET, HEAD\r\n");
  },
);

it("an invalid router state never reaches the framework, which would fail at it", async () => {
  const seen = async (state: string) =>
    JSON.parse(
      (await exchange(rawGetRequest("/login", `RSC: 1\r\nNext-Router-State-Tree: ${state}\r\n`))).body,
    )["next-router-state-tree"];
  // As sent by the browser from a page with a parameter in its path.
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

it("headers of server actions and middleware, and forged addresses, never reach the framework", async () => {
  const headers =
    "Next-Action: abc\r\nX-Middleware-Subrequest: middleware\r\nX-Client-Address: 198.51.100.9\r\n";
  const { body } = await exchange(rawGetRequest("/login", headers));
  const seen = JSON.parse(body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1));
  expect(Object.keys(seen).filter((name) => /^(next-action|x-middleware)/.test(name))).toEqual([]);
  expect(seen["x-client-address"]).toBe("127.0.0.1");
});

it("a page of text and forms is sent without the framework's scripts, with the correct length", async () => {
  const { head, body } = await exchange(rawGetRequest("/login?scripts=1"));
  expect(body).toContain('<p>a</p><script src="/enhance.js?v=1" nonce="n"></script>');
  expect(body).not.toContain("_next");
  const sent = '<p>a</p><script src="/enhance.js?v=1" nonce="n"></script>';
  expect(head.toLowerCase()).toContain(`content-length: ${sent.length}`);
});

it("a connection that offered an upgrade is closed after its answer", async () => {
  const answer = await exchange(
    "GET /api/public/stats HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
  );
  expect(answer.status).toBe(200);
  expect(answer.head.toLowerCase()).toContain("connection: close");
});

it("X-Forwarded-For without a configured proxy is ignored, logged once, and counted", async () => {
  const counted = async () => (await serverFigures()).codes.get("forwarded_for_ignored") ?? 0;
  const before = await counted();
  for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3"]) {
    const { body } = await exchange(rawGetRequest("/login", `X-Forwarded-For: ${address}\r\n`));
    expect(body).toContain('"x-client-address":"127.0.0.1"');
  }
  expect((await counted()) - before).toBe(3);
  const log = readFileSync(process.env.LOG_FILE ?? "", "utf8");
  expect(log.split("X-Forwarded-For is ignored")).toHaveLength(2);
});

it("API answers, errors included, have nosniff and strict transport security", async () => {
  const targets = ["/api/public/stats", "/api/scan", "/api/nowhere", "/api/health/live"].map((path) =>
    rawGetRequest(path),
  );
  for (const bytes of [...targets, "nonsense\r\n\r\n"]) {
    const { head } = await exchange(bytes);
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(head).toMatch(/^strict-transport-security: max-age=63072000; includeSubDomains\r?$/im);
  }
});

it("requests for a page rendered per visitor are limited with 429, counted together in five forms of the request", async () => {
  const forms = [
    rawGetRequest("/login"),
    rawGetRequest("//login/"),
    rawGetRequest("/x/../login"),
    rawGetRequest("http://x/login"),
    rawGetRequest("/login", "RSC: 1\r\n"),
  ];
  const statuses: number[] = [];
  for (let n = 0; n < 605; n += forms.length)
    statuses.push(...(await Promise.all(forms.map((bytes) => exchange(bytes)))).map(({ status }) => status));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  expect((await exchange(rawGetRequest("/login/by-key"))).status).toBe(429);
  expect((await exchange(rawGetRequest("/enhance.js"))).status).toBe(200);
  expect((await exchange(rawGetRequest("/docs"))).status).toBe(200);
});
