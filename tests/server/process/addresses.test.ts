import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import type { TestDatabase } from "./built-server";

describe("the server behind one remote proxy", () => {
  let database: TestDatabase;
  let server: RunningServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer(database.url, {
      WORKER: "none",
      HOST: "127.0.0.1",
      LOG_LEVEL: "warn",
      TRUST_PROXY_HOPS: "1",
      TRUST_PROXY_FROM: "203.0.113.0/24",
    });
  }, 60_000);
  afterAll(async () => {
    await server.kill();
    await database.drop();
  });

  it("ten wrong administrator secrets lock a client out despite forged addresses, with one log line", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) {
      const answer = await fetch(`${server.url}/admin/keys`, {
        headers: { "X-Admin-Secret": `guess-${i}`, "X-Forwarded-For": `198.51.100.${i}:${1024 + i}` },
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array(10).fill(403), ...Array(20).fill(429)]);
    const lines = () => server.output().match(/X-Forwarded-For is ignored/g) ?? [];
    await waitUntil(async () => lines().length > 0, 5_000);
    expect(lines()).toHaveLength(1);
  });

  it("the server listens on the address of HOST only", async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((found) => found ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
    expect((await fetch(`http://127.0.0.1:${server.port}/api/health/live`)).status).toBe(200);
    for (const address of ["127.0.0.2", ...others])
      await expect(fetch(`http://${address}:${server.port}/api/health/live`), address).rejects.toThrow();
  });
});
