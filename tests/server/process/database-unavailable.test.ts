import { describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { startProcess, waitUntil } from "@/tests/support/server";
import { tcpProxy } from "@/tests/support/tcp-proxy";
import { makeKey } from "./built-server";

describe("an unavailable database", () => {
  it("a database that is unavailable at start causes 503 within two seconds, and the service recovers each time it returns", async () => {
    const database = await createDatabase();
    const upstream = new URL(database.url);
    const proxy = tcpProxy(await pickFreePort(), { host: upstream.hostname, port: Number(upstream.port) });
    const through = new URL(database.url);
    through.port = String(proxy.port);
    const port = await pickFreePort();
    const environment = {
      ...testEnvironment(through.href, { PORT: String(port), BASE_URL: `http://localhost:${port}` }),
      LOG_FILE: "",
      WORKER: "none",
    };
    const server = await startProcess("server.mjs", environment, port, (output) =>
      output.includes('"listening"'),
    );
    try {
      const health = async () => {
        const startedAt = performance.now();
        const answer = await fetch(`${server.url}/api/health`);
        expect(performance.now() - startedAt).toBeLessThan(2_000);
        return { status: answer.status, body: await answer.json() };
      };
      const scan = async (key: string) => {
        const startedAt = performance.now();
        const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
        expect(performance.now() - startedAt).toBeLessThan(4_000);
        return answer;
      };
      const away = await health();
      expect(away.status).toBe(503);
      expect(away.body).toMatchObject({
        status: "down",
        db: "unavailable",
        reasons: [expect.stringContaining("database")],
      });

      const unknown = "3f2a0000-0000-4000-8000-00000000c91b";
      const refused = await scan(unknown);
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ code: "key_unverifiable" });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);

      await proxy.open();
      await waitUntil(async () => (await scan(unknown)).status === 401, 15_000, server.output);
      const key = await makeKey(server);
      expect((await scan(key)).status).toBe(200);

      await proxy.cut();
      for (const answer of await Promise.all(Array.from({ length: 10 }, () => scan(key)))) {
        expect(answer.status).toBe(503);
      }
      expect((await fetch(`${server.url}/login/confirm?token=quoted`)).status).toBe(503);
      const failed = /"route":"\/login\/confirm","code":"\d+".*"msg":"a page failed"/;
      await waitUntil(async () => failed.test(server.output()), 5_000, server.output);
      expect(server.output()).not.toContain("quoted");
      await proxy.open();
      await waitUntil(async () => (await scan(key)).status === 200, 15_000, server.output);
      // A health check's result is reused for a second, failures included.
      await waitUntil(async () => (await health()).body.db === "ok", 5_000);
      expect(server.output()).not.toContain('"status":500');
      expect(await server.stop()).toBe(0);
    } finally {
      await server.kill();
      await proxy.cut();
      await database.drop();
    }
  });
});
