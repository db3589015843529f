import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandArguments } from "@/tests/support/command";
import { ADMIN_SECRET, createDatabase, testEnvironment } from "@/tests/support/database";
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

const run = (name: string, ...args: string[]) => runWith(extra, name, ...args);

function runWith(
  variables: Record<string, string>,
  name: string,
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    ...testEnvironment(database.url, variables),
    NODE_ENV: "test" as const,
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...commandArguments(name), ...args],
      { env, cwd: root },
      (error, out, problems) =>
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

describe("without PAYMENT_WEBHOOK_SECRET", () => {
  const unset = { DATA_DIR: directory };
  let other: RunningServer;
  beforeAll(async () => {
    other = await startServer(database.url, unset);
  });
  afterAll(() => other.kill());

  const pay = (variables: Record<string, string>) =>
    runWith(variables, "webhook", "paid", "--email", "clicking@example.com", "--url", other.url);

  it("without PAYMENT_WEBHOOK_SECRET the webhook command says where to enter one, then signs with the one entered there", async () => {
    expect(await pay(unset)).toMatchObject({
      code: 1,
      output: expect.stringContaining("Enter one on the page Payment platforms"),
    });

    await enterSecret(other, "entered-by-clicking-0123456789");
    expect(await pay(unset)).toMatchObject({
      code: 0,
      output: expect.stringContaining('"action":"api_key_created"'),
    });
    // The variable takes precedence, and this server does not accept its secret.
    expect(await pay(extra)).toMatchObject({ code: 1, output: expect.stringContaining("\n403 ") });
  }, 60_000);
});

/** Enters the secret of the generic platform as its page does. */
async function enterSecret({ url, port }: RunningServer, secret: string): Promise<void> {
  const submit = async (path: string, fields: Record<string, string>, cookie = "") => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { Origin: `http://localhost:${port}`, "Sec-Fetch-Site": "same-origin", Cookie: cookie },
      body: new URLSearchParams(fields),
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const cookie = await submit("/admin/sign-in/enter", { secret: ADMIN_SECRET, next: "/admin" });
  await submit("/admin/secrets/PAYMENT_WEBHOOK_SECRET/act?intent=store", { secret }, cookie);
}

it("the webhook command without a buyer prints its usage and exits with 2", async () => {
  expect(await run("webhook", "paid")).toMatchObject({
    code: 2,
    output: expect.stringContaining("usage: npm run webhook"),
  });
});
