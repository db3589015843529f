import { createHash } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, makeKey } from "@/tests/support/api";
import { ADMIN_SECRET, connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ BASE_URL: "https://signals.example.test/" });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  call("POST", "/admin/keys", { admin: true, body, headers });
const list = async (query = "") => (await call("GET", `/admin/keys${query}`, { admin: true })).json;

describe("POST /admin/keys", () => {
  it("creates a basic key without expiry from a name alone, and returns the client configuration", async () => {
    const answer = await create(
      { user_name: "Ada" },
      { Host: "evil.example", "X-Forwarded-Host": "evil.example" },
    );
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.json)).toEqual(["key_id", "api_key", "plan_tier", "_ea_config"]);
    expect(answer.json).toEqual({
      key_id: expect.any(Number),
      api_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      plan_tier: "basic",
      _ea_config: { InpApiUrl: "https://signals.example.test", InpApiKey: answer.json.api_key },
    });
    expect((await list("?q=Ada")).keys[0]).toMatchObject({ key_id: answer.json.key_id, expires_at: null });
  });

  it("a key created with every optional field is listed with the normalised values of these fields", async () => {
    const wish = {
      user_name: "  Grace  ",
      email: "Grace.H+signals@Example.test",
      plan_tier: "pro",
      expires_at: "2099-05-06T07:08:09+02:00",
      notes: "paid by wire",
      symbols_allowed: ["eurusd", "BTCUSD", "EURUSD"],
      tfs_allowed: ["h1"],
      rate_limit_per_min: 17,
    };
    const made = (await create(wish)).json;
    const [record] = (await list("?q=Grace.H")).keys;
    expect(record).toEqual({
      key_id: made.key_id,
      user_name: "Grace",
      email: wish.email,
      plan_tier: "pro",
      expires_at: "2099-05-06T05:08:09Z",
      notes: "paid by wire",
      active: true,
      symbols_allowed: ["EURUSD", "BTCUSD"],
      tfs_allowed: ["H1"],
      rate_limit_per_min: 17,
      last_seen_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      api_key_hint: `${made.api_key.slice(0, 4)}****${made.api_key.slice(-4)}`,
    });
  });

  it("creating a key refuses a user name with half a surrogate pair with 422, and accepts a whole pair", async () => {
    const answer = await create({ user_name: "Ada \ud83d" });
    expect([answer.status, answer.json.errors?.[0]?.loc]).toEqual([422, ["body", "user_name"]]);
    expect((await create({ user_name: "Ada \ud83d\ude00" })).status).toBe(201);
  });

  it("stores no key in plain text and writes an audit row", async () => {
    const { api_key: key, key_id: keyId } = (await create({ user_name: "Secretive" })).json;
    const [row] = await sql`select key_hash from api_keys where id = ${keyId}`;
    expect(row?.key_hash).toBe(createHash("sha256").update(key).digest("hex"));
    const [dump] = await sql`select
      (select string_agg(to_jsonb(k)::text, '') from api_keys k) || (select string_agg(to_jsonb(s)::text, '') from subscriptions s)
      || (select string_agg(to_jsonb(a)::text, '') from admin_audit a) as text`;
    expect(dump?.text).not.toContain(key);
    const audit = await sql`select actor, action from admin_audit where target = ${`key/${keyId}`}`;
    expect(audit).toEqual([{ actor: "admin-secret", action: "key.issue" }]);
  });

  it("allows several keys for one e-mail address", async () => {
    const body = { user_name: "Twice", email: "twice@example.test" };
    expect([(await create(body)).status, (await create(body)).status]).toEqual([201, 201]);
  });

  it.each([
    ["user_name", {}],
    ["user_name", { user_name: "   " }],
    ["user_name", { user_name: 7 }],
    ["user_name", { user_name: "x".repeat(121) }],
    ["email", { user_name: "A", email: "no address" }],
    ["email", { user_name: "A", email: "a@b.test,c@d.test" }],
    ["email", { user_name: "A", email: "a@b.test\r\nBcc: c@d.test" }],
    ["email", { user_name: "A", email: "a\ud800@b.test" }],
    ["plan_tier", { user_name: "A", plan_tier: "gold" }],
    ["plan_tier", { user_name: "A", plan_tier: "toString" }],
    ["expires_at", { user_name: "A", expires_at: "2020-01-01T00:00:00Z" }],
    ["expires_at", { user_name: "A", expires_at: "2099-02-30T00:00:00Z" }],
    ["expires_at", { user_name: "A", expires_at: "soon" }],
    ["symbols_allowed", { user_name: "A", symbols_allowed: ["EUR USD"] }],
    ["symbols_allowed", { user_name: "A", symbols_allowed: "EURUSD" }],
    ["tfs_allowed", { user_name: "A", tfs_allowed: ["H7"] }],
    ["rate_limit_per_min", { user_name: "A", rate_limit_per_min: 0 }],
    ["rate_limit_per_min", { user_name: "A", rate_limit_per_min: 100_001 }],
    ["rate_limit_per_min", { user_name: "A", rate_limit_per_min: 1.5 }],
  ])("refuses an invalid %s with 422 naming the field: %j", async (field, body) => {
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 422, json: { code: "validation_failed" } });
    expect(answer.json.errors.map((error: { loc: unknown[] }) => error.loc[1])).toEqual([field]);
    expect(answer.json.errors[0].loc[0]).toBe("body");
  });

  it.each(["", "[]", "null", '"text"', "{"])("refuses the body %j with 422", async (body) => {
    expect((await create(body)).status).toBe(422);
  });
});

describe("GET /admin/keys", () => {
  it("the list of keys is newest first, filtered and paged, and contains no whole key", async () => {
    const name = "Lister";
    const made = [];
    for (const plan_tier of ["basic", "pro", "telegram"])
      made.push((await create({ user_name: name, plan_tier })).json);
    await call("DELETE", `/admin/keys/${made[0].key_id}`, { admin: true });
    const ids = async (query: string) =>
      (await list(`?q=lister${query}`)).keys.map((key: { key_id: number }) => key.key_id);
    const [first, second, third] = made.map((key) => key.key_id);
    expect(await ids("")).toEqual([third, second, first]);
    expect(await ids("&active=true")).toEqual([third, second]);
    expect(await ids("&active=false")).toEqual([first]);
    expect(await ids("&plan_tier=pro")).toEqual([second]);
    expect(await ids("&plan_tier=")).toHaveLength(3);
    expect(await ids("&limit=1&offset=1")).toEqual([second]);
    const text = JSON.stringify(await list("?q=lister"));
    for (const { api_key } of made) expect(text).not.toContain(api_key);
  });

  it("lists all 1,203 keys once and newest first, or the part that limit and offset select", async () => {
    const n = 1_203;
    await sql`
      with made as (insert into subscriptions (user_name) select 'Many ' || n from generate_series(1, ${n}::int) n returning id)
      insert into api_keys (subscription_id, key_hash, hint, plan_tier)
      select id, md5(id::text) || md5(id::text), 'xxxx', 'pro' from made`;
    const ids = async (query: string) => {
      const answer = await list(`?q=many${query}`);
      expect(Object.keys(answer)).toEqual(["count", "keys"]);
      const { count, keys } = answer;
      expect(count).toBe(keys.length);
      return keys.map((key: { key_id: number }) => key.key_id);
    };
    const all: number[] = await ids("");
    expect(all).toHaveLength(n);
    expect(all).toEqual([...new Set(all)].toSorted((a, b) => b - a));
    expect(await ids("&limit=501&offset=600")).toEqual(all.slice(600, 1_101));
    expect(await ids("&limit=500")).toEqual(all.slice(0, 500));
    expect(await ids("&offset=1203")).toEqual([]);
    const head = await call("HEAD", "/admin/keys?q=many", { admin: true });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  it("the search for keys takes % and _ literally", async () => {
    await create({ user_name: "100% sure_thing" });
    expect((await list(`?q=${encodeURIComponent("100% sure_")}`)).count).toBe(1);
    expect((await list(`?q=${encodeURIComponent("%")}`)).count).toBe(1);
    expect((await list("?q=")).count).toBeGreaterThan(1);
  });

  it.each(["?active=1", "?plan_tier=gold", "?limit=0", "?limit=x", "?offset=-1", "?limit=1&limit=1"])(
    "the list of keys refuses the query %s with 422",
    async (query) => {
      expect((await call("GET", `/admin/keys${query}`, { admin: true })).status).toBe(422);
    },
  );

  it("the list of keys shows a key's limit per minute and its last use", async () => {
    const { key, keyId } = await makeKey({ plan_tier: "telegram" });
    await call("GET", "/api/account/me", { key });
    const record = (await list()).keys.find((candidate: { key_id: number }) => candidate.key_id === keyId);
    expect(record.rate_limit_per_min).toBe(30);
    expect(Date.now() - Date.parse(record.last_seen_at)).toBeLessThan(5_000);
  });
});

describe("DELETE /admin/keys/{key_id}", () => {
  const remove = (id: string) => call("DELETE", `/admin/keys/${id}`, { admin: true });

  it("revokes a key once and answers already_inactive to a repetition", async () => {
    const { keyId } = await makeKey();
    const first = await remove(String(keyId));
    expect(first).toMatchObject({ status: 200 });
    expect(first.json).toEqual({
      ok: true,
      key_id: keyId,
      active: false,
      action: "revoked",
      revoked_at: expect.stringMatching(/Z$/),
    });
    expect((await remove(String(keyId))).json).toEqual({ ...first.json, action: "already_inactive" });
    const audit = await sql`select action from admin_audit where target = ${`key/${keyId}`} order by id`;
    expect(audit.map((row) => row.action)).toEqual(["key.issue", "key.revoke"]);
  });

  it("revokes a key once under concurrent requests", async () => {
    const { keyId } = await makeKey();
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(String(keyId))));
    expect(answers.filter((answer) => answer.json.action === "revoked")).toHaveLength(1);
  });

  it("revoking an unknown key id answers 404", async () => {
    for (const id of ["0", "-1", "2147483647", "99999999999"]) expect((await remove(id)).status).toBe(404);
  });

  it.each(["x", "1.0", "1e1", "+1", "%201", "1x"])(
    "revoking the malformed key id %s answers 422",
    async (id) => {
      expect(await remove(id)).toMatchObject({ status: 422, json: { code: "validation_failed" } });
    },
  );
});

describe("X-Admin-Secret", () => {
  const attempt = (address: string, secret?: string) =>
    call("GET", "/admin/keys", {
      headers: { "x-client-address": address, ...(secret === undefined ? {} : { "X-Admin-Secret": secret }) },
    });

  it("the admin secret is required: missing is 401, wrong is 403, and surrounding blanks are ignored", async () => {
    expect(await attempt("198.51.100.1")).toMatchObject({
      status: 401,
      json: { code: "admin_secret_missing" },
    });
    expect(await attempt("198.51.100.1", "wrong")).toMatchObject({
      status: 403,
      json: { code: "admin_secret_invalid" },
    });
    expect((await attempt("198.51.100.1", ` ${ADMIN_SECRET} `)).status).toBe(200);
    expect((await attempt("198.51.100.1", ADMIN_SECRET.toUpperCase())).status).toBe(403);
  });

  it("ten wrong secrets within a minute lock out their address", async () => {
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await attempt("198.51.100.2", `guess-${i}`)).status);
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
    const correct = await attempt("198.51.100.2", ADMIN_SECRET);
    expect(correct).toMatchObject({
      status: 429,
      json: {
        code: "rate_limited",
        detail: expect.stringContaining("Too many wrong administrator secrets."),
      },
    });
    expect(Number(correct.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await attempt("198.51.100.3", ADMIN_SECRET)).status).toBe(200);
  });

  it("a request without the secret does not count as a wrong attempt", async () => {
    for (let i = 0; i < 15; i++) {
      const answer = await call("GET", "/admin/keys", { headers: { "x-client-address": "198.51.100.5" } });
      expect(answer.status).toBe(401);
    }
    expect((await attempt("198.51.100.5", ADMIN_SECRET)).status).toBe(200);
  });

  it("the secret is checked before the body", async () => {
    const answer = await call("POST", "/admin/keys", {
      body: "{",
      headers: { "x-client-address": "198.51.100.4" },
    });
    expect(answer.status).toBe(401);
  });
});

describe("the key mail", () => {
  it("a mail with the encrypted key is queued only when an address is given", async () => {
    const withAddress = await call("POST", "/admin/keys", {
      admin: true,
      body: { user_name: "Ada", email: "Ada@Example.test" },
    });
    const without = await call("POST", "/admin/keys", { admin: true, body: { user_name: "Ben" } });
    const mails = await sql<{ dedupe_key: string; recipient: string; secret_encrypted: string }[]>`
      select dedupe_key, recipient, secret_encrypted from mail_outbox order by id`;
    const keyOf = (answer: { json: { key_id: number } }) => `key-created/${answer.json.key_id}`;
    expect(mails.find((mail) => mail.dedupe_key === keyOf(withAddress))).toMatchObject({
      recipient: "Ada@Example.test",
    });
    expect(mails.some((mail) => mail.dedupe_key === keyOf(without))).toBe(false);
    for (const mail of mails) expect(mail.secret_encrypted).not.toContain(withAddress.json.api_key);
  });
});
