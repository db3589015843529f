import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { makeKey, type TestDatabase } from "./built-server";

describe("the production server", () => {
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

  const logLines = () =>
    server
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));

  it("answers API paths itself, with doubled and trailing slashes, and passes pages to Next", async () => {
    for (const path of ["/api/scan", "/api/scan/", "//api//scan//", "/api/scan/?_=1"]) {
      const answer = await fetch(`${server.url}${path}`, {
        headers: { "X-API-Key": key },
        redirect: "manual",
      });
      expect(answer.status, path).toBe(200);
      expect(await answer.json()).toMatchObject({ items: [] });
    }
    const page = await fetch(`${server.url}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await fetch(`${server.url}/no-such-page`)).headers.get("content-type")).toContain("text/html");
  });

  it("answers 404 in JSON under the API, and redirects browsers under /admin to sign-in", async () => {
    for (const path of ["/api/x", "/webhooks/x", "/admin/x/y/z"]) {
      const answer = await fetch(`${server.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    }
    const headers = { Accept: "text/html" };
    const page = await fetch(`${server.url}/admin/x/y/z`, { headers, redirect: "manual" });
    expect(page.status).toBe(307);
    expect(page.headers.get("location")).toMatch(/^\/admin\/sign-in\b/);
  });

  it("ignores the headers of server actions and middleware", async () => {
    const plain = await fetch(`${server.url}/`);
    const sly = await fetch(`${server.url}/`, {
      method: "POST",
      headers: {
        "Next-Action": "7f0000000000000000000000000000000000000000",
        "X-Middleware-Subrequest": "middleware",
      },
      body: "[]",
    });
    expect(plain.status).toBe(200);
    expect(sly.status).toBe(405);
    const get = await fetch(`${server.url}/`, {
      headers: { "Next-Action": "x", "x-middleware-subrequest": "src/middleware" },
    });
    // Each answer has its own nonce; the rest of the page is the same.
    const withoutNonces = async (page: Response) => (await page.text()).replaceAll(/nonce="[^"]*"/g, "");
    expect(await withoutNonces(get)).toBe(await withoutNonces(plain));
  });

  it("accepts forms only at their handlers", async () => {
    for (const path of ["/", "/login", "/portal", "/no-such-page"]) {
      const form = new FormData();
      form.set("$ACTION_ID_7f", "");
      const answer = await fetch(`${server.url}${path}`, { method: "POST", body: form, redirect: "manual" });
      expect(answer.status, path).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
      expect(await answer.json()).toMatchObject({ code: "method_not_allowed" });
    }
    const signIn = await fetch(`${server.url}/login/request-link`, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ email: "nobody@example.com" }),
      redirect: "manual",
    });
    expect(signIn.status).toBe(303);
  });

  it("counts failures by the address seen by the trusted proxy, not by one that a client claims", async () => {
    const attempt = (forwarded: string, extra: Record<string, string> = {}) =>
      fetch(`${server.url}/admin/keys`, {
        headers: { "X-Admin-Secret": "wrong", "X-Forwarded-For": forwarded, ...extra },
      }).then((answer) => answer.status);
    const statuses = [];
    for (let n = 0; n < 12; n++) {
      // The client forges entries of X-Forwarded-For left of the proxy's own, and X-Client-Address.
      statuses.push(await attempt(`10.9.9.${n}, 203.0.113.50`, { "X-Client-Address": `10.8.8.${n}` }));
    }
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
    expect(await attempt("203.0.113.51")).toBe(403);
  });

  it("logs one JSON line per request with the path's template, without key or secret", async () => {
    await fetch(`${server.url}/api/signals/EURUSD/H1?limit=5`, {
      headers: { "X-API-Key": key, "X-Request-Id": "trace-me-1234" },
    });
    await waitUntil(async () => logLines().some((line) => line.requestId === "trace-me-1234"), 3_000);
    const lines = logLines().filter((line) => line.requestId === "trace-me-1234");
    expect(lines).toEqual([
      {
        level: "info",
        time: expect.any(String),
        requestId: "trace-me-1234",
        method: "GET",
        route: "/api/signals/{symbol}/{tf}",
        status: 200,
        ms: expect.any(Number),
        keyId: expect.any(Number),
        subscriptionId: expect.any(Number),
        msg: "request",
      },
    ]);
    expect(server.output()).not.toContain(key);
    expect(server.output()).not.toContain(ADMIN_SECRET);
  });

  it("logs only the network, and the subscription or role, of a page's visitor", async () => {
    const from = { "X-Forwarded-For": "203.0.113.77" };
    const form = (path: string, fields: Record<string, string>) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { ...from, "Sec-Fetch-Site": "same-origin" },
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    const open = async (path: string, signedIn: Response) => {
      const cookie = signedIn.headers
        .getSetCookie()
        .map((text) => text.split(";")[0])
        .join("; ");
      const answer = await fetch(`${server.url}${path}`, { headers: { ...from, cookie } });
      await answer.text();
      expect(answer.status).toBe(200);
    };
    const asked = (await fetch(`${server.url}/api/account/me`, { headers: { "X-API-Key": key } })).status;
    expect(asked).toBe(200);
    await open("/portal/key", await form("/login/by-key", { api_key: key }));
    await open("/admin/operations/audit", await form("/admin/sign-in/enter", { secret: ADMIN_SECRET }));
    await fetch(`${server.url}/docs`, { headers: from });

    const lineOf = (route: string) =>
      logLines().find((line) => line.msg === "request" && line.route === route);
    await waitUntil(
      async () => ["/portal/key", "/admin/operations/audit", "/docs"].every(lineOf),
      3_000,
      server.output,
    );
    const keyed = logLines().find((line) => line.route === "/api/account/me");
    expect(lineOf("/portal/key")).toMatchObject({
      network: "203.0.113.0/24",
      subscriptionId: keyed.subscriptionId,
    });
    expect(lineOf("/admin/operations/audit")).toMatchObject({
      network: "203.0.113.0/24",
      reader: "administrator",
    });
    expect(Object.keys(lineOf("/docs")).toSorted()).toEqual(
      ["level", "time", "method", "route", "status", "ms", "network", "msg"].toSorted(),
    );
    expect(server.output()).not.toContain("203.0.113.77");
  });

  it("writes only JSON to standard output, even from Next and packages", async () => {
    await fetch(`${server.url}/no-such-page`);
    const lines = server
      .stdout()
      .split("\n")
      .filter((line) => line !== "");
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  });
});
