import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { hasCaddy, startCaddy } from "@/tests/support/caddy";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";

/** Timeout for starts of replicas, which take long on a busy machine. */
const LONG_MS = 180_000;

// Skipped without Caddy; Debian's package is sufficient.
describe.skipIf(!hasCaddy).sequential("Caddy with the example configuration", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  const replicas: RunningServer[] = [];
  let caddy: Awaited<ReturnType<typeof startCaddy>>;
  let key: string;

  const start = (port?: number) =>
    startServer(database.url, {
      MARKET_FEED: "off",
      WORKER: "none",
      TRUST_PROXY_HOPS: "1",
      // Longer than Caddy's health check.
      DRAIN_DELAY_SECONDS: "3",
      ...(port === undefined ? {} : { PORT: String(port) }),
    });

  beforeAll(async () => {
    database = await createDatabase();
    replicas.push(await start(), await start());
    const [one, two] = replicas.map(({ port }) => `127.0.0.1:${port}`);
    caddy = await startCaddy([one ?? "", two ?? ""]);
    const grant = { user_name: "Tester", plan_tier: "owner", rate_limit_per_min: 100_000 };
    const made = await fetch(`${caddy.url}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify(grant),
    });
    key = (await made.json()).api_key;
  }, LONG_MS);
  afterAll(async () => {
    caddy.stop();
    for (const replica of replicas) await replica.kill();
    await database.drop();
  });

  it("forwards the real client address, not one that the client sends in a header", async () => {
    let seen: IncomingHttpHeaders = {};
    const echo: Server = createServer((request, response) => {
      if (request.url === "/") seen = request.headers;
      response.end("{}");
    });
    const port = await pickFreePort();
    await new Promise<void>((done) => echo.listen(port, "127.0.0.1", done));
    const another = await startCaddy([`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
    await fetch(`${another.url}/`, { headers: { "X-Forwarded-For": "198.51.100.7" } });
    expect(String(seen["x-forwarded-for"]).split(", ").at(-1)).toBe("127.0.0.1");
    another.stop();
    echo.close();
  });

  it("answers in the service's format when no replica is up, and passes on a replica's own 503", async () => {
    const nobody = await startCaddy([
      `127.0.0.1:${await pickFreePort()}`,
      `127.0.0.1:${await pickFreePort()}`,
    ]);
    const answer = await fetch(`${nobody.url}/api/scan`, { method: "POST", body: "{}" });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("retry-after")]).toEqual([
      ...[503, "application/json", "5"],
    ]);
    expect(await answer.json()).toEqual({
      ...{
        detail: expect.any(String),
        code: "unavailable",
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    nobody.stop();

    const refusing: Server = createServer((request, response) => {
      response.statusCode = request.url === "/api/scan" ? 503 : 200;
      response.end("its own words");
    });
    const port = await pickFreePort();
    await new Promise<void>((done) => refusing.listen(port, "127.0.0.1", done));
    const before = await startCaddy([`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
    const own = await fetch(`${before.url}/api/scan`);
    expect([own.status, await own.text()]).toEqual([503, "its own words"]);
    before.stop();
    refusing.close();
  });

  it("refuses an oversized body with 413 in the API's format, with and without a declared length", async () => {
    const refused = async (path: string, init: RequestInit) => {
      const headers = { "X-Admin-Secret": ADMIN_SECRET };
      const answer = await fetch(`${caddy.url}${path}`, { method: "POST", headers, ...init });
      expect([answer.status, (await answer.json()).code], path).toEqual([413, "body_too_large"]);
    };
    for (let n = 0; n < 10; n++) {
      for (const [path, limit] of [
        ["/api/executions", 64 * 1024],
        ["//api/executions", 64 * 1024],
        ["/admin/keys", 64 * 1024],
        ["/login/request-link", 160 * 1024],
        ["/admin/ingest/candles", 8 * 1024 * 1024],
      ] as const)
        await refused(path, { body: Buffer.alloc(limit + 1, "a") });
      // TypeScript's fetch types lack duplex, which Node requires with a stream.
      const stream = {
        body: new Blob([Buffer.alloc(1_000_000, "a")]).stream(),
        duplex: "half",
      } as RequestInit;
      await refused("/admin/keys", stream);
    }
  });

  it("delivers stream events immediately", async () => {
    const stopping = new AbortController();
    const answer = await fetch(`${caddy.url}/api/stream`, {
      headers: { "X-API-Key": key, "Accept-Encoding": "gzip" },
      signal: stopping.signal,
    });
    expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, null]);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    // If Caddy held the event back, this would wait until the test's timeout, because the stream does not end.
    while (!text.includes("event: status")) text += (await reader?.read())?.value ?? "";
    expect(text).toContain("retry: 2000");
    stopping.abort();
  });

  it(
    "completes every request of a rolling restart with at most one retry",
    async () => {
      const failed: string[] = [];
      let asked = 0;
      let stop = false;
      const callers = Array.from({ length: 4 }, async () => {
        while (!stop) {
          asked++;
          const once = async () => {
            const answer = await fetch(`${caddy.url}/api/scan`, { headers: { "X-API-Key": key } });
            await answer.arrayBuffer();
            if (answer.status !== 200) throw new Error(String(answer.status));
          };
          await once()
            .catch(once)
            .catch((error: Error) => failed.push(error.message));
        }
      });
      for (const [n, replica] of replicas.entries()) {
        expect(await replica.stop()).toBe(0);
        const begun = await start(replica.port);
        replicas[n] = begun;
        // Caddy uses the new replica before the other one stops.
        await waitUntil(async () => begun.output().includes('"/api/scan"'), LONG_MS);
      }
      stop = true;
      await Promise.all(callers);
      expect(failed).toEqual([]);
      expect(asked).toBeGreaterThan(200);
    },
    LONG_MS,
  );
});
