import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { command } from "@/tests/support/command";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { WEBHOOK_SECRET } from "@/tests/support/payments";
import { sentMails } from "@/tests/support/sent-mail";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";

const root = fileURLToPath(new URL("../..", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "webhook-command-"));
const extra = { PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, DATA_DIR: directory };
let database: Awaited<ReturnType<typeof createDatabase>>;
let server: RunningServer;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer(database.url, extra);
});
afterAll(async () => {
  await server.kill();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

function run(name: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    ...testEnvironment(database.url, extra),
    NODE_ENV: "test" as const,
  };
  return new Promise((done) => {
    execFile(process.execPath, [...command(name), ...args], { env, cwd: root }, (error, out, problems) =>
      done({ code: typeof error?.code === "number" ? error.code : 0, output: out + problems }),
    );
  });
}

it("a sample payment puts a mail in the outbox whose key works in a trading client", async () => {
  const paid = await run("webhook", "paid", "--email", "operator@example.com", "--url", server.url);
  expect(paid).toMatchObject({
    code: 0,
    output: expect.stringContaining('"action":"api_key_created","plan":"pro"'),
  });
  expect(paid.output).toContain(join(directory, "outbox"));

  const queuedAt = performance.now();
  const keyMail = () => sentMails(directory).find(({ name }) => name.endsWith("-key-created.eml"));
  await waitUntil(async () => keyMail() !== undefined, 20_000);
  expect(performance.now() - queuedAt).toBeLessThan(5_000);
  const mail = await PostalMime.parse(keyMail()?.source ?? "");
  const key = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/m.exec(mail.text ?? "")?.[0] ?? "";

  const client = await run("ea", "--url", server.url, "--key", key, "--polls", "1");
  expect(client).toMatchObject({ code: 0, output: expect.stringContaining("0 answers lost") });

  const refunded = await run("webhook", "refunded", "--email", "operator@example.com", "--url", server.url);
  expect(refunded.output).toContain('"keys_revoked":1');
  expect((await run("ea", "--url", server.url, "--key", key, "--polls", "1")).code).toBe(3);
  expect(server.output()).not.toContain("operator@example.com");
  expect(server.output()).not.toContain(key);
}, 60_000);

it("without an event or a buyer the command prints its usage", async () => {
  expect(await run("webhook", "paid")).toMatchObject({
    code: 2,
    output: expect.stringContaining("usage: npm run webhook"),
  });
});
