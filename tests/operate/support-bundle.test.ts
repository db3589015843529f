import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { ServiceSecretName } from "@/lib/runtime/variables";
import { redactSecretsAndAddresses } from "@/lib/server/upkeep/support-bundle";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, testEnvironment, useDatabase } from "@/tests/support/database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

useDatabase();

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryDirectory("signal-bundle-");
const file = join(folder, "bundle.json");
const logFile = join(folder, "service.log");

/** Variables with a secret or a private address, set to searchable values. */
const SECRETS = {
  ADMIN_SECRET: "canary-admin-0123456789abcdef",
  ADMIN_SECRET_PREVIOUS: "canary-former-0123456789abcdef",
  NEXTAUTH_SECRET: "canary-session-0123456789abcdef",
  ENCRYPTION_KEYS: "2:canary-key-two-0123456789,1:canary-key-one-0123456789",
  PAYMENT_WEBHOOK_SECRET: "canary-payments-0123456789",
  STRIPE_WEBHOOK_SECRET: "whsec_canarystripe0123456789",
  PADDLE_WEBHOOK_SECRET: "canary-paddle-0123456789",
  PADDLE_SANDBOX_WEBHOOK_SECRET: "canary-paddle-sandbox-0123456789",
  LEMONSQUEEZY_WEBHOOK_SECRET: "canary-lemonsqueezy-0123456789",
  WHOP_WEBHOOK_SECRET: "canary-whop-0123456789",
  WHOP_SANDBOX_WEBHOOK_SECRET: "canary-whop-sandbox-0123456789",
  GUMROAD_WEBHOOK_SECRET: "canary_gumroad_secret_0123456789",
  OWNER_API_KEY: "0f8fad5b-d9cb-469f-a165-70867728950e",
  TELEGRAM_BOT_TOKEN: "123456:canary-telegram-token",
  OANDA_TOKEN: "canary-oanda-0123456789",
  RESEND_API_KEY: "re_canary_resend_0123456789",
  SMTP_URL: "smtp://canaryuser:canarysmtp123@127.0.0.1:1",
  METRICS_TOKEN: "canary-metrics-0123456789",
  BACKUP_PASSPHRASE: "canary backup passphrase",
  AUDIT_WEBHOOK_URL: "https://siem.example.com/in?token=canarysiemtoken",
  AUDIT_WEBHOOK_SECRET: "whsec_Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5",
  OIDC_CLIENT_SECRET: "canary-client-0123456789",
  MAIL_FROM: "Signals <canary-sender@example.com>",
} satisfies Record<ServiceSecretName, string> & Record<string, string>;
let key: string;
let bundle: string;

beforeAll(async () => {
  ({ key } = await makeKey({ email: "canary-subscriber@example.com" }));
  await call("POST", "/api/executions", {
    key,
    body: { ticket: 990_990_1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
  });
  const sql = connectDirectly();
  await sql`insert into job_runs (job, last_started_at, last_error_code) values ('mail', now(), 'status_503')`;
  const { hostname, password, username } = new URL(process.env.DATABASE_URL ?? "");
  await sql.end();
  const line = (level: number, fields: object) =>
    JSON.stringify({ level, time: 1, msg: "a line", ...fields });
  writeFileSync(
    logFile,
    [
      line(30, { msg: "only information" }),
      line(50, { code: "x", email: "email#abcd", network: "203.0.113.0/24", subscriptionId: 7 }),
      line(40, { reason: `canary-subscriber@example.com from 203.0.113.77 and 2001:db8::7 said ${key}` }),
      line(40, {
        msg: `${Object.values(SECRETS).join(" ")} ${username}:${password}@${hostname} canarysmtp123`,
      }),
      "not JSON canary-subscriber@example.com",
      "",
    ].join("\n"),
  );
  const run = spawnSync(process.execPath, ["--import", "tsx", "lib/commands/doctor.ts", "--bundle", file], {
    cwd: root,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH ?? "",
      ...testEnvironment(process.env.DATABASE_URL ?? "", { ...SECRETS, ENCRYPTION_KEY: "" }),
      OIDC_ISSUER: "https://id.example.com/realms/staff",
      OIDC_CLIENT_ID: "signals-client",
      LOG_FILE: logFile,
      NODE_ENV: "test",
    },
  });
  expect([run.stderr, run.status]).toEqual(["", 0]);
  bundle = readFileSync(file, "utf8");
}, 120_000);

describe("the support bundle", () => {
  it("the support bundle describes the environment of the service", () => {
    const parsed = JSON.parse(bundle);
    expect(parsed.doctor.length).toBeGreaterThan(8);
    expect(parsed.configuration.MARKET_FEED).toBe("off");
    expect(parsed.database.version).toMatch(/^\d+/);
    expect(parsed.schema.of_this_build.tag).toMatch(/^\d{4}_/);
    expect(parsed.tables.length).toBeGreaterThan(50);
    expect(parsed.jobs).toMatchObject([{ job: "mail", lastErrorCode: "status_503" }]);
    expect(parsed.figures.length).toBeGreaterThan(20);
    expect(parsed.log.map(({ msg }: { msg: string }) => msg)).toHaveLength(3);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("the support bundle contains no secret, address or subscriber data", () => {
    const { password } = new URL(process.env.DATABASE_URL ?? "");
    const values = Object.values(SECRETS)
      .flatMap((value) => value.split(/,|(?<=^|,)\d:/))
      .filter(Boolean);
    for (const value of [...values, key, "203.0.113", "2001:db8", "email#", "9909901"])
      expect(bundle).not.toContain(value);
    if (password.length >= 6) expect(bundle).not.toContain(password);
    expect(bundle.match(/canary/gi)).toBeNull();
  });

  it("the support bundle does not overwrite an existing file", () => {
    const run = spawnSync(process.execPath, ["--import", "tsx", "lib/commands/doctor.ts", "--bundle", file], {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        ...testEnvironment(process.env.DATABASE_URL ?? ""),
        NODE_ENV: "test",
      },
    });
    expect(run.status).toBe(1);
    expect(readFileSync(file, "utf8")).toBe(bundle);
  });

  it("the support bundle keeps text that only resembles an address or a secret", () => {
    const text =
      '{"at":"2026-11-22T10:15:00Z","version":"1.2.0","stack":["at x (/opt/a/node_modules/@hono/b.js:1:2)"]}';
    expect(redactSecretsAndAddresses(text, [])).toBe(text);
    expect(redactSecretsAndAddresses("a\nb@c.de, 10.0.0.7", [])).toBe("a\n[address], [network]");
  });
});
