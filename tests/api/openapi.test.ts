import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FOREIGN_OPERATIONS, OPERATIONS } from "@/app/operations.generated";
import { OPERATION_ORDER } from "@/lib/api/openapi/operation-order";
import { MOUNTS } from "@/lib/server/mounts";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { documentedResponses, OPENAPI_DOCUMENT, validatorOfSchema } from "@/tests/support/openapi-check";

useDatabase();

const root = join(import.meta.dirname, "../..");

/** Every API address in the tree, in the spelling of the route table. */
function routesOfTree(): string[] {
  const places = ["api", "mcp", "metrics", "webhooks", "openapi.json", "admin/(interface)"];
  return (
    places
      .flatMap((place) =>
        readdirSync(join(root, "app", place), { recursive: true, encoding: "utf8" })
          .filter((file) => file === "route.ts" || file.endsWith("/route.ts"))
          .map((file) => `/${place}/${file}`.replace(/\/route\.ts$/, "").replace(/\/\([^)]+\)/, "")),
      )
      // Routes for signed-in browsers belong to the portal, not to the API.
      .filter((path) => !/^\/api\/(auth|portal)\//.test(path))
      .map((path) => path.replaceAll("[", "{").replaceAll("]", "}"))
      .sort()
  );
}

/** Every pattern and every array schema anywhere in the document. */
function schemasOf(document: object): { patterns: string[]; arrays: Record<string, unknown>[] } {
  const patterns: string[] = [];
  const arrays: Record<string, unknown>[] = [];
  JSON.stringify(document, (name, value) => {
    if (name === "pattern" && typeof value === "string") patterns.push(value);
    if (value?.type === "array" || (Array.isArray(value?.type) && value.type.includes("array")))
      arrays.push(value);
    return value;
  });
  return { patterns, arrays };
}

describe("the route table", () => {
  it("the route table lists every API route of the tree, and no other", () => {
    expect(Object.keys(MOUNTS).sort()).toEqual(routesOfTree());
  });

  it("the route table has exactly the methods of the declared operations", () => {
    const mounted = Object.entries(MOUNTS).flatMap(([path, module]) =>
      Object.keys(module).map((method) => `${method.toLowerCase()} ${path}`),
    );
    const declared = [...OPERATIONS, ...FOREIGN_OPERATIONS].map(({ method, path }) => `${method} ${path}`);
    expect(mounted.sort()).toEqual(declared.sort());
  });

  it("the list of operations begins with those of the reading order, in that order", () => {
    expect(OPERATIONS.map(({ id }) => id).slice(0, OPERATION_ORDER.length)).toEqual(OPERATION_ORDER);
  });
});

describe("GET /openapi.json", () => {
  it("serves the document to any origin, with an ETag", async () => {
    const { status, headers, json } = await call("GET", "/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cache-control")).toContain("public");
    expect(json.openapi).toBe("3.1.0");
    const again = await call("GET", "/openapi.json", {
      headers: { "If-None-Match": headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("every documented example of an answer matches its schema", () => {
    for (const operation of OPERATIONS) {
      for (const [status, response] of Object.entries(documentedResponses(operation))) {
        const content = response.content?.["application/json"];
        if (!content) continue;
        const parsed = validatorOfSchema(content.schema).safeParse(content.example);
        expect(parsed.success, `${operation.id} ${status}: ${JSON.stringify(content.example)}`).toBe(true);
      }
    }
  });

  it("every documented example of a request is accepted by its handler's schema", () => {
    for (const { id, body } of OPERATIONS) {
      if (body) expect(body.schema.safeParse(body.example).success, id).toBe(true);
    }
  });

  it("the OpenAPI document has patterns without \\p, typed array items and a description of every operation and tag", () => {
    const { patterns, arrays } = schemasOf(OPENAPI_DOCUMENT);
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) expect(() => new RegExp(pattern), pattern).not.toThrow();
    expect(patterns.filter((pattern) => pattern.includes("\\p{"))).toEqual([]);
    expect(arrays.length).toBeGreaterThan(30);
    for (const array of arrays) expect(array.items, JSON.stringify(array)).toBeTypeOf("object");
    for (const { method, path } of OPERATIONS)
      expect(OPENAPI_DOCUMENT.paths?.[path]?.[method]?.description, `${method} ${path}`).toMatch(
        /\w{2}.*\.$/s,
      );
    for (const { name, description } of OPENAPI_DOCUMENT.tags ?? [])
      expect(description, name).toMatch(/\w{2}.*\.$/s);
    expect(OPENAPI_DOCUMENT.info).toMatchObject({
      contact: { url: expect.stringMatching(/^https?:/) },
      license: {},
    });
  });

  it("the OpenAPI document passes the Redocly linter", { timeout: 60_000 }, () => {
    const file = join(process.env.TEST_DIRECTORY ?? ".", "openapi.json");
    writeFileSync(file, JSON.stringify(OPENAPI_DOCUMENT));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "node_modules/.bin/redocly"), "lint", "--config", join(root, "tests/redocly.yaml"), file],
      {
        encoding: "utf8",
        env: {
          ...process.env,
          NODE_ENV: "test",
          REDOCLY_TELEMETRY: "off",
          REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        },
      },
    );
    expect(status, stdout + stderr).toBe(0);
  });
});
