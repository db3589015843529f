import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SIGNATURE_HEADER, signBody } from "@/lib/payments/signature";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";
import { signInByForm } from "@/tests/support/sign-in";
import { withDatabase } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const name = `replaced_${randomBytes(4).toString("hex")}`;
const [first, second] = [`${name}_a`, `${name}_b`];
const OLD = { admin: "the-old-admin-secret-0123456789", metrics: "the-old-metrics-token-0123456789" };
const NEW = { admin: "the-new-admin-secret-0123456789", metrics: "the-new-metrics-token-0123456789" };
const SESSIONS = { old: "the-old-session-secret-0123456789", new: "the-new-session-secret-0123456789" };

let superuser: postgres.Sql;
beforeAll(async () => {
  superuser = postgres(process.env.TEST_SERVER_URL ?? "", { max: 1, onnotice: () => undefined });
  await superuser.unsafe(`create role ${first} login password 'first-password'`);
  await superuser.unsafe(`create database ${name} owner ${first}`);
});
afterAll(async () => {
  await superuser.unsafe(`drop database if exists ${name} with (force)`);
  await superuser.unsafe(`drop role if exists ${second}`);
  await superuser.unsafe(`drop role if exists ${first}`);
  await superuser.end();
});

/** The database address for a role. */
function addressOf(role: string, password: string): string {
  const url = new URL(withDatabase(process.env.TEST_SERVER_URL ?? "", name));
  url.username = role;
  url.password = password;
  return url.href;
}

const folder = temporaryDirectory("signal-secrets-");
function file(name: string, secret: string): string {
  writeFileSync(join(folder, name), `${secret}\n`);
  return join(folder, name);
}

const isSignedIn = async ({ url }: RunningServer, cookie: string) => {
  const answer = await fetch(`${url}/api/auth/session`, { headers: { cookie } });
  return "expires" in ((await answer.json()) as object);
};
const PLATFORM = "the-secret-of-the-platform-0123456789";

/** The status of a delivery signed with the platform's secret. */
async function signedDelivery(url: string): Promise<number> {
  const body = Buffer.from(JSON.stringify({ event: "nothing.happened", data: {} }));
  const headers = { [SIGNATURE_HEADER]: signBody(body, PLATFORM), "Content-Type": "application/json" };
  return (await fetch(`${url}/webhooks/payment`, { method: "POST", headers, body })).status;
}

const statusOf = async (url: string, headers: Record<string, string>) =>
  (await fetch(url, { headers })).status;

it("replacing the secrets and the database role in turn causes no refused request on two replicas", async () => {
  const steps: { url: string; variables: Record<string, string> }[] = [
    {
      url: addressOf(first, "first-password"),
      variables: { ADMIN_SECRET: OLD.admin, METRICS_TOKEN: OLD.metrics, NEXTAUTH_SECRET: SESSIONS.old },
    },
    {
      url: addressOf(second, "second-password"),
      variables: {
        ADMIN_SECRET: NEW.admin,
        ADMIN_SECRET_PREVIOUS: OLD.admin,
        METRICS_TOKEN: NEW.metrics,
        METRICS_TOKEN_PREVIOUS: OLD.metrics,
        NEXTAUTH_SECRET: SESSIONS.old,
        NEXTAUTH_SECRET_NEXT: SESSIONS.new,
      },
    },
    {
      url: "",
      variables: {
        DATABASE_URL_FILE: file("database-url", addressOf(second, "second-password")),
        ADMIN_SECRET: "",
        ADMIN_SECRET_FILE: file("admin-secret", NEW.admin),
        METRICS_TOKEN: NEW.metrics,
        NEXTAUTH_SECRET: SESSIONS.new,
        NEXTAUTH_SECRET_PREVIOUS: SESSIONS.old,
      },
    },
  ];
  const start = (step: number) =>
    startServer(steps[step]!.url, {
      ...steps[step]!.variables,
      WORKER: "none",
      BASE_URL: "http://signals.example.test",
    });
  const replicas = [await start(0), await start(0)];
  try {
    const made = await fetch(`${replicas[0]!.url}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": OLD.admin, "Content-Type": "application/json" },
      body: JSON.stringify({ user_name: "Ada" }),
    });
    const { api_key: key } = (await made.json()) as { api_key: string };
    const cookies: string[] = [];
    /** Opens a session at each replica, then checks all sessions so far, the tools' secrets and a key at every replica. */
    const nobodyIsRefused = async (tools: typeof OLD, at: string) => {
      for (const { url } of replicas)
        cookies.push(await signInByForm(url, "/login/by-key", { api_key: key }));
      for (const replica of replicas) {
        for (const cookie of cookies) expect(await isSignedIn(replica, cookie), at).toBe(true);
        expect(await statusOf(`${replica.url}/admin/keys`, { "X-Admin-Secret": tools.admin }), at).toBe(200);
        expect(
          await statusOf(`${replica.url}/metrics`, { Authorization: `Bearer ${tools.metrics}` }),
          at,
        ).toBe(200);
        expect(await statusOf(`${replica.url}/api/scan`, { "X-API-Key": key }), at).toBe(200);
      }
    };
    await nobodyIsRefused(OLD, "before");

    // A secret entered at one replica is soon used by the other.
    const [entered, other] = [replicas[0]!.url, replicas[1]!.url];
    const cookie = await signInByForm(entered, "/admin/sign-in/enter", { secret: OLD.admin, next: "/admin" });
    expect(await signedDelivery(other)).toBe(403);
    const stored = await fetch(`${entered}/admin/secrets/PAYMENT_WEBHOOK_SECRET/act?intent=store`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ secret: PLATFORM }),
    });
    expect(stored.headers.get("location")).toBe("/admin/payments/platforms");
    await waitUntil(async () => (await signedDelivery(other)) === 200, 10_000);

    await superuser.unsafe(`create role ${second} login password 'second-password' in role ${first}`);
    await superuser.unsafe(`alter role ${second} set role to '${first}'`);
    for (const [at, replica] of replicas.entries()) {
      await replica.kill();
      replicas[at] = await start(1);
      await nobodyIsRefused(OLD, `first step, replica ${at}`);
    }
    await superuser.unsafe(`alter role ${first} nologin`);
    for (const [at, replica] of replicas.entries()) {
      await replica.kill();
      replicas[at] = await start(2);
      await nobodyIsRefused(NEW, `second step, replica ${at}`);
    }
    const [{ url } = { url: "" }] = replicas;
    expect(await statusOf(`${url}/admin/keys`, { "X-Admin-Secret": OLD.admin })).toBe(403);
    expect(await statusOf(`${url}/metrics`, { Authorization: `Bearer ${OLD.metrics}` })).toBe(401);
  } finally {
    for (const replica of replicas) await replica.kill();
  }
}, 300_000);
