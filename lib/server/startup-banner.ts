import { join } from "node:path";
import { db } from "@/db/client";
import { DEMO_NOTES } from "@/db/queries/demo-clients";
import { readSetting, writeSetting } from "@/db/queries/settings";
import { issueKey } from "@/lib/access/keys/issue-key";
import { DEMO_HISTORY_DAYS } from "@/lib/models/demo/demo-clients";
import { canMailReachPeople } from "@/lib/outbound/mail/can-mail-reach-people";
import { brand } from "@/lib/runtime/brand";
import type { Env } from "@/lib/runtime/env";
import { addDays } from "@/lib/time";

/**
 * Prints the service's address and how to sign in to standard error. With MARKET_FEED=demo the first start creates a
 * demo key and shows it once.
 */
export async function printStartupBanner(config: Env): Promise<void> {
  const lines = [`${brand().name} is ready at ${config.baseUrl}`];
  if (config.adminSecretGenerated) {
    lines.push(`Administrator secret: "adminSecret" in ${join(config.dataDir, "secrets.json")}`);
  }
  if (config.marketFeed === "demo") {
    lines.push("The market is SIMULATED (MARKET_FEED=demo): prices, signals and results are not real.");
    const demoKey = await firstDemoKey();
    if (demoKey)
      lines.push(
        `Demo key, shown only once: ${demoKey}`,
        `  curl -H "X-API-Key: ${demoKey}" ${config.baseUrl}/api/scan`,
      );
  }
  if (!canMailReachPeople()) {
    lines.push(
      `Mails are NOT sent: without Resend or an SMTP server they are written to files in ${join(config.dataDir, "outbox")}`,
    );
  }
  const short = shortSecrets(config);
  if (short.length > 0)
    lines.push(`Shorter than ${SHORT_SECRET} characters, easy to guess: ${short.join(", ")}`);
  // To standard error, because standard output is the log, one JSON object per line.
  process.stderr.write(`\n${lines.map((line) => `  ${line}`).join("\n")}\n\n`);
}

const SHORT_SECRET = 16;

function shortSecrets(config: Env): string[] {
  const secrets = {
    ADMIN_SECRET: config.adminSecret,
    NEXTAUTH_SECRET: config.nextauthSecret,
    ...Object.fromEntries(
      config.encryptionKeys.map(({ version, secret }) => [
        version === 1 ? "ENCRYPTION_KEY" : `ENCRYPTION_KEYS (version ${version})`,
        secret,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(config.serviceSecrets)
        .filter(([name]) => name.endsWith("_WEBHOOK_SECRET"))
        .map(([name, [inUse]]) => [name, inUse ?? null]),
    ),
  };
  return Object.entries(secrets)
    .filter(([, secret]) => secret !== null && secret.trim() !== "" && secret.length < SHORT_SECRET)
    .map(([name]) => name);
}

async function firstDemoKey(): Promise<string | null> {
  if (await readSetting(db(), "demo_key_issued")) return null;
  const now = new Date();
  const issued = await issueKey(
    db(),
    {
      userName: "Demo subscriber",
      email: null,
      planTier: "pro",
      expiresAt: null,
      notes: DEMO_NOTES,
      symbolsAllowed: null,
      tfsAllowed: null,
      rateLimitPerMin: null,
      subscribedAt: addDays(now, -DEMO_HISTORY_DAYS),
    },
    { kind: "command" },
    now,
  );
  await writeSetting(db(), "demo_key_issued", { keyId: issued.keyId });
  return issued.apiKey;
}
