import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { pickFreePort } from "@/db/embedded/cluster";
import { writeBackupState } from "@/db/queries/backup-state";
import { recordFeedState } from "@/db/queries/feeds";
import { readIgnoredForwardedFor, writeIgnoredForwardedFor } from "@/db/queries/ignored-forwarded-for";
import { setCheckpointRefusal } from "@/db/queries/ledger";
import { writeSetting } from "@/db/queries/settings";
import { readGauges } from "@/lib/health/read-gauges";
import { NO_BRAND } from "@/lib/runtime/brand-settings";
import { env, parseEnv } from "@/lib/runtime/env";
import { encrypt } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { runDoctorChecks } from "@/lib/server/upkeep/doctor";
import { startApiServer } from "@/tests/support/api-server";
import { testEnvironment, useDatabase } from "@/tests/support/database";
import { startOidcProvider } from "@/tests/support/oidc-provider";
import { waitUntil } from "@/tests/support/server";

useDatabase();
const root = fileURLToPath(new URL("../..", import.meta.url));

let before: ReturnType<typeof env>;
beforeAll(() => {
  before = { ...env() };
});
afterEach(() => {
  Object.assign(env(), before);
});

/** The doctor's findings for one part with these variables. */
async function say(part: string, variables: Record<string, string> = {}) {
  const config = Object.assign(env(), parseEnv({ ...process.env, ...variables }));
  return (await runDoctorChecks(config)).filter((finding) => finding.part === part);
}

describe("the doctor command", () => {
  it("reports the database with its version and latency", async () => {
    const [found] = await say("database");
    expect(found).toMatchObject({ state: "ok" });
    expect(found?.text).toMatch(/^PostgreSQL \d+.*, no pooler, \d+\.\d ms for a statement/);
  });

  it("names weak secrets without their values", async () => {
    const [found] = await say("secrets", {
      ADMIN_SECRET: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      PAYMENT_WEBHOOK_SECRET: "hunter2",
    });
    expect(found).toMatchObject({ state: "look" });
    expect(found?.text).toContain("ADMIN_SECRET");
    expect(found?.text).toContain("PAYMENT_WEBHOOK_SECRET");
    expect(JSON.stringify(await runDoctorChecks(env()))).not.toMatch(/hunter2|aaaaaaaa/);
  });

  it("names a stored secret that no encryption key decrypts, although its previous one still works", async () => {
    const keys = (text: string) => parseEnv({ ...process.env, ENCRYPTION_KEY: "", ENCRYPTION_KEYS: text });
    const readable = encrypt("the-former-webhook-secret");
    Object.assign(env(), keys("7:a-lost-key-0123456789"));
    const lost = encrypt("the-present-webhook-secret");
    await db().$client`
      insert into service_secrets (name, value_encrypted, former_encrypted)
      values ('PAYMENT_WEBHOOK_SECRET', ${lost}, ${readable})`;
    expect(await say("secrets")).toContainEqual(
      expect.objectContaining({ state: "wrong", text: expect.stringContaining("PAYMENT_WEBHOOK_SECRET") }),
    );
    await db().$client`delete from service_secrets`;
  });

  it("reports a missing, late or present backup", async () => {
    expect((await say("backup"))[0]).toMatchObject({ state: "wrong", text: "none are taken" });
    const variables = { BACKUP_PASSPHRASE: "correct horse battery" };
    expect((await say("backup", variables))[0]).toMatchObject({ state: "wrong", text: "there is none yet" });
    const state = { file: "x", bytes: 1, seconds: 1, tables: 1, rows: 1, proof: "restored" as const };
    await writeBackupState(db(), { ...state, takenAt: new Date(Date.now() - 40 * 3_600_000).toISOString() });
    expect((await say("backup", variables))[0]?.text).toBe("the newest verified one is 40.0 h old");
    await writeBackupState(db(), { ...state, takenAt: new Date().toISOString() });
    expect((await say("backup", variables))[0]?.state).toBe("ok");
  });

  it("reports missing settings of mail and Redis, an unreachable SMTP server and a worker that has not run", async () => {
    expect((await say("mail"))[0]).toMatchObject({ state: "wrong" });
    expect((await say("redis"))[0]).toMatchObject({ state: "look" });
    const port = await pickFreePort();
    const [smtp] = await say("mail", { SMTP_URL: `smtp://127.0.0.1:${port}` });
    expect(smtp).toMatchObject({ state: "wrong", text: "the SMTP server cannot be reached" });
    expect((await say("worker"))[0]).toMatchObject({ state: "wrong", text: "none yet" });
  });

  it("fetches the identity provider's document and checks its issuer", async () => {
    expect(await say("identity")).toEqual([]);
    const provider = await startOidcProvider(() => "");
    const named = (issuer: string) =>
      say("identity", { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "signals", OIDC_CLIENT_SECRET: "a-secret" });
    try {
      expect((await named(provider.issuer))[0]).toMatchObject({ state: "ok" });
      provider.faults = { issuer: "https://another.example" };
      expect((await named(provider.issuer))[0]?.text).toMatch(/names another issuer/);
      provider.faults = { broken: "discovery" };
      expect((await named(provider.issuer))[0]?.text).toMatch(/has no discovery document/);
    } finally {
      await provider.close();
    }
    expect((await named(provider.issuer))[0]).toMatchObject({ state: "wrong" });
  });

  it("reports a ledger that the worker refuses to sign, with the reason", async () => {
    expect((await say("ledger"))[0]).toMatchObject({ state: "ok" });
    await setCheckpointRefusal(db(), "the newest checkpoint was signed with a key that is not available");
    const [found] = await say("ledger");
    expect(found).toMatchObject({ state: "wrong" });
    expect(found?.text).toContain("a key that is not available");
    expect(found?.advice).toContain("LedgerRefuses");
    await setCheckpointRefusal(db(), null);
  });

  it("names a broken candle feed, as do the metrics", async () => {
    const variables = { MARKET_FEED: "folder:/nowhere/a; folder:/nowhere/b" };
    const texts = async () => (await say("feeds", variables)).map(({ state, text }) => `${state} ${text}`);
    expect(await texts()).toEqual([
      "ok folder:/nowhere/a has not started yet",
      "ok folder:/nowhere/b has not started yet",
    ]);
    await recordFeedState(db(), {
      name: "folder:/nowhere/a",
      state: "refused",
      error: "This folder cannot be read.",
    });
    await recordFeedState(db(), { name: "folder:/nowhere/b", state: "ok" });
    expect(await texts()).toEqual([
      "wrong folder:/nowhere/a is refused: This folder cannot be read.",
      "ok folder:/nowhere/b works",
    ]);
    Object.assign(env(), parseEnv({ ...process.env, ...variables }));
    const up = (await readGauges()).find(({ name }) => name === "feed_up");
    expect(up?.values).toEqual([
      { labels: { feed: "folder:/nowhere/a" }, value: 0 },
      { labels: { feed: "folder:/nowhere/b" }, value: 1 },
    ]);
  });

  it("reports a sender address without a domain that the brand sets", async () => {
    const mailed = {
      SMTP_URL: `smtp://127.0.0.1:${await pickFreePort()}`,
      MAIL_FROM: "Signals <a@example.com>",
    };
    await writeSetting(db(), "brand", { ...NO_BRAND, senderAddress: "signals@mail.localdomain" });
    const found = await say("mail", mailed);
    expect(found.at(-1)).toMatchObject({ state: "wrong", text: "the sender has no domain" });
    await writeSetting(db(), "brand", NO_BRAND);
    await settingsCache().readAgain();
  });

  it("reports a proxy that is not configured when nearly all requests are forwarded, and no client that sends the header", async () => {
    expect((await say("proxy"))[0]?.state).not.toBe("wrong");
    const { url, close } = await startApiServer();
    const now = performance.now.bind(performance);
    let later = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + later);
    const forwarded = { headers: { "X-Forwarded-For": "192.0.2.7" } };
    /** Requests of ten minutes, a fifth of them without the header if `isMixed`. */
    const tenMinutes = async (isMixed: boolean) => {
      for (let i = 0; i < 20; i++)
        await fetch(`${url}/api/public/stats`, isMixed && i % 5 === 0 ? {} : forwarded);
      // Probes without a proxy do not count.
      for (let i = 0; i < 10; i++) await fetch(`${url}/api/health/live`);
      later += 10 * 60_000;
      await fetch(`${url}/api/public/stats`, forwarded);
    };
    try {
      await tenMinutes(true);
      await pause(300);
      expect(await readIgnoredForwardedFor(db())).toBeNull();
      await tenMinutes(false);
      await waitUntil(async () => (await readIgnoredForwardedFor(db())) !== null, 5_000);
    } finally {
      clock.mockRestore();
      await close();
    }
    const [found] = await say("proxy");
    expect(found).toMatchObject({ state: "wrong" });
    expect(found?.advice).toContain("TRUST_PROXY_HOPS");
    await writeIgnoredForwardedFor(db(), { at: new Date(Date.now() - 3 * 3_600_000).toISOString() });
    expect((await say("proxy"))[0]?.state).not.toBe("wrong");
  });

  it("prints a line per check, and exits with 1 on a problem", () => {
    const run = spawnSync(process.execPath, ["--import", "tsx", "lib/commands/doctor.ts"], {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH ?? "",
        ...testEnvironment(process.env.DATABASE_URL ?? ""),
        NODE_ENV: "test",
      },
    });
    expect(run.stderr).toBe("");
    for (const part of [
      "database",
      "redis",
      "mail",
      "clock",
      "proxy",
      "tls",
      "disk",
      "secrets",
      "worker",
      "backup",
    ])
      expect(run.stdout).toMatch(new RegExp(`^(ok   |look |WRONG)  ${part}`, "m"));
    expect(run.stdout).toMatch(/\d+ ok, \d+ to check, \d+ wrong/);
    expect(run.status).toBe(1);
  });
});
