import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

const OWNER = "0f2a0000-0000-4000-8000-00000000c91b";
useDatabase({ OWNER_API_KEY: OWNER.toUpperCase() });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const me = (headers: Record<string, string>) => call("GET", "/api/account/me", { headers });
const from = (address: string) => ({ "x-client-address": address });

describe("X-API-Key", () => {
  it("a missing or blank key is 401 key_missing", async () => {
    const blank: Record<string, string>[] = [{}, { "X-API-Key": "" }, { "X-API-Key": ' "" ' }];
    for (const headers of blank) {
      expect(await me(headers)).toMatchObject({ status: 401, json: { code: "key_missing" } });
    }
    const answer = await me({});
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      detail: expect.any(String),
      code: "key_missing",
      request_id: answer.headers.get("x-request-id"),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("a key in the query string is refused with a hint to use the header", async () => {
    const { key } = await makeKey();
    const answer = await call("GET", `/api/account/me?api_key=${key}`);
    expect(answer).toMatchObject({ status: 401, json: { code: "key_missing" } });
    expect(answer.json.detail).toMatch(/header, not in the address/);
    expect(answer.text).not.toContain(key);
  });

  it("a malformed or unknown key is 401 key_invalid", async () => {
    for (const key of [
      "nonsense",
      randomUUID(),
      `${randomUUID()}0`,
      "'; drop table api_keys; --",
      "x".repeat(5000),
    ]) {
      const answer = await me({ "X-API-Key": key, ...from("192.0.2.1") });
      expect(answer).toMatchObject({ status: 401, json: { code: "key_invalid" } });
    }
  });

  it("a key is accepted in upper case, in quotes and with surrounding blanks", async () => {
    const { key } = await makeKey();
    for (const sent of [key.toUpperCase(), `  ${key}\t`, `"${key}"`, `' ${key} '`, `${key}, ${key}`]) {
      expect((await me({ "X-API-Key": sent })).status).toBe(200);
    }
  });

  it("a key header given twice with different values is 401", async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const headers = new Headers([
      ["X-API-Key", one.key],
      ["X-API-Key", other.key],
    ]);
    const answer = await me(Object.fromEntries(headers));
    expect(answer).toMatchObject({ status: 401, json: { code: "key_invalid" } });
  });

  it("a revoked key gets 401 key_revoked at the next request, even if it has also expired", async () => {
    const { key, keyId } = await makeKey();
    expect((await me({ "X-API-Key": key })).status).toBe(200);
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    expect(await me({ "X-API-Key": key })).toMatchObject({ status: 401, json: { code: "key_revoked" } });
    await sql`update api_keys set expires_at = now() - interval '1 hour' where id = ${keyId}`;
    expect((await me({ "X-API-Key": key })).json.code).toBe("key_revoked");
  });

  it("a rotated key is 401 key_rotated", async () => {
    const { key, keyId } = await makeKey();
    await sql`update api_keys set rotated_at = now() where id = ${keyId}`;
    expect(await me({ "X-API-Key": key })).toMatchObject({ status: 401, json: { code: "key_rotated" } });
  });

  it("an expired key is 401 key_expired from the moment of expiry", async () => {
    const { key, keyId } = await makeKey();
    await sql`update api_keys set expires_at = now() + interval '1 hour' where id = ${keyId}`;
    expect((await me({ "X-API-Key": key })).json.days_remaining).toBe(0);
    await sql`update api_keys set expires_at = now() where id = ${keyId}`;
    expect(await me({ "X-API-Key": key })).toMatchObject({ status: 401, json: { code: "key_expired" } });
    await sql`update api_keys set expires_at = now() - interval '100 days' where id = ${keyId}`;
    expect((await me({ "X-API-Key": key })).json.code).toBe("key_expired");
  });

  it("twenty unknown keys in a minute lead to 429, while a valid key from the same address still works", async () => {
    const { key } = await makeKey();
    const address = from("192.0.2.77");
    for (let i = 0; i < 20; i++) {
      expect((await me({ "X-API-Key": randomUUID(), ...address })).status).toBe(401);
    }
    const refused = await me({ "X-API-Key": randomUUID(), ...address });
    expect(refused).toMatchObject({ status: 429, json: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await me({ "X-API-Key": "malformed", ...address })).status).toBe(429);
    expect((await me({ "X-API-Key": key, ...address })).status).toBe(200);
    expect((await me({ "X-API-Key": randomUUID(), ...from("192.0.2.78") })).status).toBe(401);
  });

  it("a valid key gets the quota headers on 200 and on 429, and execution reports have a separate limit", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 2 });
    const first = await me({ "X-API-Key": key });
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=2;w=60');
    expect(first.headers.get("x-ratelimit-remaining")).toBe("1");
    await me({ "X-API-Key": key });
    const third = await me({ "X-API-Key": key });
    expect(third.status).toBe(429);
    expect(third.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    // Reports have their own limit, so polling never blocks a close.
    const report = await call("POST", "/api/executions", {
      key,
      body: { ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
    });
    expect(report.status).toBe(201);
  });
});

describe("the owner's key", () => {
  it("the owner's key has the plan owner, without expiry or limits on symbols and timeframes", async () => {
    const answer = await me({ "X-API-Key": OWNER });
    expect(answer.json).toMatchObject({
      plan_tier: "owner",
      is_owner_env: true,
      expires_at: null,
      days_remaining: null,
      symbols_allowed: null,
      tfs_allowed: null,
      rate_limit_per_min: 1000,
      api_key_hint: "0f2a****c91b",
    });
  });

  it("the owner's key reports executions under the owner's subscription", async () => {
    const answer = await call("POST", "/api/executions", {
      key: OWNER,
      body: { ticket: 4242, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
    });
    expect(answer.status).toBe(201);
    const [row] = await sql`select subscription_id from executions where ticket = 4242`;
    expect(row?.subscription_id).toBe(0);
  });

  it("a search of the list of keys does not find the owner's key", async () => {
    expect((await call("GET", "/admin/keys?q=c91b", { admin: true })).json.count).toBe(0);
  });
});

describe("GET /api/account/me", () => {
  it("GET /api/account/me answers exactly the documented fields in their order", async () => {
    const { key } = await makeKey({
      plan_tier: "basic",
      email: "Buyer@Example.test",
      expires_at: "2099-01-01T00:00:00Z",
    });
    const { json } = await me({ "X-API-Key": key });
    expect(Object.keys(json)).toEqual([
      "plan_tier",
      "user_name",
      "email",
      "expires_at",
      "days_remaining",
      "symbols_allowed",
      "tfs_allowed",
      "rate_limit_per_min",
      "last_seen_at",
      "ea_status",
      "api_key_hint",
      "is_owner_env",
      "created_at",
    ]);
    expect(json).toMatchObject({
      plan_tier: "basic",
      email: "Buyer@Example.test",
      expires_at: "2099-01-01T00:00:00Z",
      rate_limit_per_min: 60,
      api_key_hint: `${key.slice(0, 4)}****${key.slice(-4)}`,
      is_owner_env: false,
    });
  });

  it("GET /api/account/me counts the current call: the client is online and was last seen now", async () => {
    const { key } = await makeKey();
    const { json } = await me({ "X-API-Key": key });
    expect(json.ea_status).toEqual({
      status: "online",
      label: expect.any(String),
      online: true,
      mins_since: 0,
    });
    expect(Date.now() - Date.parse(json.last_seen_at)).toBeLessThan(5_000);
  });
});
