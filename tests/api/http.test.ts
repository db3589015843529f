import { describe, expect, it } from "vitest";
import { MOUNTS } from "@/lib/server/mounts";
import { type CallOptions, call as callFrom, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let caller = 0;

/** A call from a unique address, so that failure limits per address do not apply. */
const call = (method: string, path: string, options: CallOptions = {}) =>
  callFrom(method, path, {
    ...options,
    headers: { "x-client-address": `10.0.0.${caller++}`, ...options.headers },
  });

/** Every mounted path with sample parameters, and the methods that its module exports. */
const PATHS = Object.entries(MOUNTS).map(([template, module]) => ({
  template,
  path: template
    .replace("{symbol}", "EURUSD")
    .replace("{tf}", "H1")
    .replaceAll(/\{\w+\}/g, "1"),
  methods: ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => method in module),
}));

describe("every path of the API", () => {
  it.each(PATHS)(
    "$template answers unsupported methods with 405 and Allow, without authentication",
    async ({ path, methods }) => {
      const allow = [
        ...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])),
        "OPTIONS",
      ];
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (methods.includes(method)) continue;
        const answer = await call(method, path);
        expect(answer).toMatchObject({ status: 405, json: { code: "method_not_allowed" } });
        expect(answer.headers.get("allow")).toBe(allow.join(", "));
      }
      const options = await call("OPTIONS", path);
      expect(options).toMatchObject({ status: 204, text: "" });
      expect(options.headers.get("allow")).toBe(allow.join(", "));
      expect(options.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it.each(PATHS)(
    "$template echoes a valid request id and replaces an invalid one",
    async ({ path, methods }) => {
      const [method = "GET"] = methods;
      for (const sane of ["abcdefgh", "Trace-1.2_3", "x".repeat(64)]) {
        const answer = await call(method, path, { headers: { "X-Request-Id": sane } });
        expect(answer.headers.get("x-request-id")).toBe(sane);
      }
      for (const bad of ["short", "x".repeat(65), "with blank 12", '<script>"12345']) {
        const answer = await call(method, path, { headers: { "X-Request-Id": bad } });
        expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{16}$/);
      }
    },
  );

  it.each(PATHS)(
    "$template answers with trailing or doubled slashes as without them, without a redirect",
    async ({ path, methods }) => {
      const [method = "GET"] = methods;
      const plain = await call(method, path);
      for (const variant of [`${path}/`, `${path}///`, path.replaceAll("/", "//"), `/${path}`]) {
        const answer = await call(method, variant);
        expect(answer.status).toBe(plain.status);
        expect(answer.json?.code).toBe(plain.json?.code);
      }
    },
  );
});

describe("HEAD", () => {
  it("HEAD answers like GET without the body", async () => {
    const { key } = await makeKey();
    const get = await call("GET", "/api/scan", { key });
    const head = await call("HEAD", "/api/scan", { key });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    expect((await call("HEAD", "/api/executions")).status).toBe(405);
    expect((await call("HEAD", "/api/account/me")).status).toBe(401);
  });
});

describe("an unknown path", () => {
  it.each([
    "/api",
    "/api/",
    "/api/nothing",
    "/api/signals/EURUSD",
    "/api/signals/EURUSD/H1/x",
    "/admin/keys/1/2",
    "/webhooks/x",
  ])("the unknown path %s is 404 in JSON", async (path) => {
    const answer = await call("GET", path);
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual({
      detail: expect.any(String),
      code: "not_found",
      request_id: answer.headers.get("x-request-id"),
    });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  it("the 404 for an unknown path does not repeat the path", async () => {
    expect((await call("GET", "/api/<script>alert(1)</script>")).text).not.toContain("script");
  });
});
