import { existsSync } from "node:fs";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { startProcess, startServer, waitUntil } from "@/tests/support/server";

describe("a log on a full disk", () => {
  it.runIf(existsSync("/dev/full"))("a log on a full disk stops neither server nor worker", async () => {
    const database = await createDatabase();
    const environment = { LOG_FILE: "/dev/full", MARKET_FEED: "off" };
    const server = await startServer(database.url, { ...environment, WORKER: "none" });
    const worker = await startProcess(
      "worker.mjs",
      { ...testEnvironment(database.url), ...environment },
      0,
      () => true,
    );
    const sql = postgres(database.url, { max: 1 });
    try {
      // More than one batch of lines.
      for (let n = 0; n < 100; n++) expect((await fetch(`${server.url}/api/models`)).status).toBe(401);
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 20_000, worker.output);
      expect(await server.stop()).toBe(0);
      expect(await worker.stop()).toBe(0);
      expect(server.output() + worker.output()).not.toContain("ENOSPC");
    } finally {
      await server.kill();
      await worker.kill();
      await sql.end();
      await database.drop();
    }
  });
});
