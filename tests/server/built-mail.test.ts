import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ADMIN_SECRET, createDatabase } from "../support/database";
import { startServer, waitUntil } from "../support/server";
import { temporaryDirectory } from "../support/temporary-directory";

test("the built server writes and sends mail when nobody set NODE_ENV", async () => {
  const database = await createDatabase();
  const dataDir = temporaryDirectory("signal-built-mail-");
  const server = await startServer(database.url, { DATA_DIR: dataDir });
  try {
    const answer = await fetch(`${server.url}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify({ user_name: "Ada", email: "ada@example.com" }),
    });
    expect(answer.status).toBe(201);
    const { api_key } = await answer.json();
    const outbox = join(dataDir, "outbox");
    const sent = () => {
      try {
        return readdirSync(outbox).filter((file) => file.endsWith(".eml"));
      } catch {
        return [];
      }
    };
    await waitUntil(async () => sent().length === 1, 15_000, server.output);
    expect(readFileSync(join(outbox, sent()[0] ?? ""), "utf8")).toContain(api_key);
  } finally {
    await server.kill();
    await database.drop();
  }
});
