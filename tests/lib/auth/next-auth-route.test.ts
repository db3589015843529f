import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GET, POST } from "@/app/api/auth/[...nextauth]/route";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { sessionCookieOf } from "@/tests/support/portal";

useDatabase();

const HOST = "https://signals.example.test";

function ask(method: "GET" | "POST", action: string, options: RequestInit = {}): Promise<Response> {
  const request = new Request(`${HOST}/api/auth/${action}`, { method, ...options });
  const nextauth = new URL(request.url).pathname.split("/").slice(3);
  return (method === "GET" ? GET : POST)(request, { params: Promise.resolve({ nextauth }) });
}

describe("next-auth's routes", () => {
  it.each(["callback/key", "callback/link", "signin/key?error=x"])(
    "GET %s gets 405 and names POST as the allowed method",
    async (action) => {
      const answer = await ask("GET", action);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await answer.json()).toMatchObject({ code: "method_not_allowed" });
    },
  );

  it.each(["x", "callback", "callback/other", "_log", "callback/key/x", "__proto__", "constructor"])(
    "the next-auth route %s is not found",
    async (action) => {
      for (const method of ["GET", "POST"] as const) expect((await ask(method, action)).status).toBe(404);
    },
  );

  it.each(["signin", "signout", "error?error=x", "verify-request", "signin?callbackUrl=http://evil.test"])(
    "GET %s redirects to the sign-in page",
    async (action) => {
      const answer = await ask("GET", action);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/login"]);
    },
  );

  it.each(["session", "csrf", "providers"])(
    "GET %s answers 200 with JSON for malformed cookies, headers and parameters",
    async (action) => {
      const odd: RequestInit[] = [
        {},
        { headers: { cookie: "__Secure-next-auth.session-token=%zz; __Host-next-auth.csrf-token=|||" } },
        { headers: { cookie: "__Secure-next-auth.callback-url=%00%ff; next-auth.session-token.0=x" } },
        { headers: { "x-forwarded-host": "evil.test", authorization: "Bearer x" } },
      ];
      for (const options of odd) {
        for (const query of ["", "?callbackUrl=http:", "?callbackUrl=%00", "?nextauth=signin&error[]=1"]) {
          const answer = await ask("GET", action + query, options);
          expect(answer.status).toBe(200);
          expect(answer.headers.get("content-type")).toContain("application/json");
          await answer.json();
        }
      }
    },
  );

  it.each(["callback/key", "callback/link", "signin/key", "signout"])(
    "POST %s answers malformed and empty bodies without a 5xx",
    async (action) => {
      const json = { "content-type": "application/json" };
      const sent: RequestInit[] = [
        {},
        { body: "{bad", headers: json },
        { body: "null", headers: json },
        { body: "[1]", headers: json },
        { body: '{"csrfToken":{"a":1},"callbackUrl":"http:","json":true}', headers: json },
        { body: "callbackUrl=http%3A&csrfToken=x" },
        { body: new FormData() },
        { body: "a=%zz&=&&" },
      ];
      for (const options of sent) expect((await ask("POST", action, options)).status).toBeLessThan(500);
    },
  );

  it("next-auth's routes refuse a body of 70,000 bytes with 413, and do not log what a visitor posts to _log", async () => {
    expect((await ask("POST", "callback/key", { body: "x".repeat(70_000) })).status).toBe(413);
    await ask("POST", "_log", {
      body: '{"level":"error","code":"a-line-of-mine"}',
      headers: { "content-type": "application/json" },
    });
    expect(readFileSync(process.env.LOG_FILE ?? "", "utf8")).not.toContain("a-line-of-mine");
  });

  it("a POST of an API key with the CSRF token to next-auth opens a session", async () => {
    const { key } = await makeKey({});
    const csrf = await ask("GET", "csrf");
    const { csrfToken } = await csrf.json();
    const cookie = csrf.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const answer = await ask("POST", "callback/key", {
      body: new URLSearchParams({ csrfToken, apiKey: key }),
      headers: { cookie, "x-client-address": "192.0.2.77" },
    });
    expect(answer.status).toBe(302);
    const session = sessionCookieOf(answer);
    expect(session).not.toBeNull();
    const who = await ask("GET", "session", { headers: { cookie: session ?? "" } });
    expect(await who.json()).toMatchObject({ expires: expect.any(String) });
  });
});
