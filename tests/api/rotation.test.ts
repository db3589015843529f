import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { decrypt } from "@/lib/runtime/secrets";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

const OWNER = "11111111-2222-4333-8444-555555555555";

const SECRET = "whsec-0123456789abcdef";

useDatabase({ OWNER_API_KEY: OWNER, PAYMENT_WEBHOOK_SECRET: SECRET });

const rotate = (key: string) => call("POST", "/api/account/regenerate-key", { key });

describe("POST /api/account/regenerate-key", () => {
  it("a rotation returns a new key with the same rights and ends the old one at once", async () => {
    const { key } = await makeKey({ plan_tier: "basic", rate_limit_per_min: 77, tfs_allowed: ["H1"] });
    const { status, json } = await rotate(key);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(["ok", "key_id", "api_key", "rotated_at", "warning"]);
    const old = await call("GET", "/api/account/me", { key });
    expect([old.status, old.json.code]).toEqual([401, "key_rotated"]);
    const me = await call("GET", "/api/account/me", { key: json.api_key });
    expect(me.json).toMatchObject({ plan_tier: "basic", rate_limit_per_min: 77, tfs_allowed: ["H1"] });
    expect(me.json.api_key_hint).toBe(`${json.api_key.slice(0, 4)}****${json.api_key.slice(-4)}`);
  });

  it("a rotation queues one mail with the encrypted new key, and none without an address", async () => {
    const { key } = await makeKey({ email: "Ada@Example.com" });
    const { json } = await rotate(key);
    const mails = await db().$client<
      { kind: string; recipient: string; secret_encrypted: string; props: object }[]
    >`
      select kind, recipient, secret_encrypted, props from mail_outbox where kind = 'key-rotated'`;
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ kind: "key-rotated", recipient: "Ada@Example.com" });
    expect(decrypt(mails[0]!.secret_encrypted)).toBe(json.api_key);
    expect(JSON.stringify(mails[0]!.props)).not.toContain(json.api_key);
    await rotate((await makeKey()).key);
    const after = await db().$client`select id from mail_outbox where kind = 'key-rotated'`;
    expect(after).toHaveLength(1);
  });

  it("lets one of many concurrent rotations succeed and answers key_rotated to the others", async () => {
    const { key } = await makeKey();
    const answers = await Promise.all(Array.from({ length: 12 }, () => rotate(key)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status, json } of answers.filter((answer) => answer !== won[0])) {
      expect([status, json.code]).toEqual([401, "key_rotated"]);
    }
    const [row] = await db().$client<{ n: number }[]>`
      select count(*)::int as n from api_keys where subscription_id =
        (select subscription_id from api_keys where id = ${won[0]!.json.key_id}) and rotated_at is null`;
    expect(row?.n).toBe(1);
  });

  it("a rotation concurrent with a refund leaves no active key", async () => {
    for (let round = 0; round < 10; round++) {
      const email = `racer${round}@example.com`;
      const { key } = await makeKey({ email });
      const data = { id: `inv-${round}`, status: "refunded", items: [], buyer: { name: "R", email } };
      const body = JSON.stringify({ event: "payment.invoice_refunded", data });
      const signature = createHmac("sha256", SECRET).update(body).digest("hex");
      const refund = () => call("POST", "/webhooks/payment", { body, headers: { "x-signature": signature } });
      const [rotated, refunded] = await Promise.all(
        round % 2 === 0 ? [rotate(key), refund()] : [refund(), rotate(key)].toReversed(),
      );
      expect([200, 401]).toContain(rotated?.status);
      expect(refunded?.json).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
      const alive = await db().$client`
        select k.id from api_keys k join subscriptions s on s.id = k.subscription_id
         where s.email = ${email} and k.revoked_at is null and k.rotated_at is null`;
      expect(alive).toHaveLength(0);
    }
  });

  it("a rotation accepts an empty body, a JSON object and text that is not JSON", async () => {
    for (const body of ["", "{}", "nonsense"]) {
      const { key } = await makeKey();
      expect((await call("POST", "/api/account/regenerate-key", { key, body })).status).toBe(200);
    }
  });

  it("a rotation keeps the subscription's executions and its used quota", async () => {
    const { key } = await makeKey();
    await call("POST", "/api/executions", {
      key,
      body: { ticket: 5, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
    });
    const { json } = await rotate(key);
    const mine = await call("GET", "/api/account/executions", { key: json.api_key });
    expect(mine.json.executions).toHaveLength(1);
    const remaining = Number(mine.headers.get("x-ratelimit-remaining"));
    expect(remaining).toBe(300 - 2);
  });

  it("a rotation of the owner's key, which is set in the configuration, is 409", async () => {
    const { status, json } = await rotate(OWNER);
    expect([status, json.code]).toEqual([409, "owner_key_in_environment"]);
    const me = await call("GET", "/api/account/me", { key: OWNER });
    expect(me.json).toMatchObject({
      plan_tier: "owner",
      is_owner_env: true,
      expires_at: null,
      days_remaining: null,
    });
  });
});

describe("the close-only window", () => {
  const opening = {
    ticket: 1,
    symbol: "EURUSD",
    timeframe: "H1",
    signal: "BUY",
    opened_at: "2026-11-01T10:00:00Z",
  };
  const closing = { ticket: 1, closed_at: "2026-11-20T10:00:00Z", pnl: 3 };
  let key = "";
  let keyId = 0;

  const expireAgo = (interval: string) =>
    db().$client.unsafe(
      `update api_keys set expires_at = now() - interval '${interval}' where id = ${keyId};
       update executions set created_at = now() - interval '30 days'`,
    );

  beforeAll(async () => {
    ({ key, keyId } = await makeKey({ expires_at: new Date(Date.now() + 86_400_000).toISOString() }));
    await call("POST", "/api/executions", { key, body: opening });
  });

  it("71 hours after expiry, a key can close a known ticket, but cannot report otherwise, scan or rotate", async () => {
    await expireAgo("71 hours");
    const report = (body: unknown) => call("POST", "/api/executions", { key, body });
    expect((await report({ ...opening, ticket: 2 })).json.code).toBe("key_expired");
    expect((await report({ ...closing, ticket: 3 })).json.code).toBe("key_expired");
    expect((await report({ ticket: 1, pnl: 2 })).json.code).toBe("key_expired");
    expect((await call("GET", "/api/scan", { key })).json.code).toBe("key_expired");
    expect((await call("POST", "/api/account/regenerate-key", { key })).json.code).toBe("key_expired");
    const closed = await report(closing);
    expect([closed.status, closed.json.action]).toEqual([201, "updated"]);
  });

  it("the close-only window of an expired key ends after 72 hours", async () => {
    await expireAgo("73 hours");
    const { status, json } = await call("POST", "/api/executions", { key, body: closing });
    expect([status, json.code]).toEqual([401, "key_expired"]);
  });

  it("a revoked key has no close-only window", async () => {
    await expireAgo("1 hour");
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    const { status, json } = await call("POST", "/api/executions", { key, body: closing });
    expect([status, json.code]).toEqual([401, "key_revoked"]);
  });
});
