import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as subscriber } from "@/app/admin/(area)/subscribers/[id]/act/route";
import { POST as subscribers } from "@/app/admin/(area)/subscribers/act/route";
import { db } from "@/db/client";
import { countSubscribers, findSubscriberWithKeys, listSubscribers } from "@/db/queries/subscribers";
import { listTimeline, TIMELINE_KINDS } from "@/db/queries/timeline";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { issueNextKey } from "@/lib/access/keys/issue-next-key";
import { requireFutureEnd } from "@/lib/access/keys/require-future-end";
import { type AdminFormHandler, postAdminForm, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { OPENAPI_DOCUMENT } from "@/tests/support/openapi-check";

const { create } = subscribers.forms;
const { contact, extend, grant, issue, reinstate, replace, revoke, suspend } = subscriber.forms;

useDatabase();

const DAY_MS = 86_400_000;
const actor = { kind: "command" } as const;
let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const flash = () => takeFlash(cookie);

const blank = {
  user_name: "Ada",
  email: "",
  notes: "",
  plan_tier: "basic",
  expires_at: "",
  no_end: "true",
  symbols_allowed: "",
  tfs_allowed: "",
  rate_limit_per_min: "",
};

/** Creates a subscriber through the form. */
async function make(fields: Partial<typeof blank> = {}) {
  const end = fields.expires_at ? { no_end: "" } : {};
  const answer = await postAdminForm(create, {}, { ...blank, ...end, ...fields }, { cookie });
  const id = Number(/subscribers\/(\d+)\/key/.exec(answer.headers.get("location") ?? "")?.[1]);
  const shown = await flash();
  if (shown?.kind !== "key") throw new Error(`no key: ${JSON.stringify(shown)}`);
  return { id, keyId: shown.keyId, key: shown.apiKey };
}

const send = <P extends { id: string }>(
  handler: AdminFormHandler<P>,
  id: number,
  fields: Record<string, string>,
) =>
  // The cast is safe: the id is the only parameter of these handlers.
  postAdminForm(handler, { id: String(id) } as P, fields, { cookie });
const me = (key: string) => call("GET", "/api/account/me", { key });
const newestAudit = async () => {
  const [row] = await db().execute<{ action: string; details: Record<string, unknown>; actor: string }>(
    sql`select action, details, actor from admin_audit order by id desc limit 1`,
  );
  return row;
};

describe("creating a subscriber", () => {
  it("a new subscriber has a working key, shown once and not stored in plain text", async () => {
    const made = await make({ user_name: "Grace Hopper", email: "Grace@Example.com", plan_tier: "pro" });
    const answer = await me(made.key);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      plan_tier: "pro",
      user_name: "Grace Hopper",
      email: "Grace@Example.com",
    });
    expect(await flash(), "the second look shows nothing").toBeNull();
    for (const table of ["api_keys", "mail_outbox", "admin_audit", "sessions"])
      expect(JSON.stringify(await db().execute(sql`select * from ${sql.identifier(table)}`))).not.toContain(
        made.key,
      );
    const [found] = await db().execute<{ n: number }>(
      sql`select count(*)::int as n from sessions where flash_encrypted is not null`,
    );
    expect(found?.n).toBe(0);
  });

  it.each<[string, Partial<typeof blank>, string, string]>([
    ["no name", { user_name: " " }, "user_name", "must not be empty"],
    ["two addresses", { email: "a@b.example, c@d.example" }, "email", "must be one e-mail address"],
    ["an unknown plan", { plan_tier: "gold" }, "plan_tier", "must be one of telegram, basic, pro, owner"],
    [
      "a date that does not exist",
      { expires_at: "2099-02-31T10:00", no_end: "" },
      "expires_at",
      "must be a date and time",
    ],
    [
      "an end in the past",
      { expires_at: "2020-01-01T00:00", no_end: "" },
      "expires_at",
      "must be in the future",
    ],
    [
      "neither an end nor its absence",
      { no_end: "" },
      "expires_at",
      "must be a date and time, or blank with “No end date” ticked",
    ],
    [
      "an unknown timeframe",
      { tfs_allowed: "H1, H7" },
      "tfs_allowed",
      "must be timeframes such as H1, separated by commas",
    ],
    [
      "a limit of zero",
      { rate_limit_per_min: "0" },
      "rate_limit_per_min",
      "must be a whole number from 1 to 100000",
    ],
  ])("a form with %s reports the field and creates no subscriber", async (_, fields, field, message) => {
    const before = await countSubscribers(db(), {});
    const answer = await postAdminForm(create, {}, { ...blank, ...fields }, { cookie });
    expect(answer.headers.get("location")).toBe("/admin/subscribers/new");
    expect(await flash()).toMatchObject({ kind: "form", errors: { [field]: message } });
    expect(await countSubscribers(db(), {})).toBe(before);
  });
});

describe("a subscriber's name", () => {
  const atDoors = async (name: string) => {
    const api = await call("POST", "/admin/keys", { admin: true, body: { user_name: name } });
    await postAdminForm(create, {}, { ...blank, user_name: name }, { cookie });
    const shown = await flash();
    return {
      api: api.status === 201 ? "taken" : api.json.errors?.[0]?.msg,
      form: shown?.kind === "form" ? shown.errors.user_name : "taken",
    };
  };

  it.each([
    [" Ada ", "taken"],
    ["x".repeat(120), "taken"],
    ["x".repeat(121), "must have at most 120 characters"],
    ["Ada\u0007Lovelace", "must not contain control characters"],
    ["Ada\u009fLovelace", "must not contain control characters"],
    ["Ada\nLovelace", "must not contain control characters"],
    ["  ", "must not be empty"],
  ])("the name %j is validated alike by the API and the form", async (name, verdict) => {
    expect(await atDoors(name)).toEqual({ api: verdict, form: verdict });
  });

  it("the OpenAPI document gives the length of a subscriber's name, without a pattern", () => {
    const schema = JSON.stringify(OPENAPI_DOCUMENT.paths?.["/admin/keys"]?.post?.requestBody);
    expect(schema).toContain('"user_name":{"type":"string","minLength":1,"maxLength":120}');
  });
});

describe("changing a subscriber's access", () => {
  const endOf = async (keyId: number) => {
    const [key] = await db().execute<{ end: string }>(
      sql`select to_json(expires_at) #>> '{}' as end from api_keys where id = ${keyId}`,
    );
    return new Date(key!.end);
  };
  const add31Days = async (made: { id: number; keyId: number }, shownEnd?: Date) => {
    const shown_end = (shownEnd ?? (await endOf(made.keyId))).toISOString();
    await send(extend, made.id, { key_id: String(made.keyId), add_days: "31", shown_end });
  };

  it("days are added once by two forms that show the same end, and the second one is told the new end", async () => {
    const made = await make({ expires_at: new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 16) });
    const end = await endOf(made.keyId);
    await add31Days(made, end);
    expect(await flash()).toMatchObject({ kind: "done" });
    const later = await endOf(made.keyId);
    await add31Days(made, end);
    const shown = later.toISOString().slice(0, 16).replace("T", " ");
    expect(await flash()).toMatchObject({
      kind: "failed",
      text: `Since this page was opened, the end of access was changed to ${shown} UTC.`,
    });
    expect(await endOf(made.keyId)).toEqual(later);
    const until = (days: number) => new Date(Date.now() + days * DAY_MS);
    const changes = [100, 200].map((days) =>
      changeKeyEnd(db(), made.keyId, until(days), { kind: "command" }, new Date(), later),
    );
    const results = await Promise.allSettled(changes);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("days are added to the end of access, or to now when it has ended", async () => {
    const end = new Date(Date.now() + 10 * DAY_MS);
    const made = await make({ expires_at: end.toISOString().slice(0, 16) });
    await add31Days(made);
    const later = new Date((await me(made.key)).json.expires_at);
    expect((later.getTime() - end.getTime()) / DAY_MS).toBeCloseTo(31, 2);

    await db().execute(
      sql`update api_keys set expires_at = now() - interval '5 days' where id = ${made.keyId}`,
    );
    expect((await me(made.key)).status).toBe(401);
    await add31Days(made);
    const again = await me(made.key);
    expect(again.status, "an expired key works again").toBe(200);
    expect((new Date(again.json.expires_at).getTime() - Date.now()) / DAY_MS).toBeCloseTo(31, 2);
    expect(await newestAudit()).toMatchObject({ action: "key.extend" });
    expect((await newestAudit())?.actor).toMatch(/^admin-session\//);
  });

  it("an emptied date changes nothing, and access without an end needs the tick", async () => {
    const made = await make({ expires_at: new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 16) });
    const end = await endOf(made.keyId);
    const set = (fields: Record<string, string>) =>
      send(extend, made.id, { key_id: String(made.keyId), shown_end: end.toISOString(), ...fields });
    const refused: Record<string, string>[] = [
      {},
      { expires_at: "" },
      { expires_at: "2099-01-01T00:00", no_end: "true" },
    ];
    for (const fields of refused) {
      await set(fields);
      expect(await flash()).toMatchObject({ kind: "form", errors: { expires_at: expect.any(String) } });
      expect(await endOf(made.keyId)).toEqual(end);
    }
    await set({ expires_at: "", no_end: "true" });
    expect(await flash()).toMatchObject({ kind: "done", text: "Access no longer ends." });
    expect((await me(made.key)).json.expires_at).toBeNull();
  });

  it("access must end in the future or never, and not at this very moment", () => {
    const now = new Date();
    expect(() => requireFutureEnd(now, now)).toThrow("validation_failed");
    requireFutureEnd(new Date(now.getTime() + 1), now);
    requireFutureEnd(null, now);
  });

  it("a revoked key cannot be extended, granted another plan or replaced", async () => {
    const made = await make();
    await send(revoke, made.id, { key_id: String(made.keyId) });
    expect((await me(made.key)).json.code).toBe("key_revoked");
    await flash();
    const forever = { expires_at: "2099-01-01T00:00", shown_end: "" };
    await send(extend, made.id, { ...forever, key_id: String(made.keyId) });
    expect(await flash()).toMatchObject({ kind: "failed" });
    await send(grant, made.id, { ...blank, key_id: String(made.keyId), plan_tier: "pro" });
    expect(await flash()).toMatchObject({ kind: "failed" });
    await send(replace, made.id, { key_id: String(made.keyId) });
    expect(await flash()).toMatchObject({ kind: "failed" });
    const answer = await me(made.key);
    expect(answer.status).toBe(401);
    const [row] = await db().execute<{ plan_tier: string; expires_at: string | null }>(
      sql`select plan_tier, expires_at from api_keys where id = ${made.keyId}`,
    );
    expect(row).toEqual({ plan_tier: "basic", expires_at: null });
  });

  it("a suspended key is refused from the next request on, and works again when reinstated", async () => {
    const end = new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 16);
    const made = await make({ email: "held@example.com", expires_at: end });
    const before = (await me(made.key)).json;
    const key = { key_id: String(made.keyId) };
    await send(suspend, made.id, key);
    expect(await me(made.key)).toMatchObject({ status: 401, json: { code: "key_suspended" } });
    expect(await newestAudit()).toMatchObject({ action: "key.suspend" });
    expect((await call("POST", "/api/account/regenerate-key", { key: made.key })).json.code).toBe(
      "key_suspended",
    );
    await send(suspend, made.id, key);
    for (const handler of [replace, issue]) {
      await flash();
      await send(handler, made.id, { ...key, expires_at: "", no_end: "true" });
      expect(await flash(), "no way around a suspension").toMatchObject({ kind: "failed" });
    }
    expect(await findSubscriberWithKeys(db(), made.id)).toMatchObject({ keys: [{ keyId: made.keyId }] });
    const [row] = await listSubscribers(db(), {
      filter: { q: "held@example.com" },
      order: "newest",
      limit: 5,
      offset: 0,
    });
    expect(row?.state).toBe("suspended");

    await send(reinstate, made.id, key);
    await send(reinstate, made.id, key);
    const again = await me(made.key);
    expect(again.status).toBe(200);
    expect(again.json.expires_at).toBe(before.expires_at);
    expect(await newestAudit()).toMatchObject({ action: "key.reinstate" });
    await send(suspend, made.id, key);
    const mails = await db().execute<{ kind: string }>(
      sql`select kind from mail_outbox where recipient = 'held@example.com' order by id`,
    );
    expect(mails.map((mail) => mail.kind)).toEqual([
      "key-created",
      "access-suspended",
      "access-reinstated",
      "access-suspended",
    ]);
  });

  it("a suspended key can be revoked, and then neither suspended nor reinstated", async () => {
    const made = await make();
    const key = { key_id: String(made.keyId) };
    await send(suspend, made.id, key);
    await send(revoke, made.id, key);
    for (const handler of [reinstate, suspend]) {
      await flash();
      await send(handler, made.id, key);
      expect(await flash()).toMatchObject({ kind: "failed" });
    }
    expect((await me(made.key)).json.code).toBe("key_revoked");
  });

  it("plan and limits apply from the next request on, with the old values in the audit row", async () => {
    const made = await make();
    await send(grant, made.id, {
      key_id: String(made.keyId),
      plan_tier: "pro",
      symbols_allowed: "eurusd xauusd",
      tfs_allowed: "h1",
      rate_limit_per_min: "7",
    });
    expect((await me(made.key)).json).toMatchObject({
      plan_tier: "pro",
      symbols_allowed: ["EURUSD", "XAUUSD"],
      tfs_allowed: ["H1"],
      rate_limit_per_min: 7,
    });
    expect(await newestAudit()).toMatchObject({
      action: "key.change_grant",
      details: { before: { planTier: "basic" }, after: { planTier: "pro", rateLimitPerMin: 7 } },
    });
  });

  it("an unchanged grant reports that nothing changed and writes no audit row", async () => {
    const made = await make();
    const before = await newestAudit();
    await send(grant, made.id, { ...blank, key_id: String(made.keyId) });
    expect(await flash()).toMatchObject({
      kind: "done",
      text: expect.stringContaining("nothing was changed"),
    });
    expect(await newestAudit()).toEqual(before);
  });

  it.each([
    ["revoked", revoke],
    ["replaced", replace],
    ["extended", extend],
    ["changed", grant],
    ["suspended", suspend],
    ["reinstated", reinstate],
  ])("a key is not %s through the form of another subscriber", async (_, handler) => {
    const [made, other] = [await make(), await make()];
    const fields = { ...blank, expires_at: "2099-01-01T00:00", no_end: "", shown_end: "" };
    await send(handler, other.id, { ...fields, key_id: String(made.keyId) });
    expect(await flash()).toEqual({ kind: "failed", text: "This subscriber has no such key." });
    expect((await me(made.key)).json).toMatchObject({ plan_tier: "basic", expires_at: null });
  });

  it("a replaced key is refused at once, and its successor keeps the grant and is mailed", async () => {
    const made = await make({ email: "ada@example.com", plan_tier: "pro" });
    await send(replace, made.id, { key_id: String(made.keyId) });
    const shown = await flash();
    if (shown?.kind !== "key") throw new Error("no key was shown");
    expect((await me(made.key)).json.code).toBe("key_rotated");
    expect((await me(shown.apiKey)).json.plan_tier).toBe("pro");
    for (const [handler, fields] of [
      [grant, { ...blank, plan_tier: "owner" }],
      [extend, { expires_at: "2099-01-01T00:00", no_end: "", shown_end: "" }],
    ] as const) {
      await send(handler, made.id, { ...fields, key_id: String(made.keyId) });
      expect(await flash(), "what was replaced is over for good").toMatchObject({ kind: "failed" });
    }
    const [mail] = await db().execute<{ recipient: string; props: object }>(
      sql`select recipient, props from mail_outbox where dedupe_key = ${`key-rotated/${shown.keyId}`}`,
    );
    expect(mail).toMatchObject({ recipient: "ada@example.com", props: { byOperator: true } });
  });

  it("a key cannot be replaced through another subscriber's page", async () => {
    const [mine, other] = [await make(), await make()];
    await send(replace, mine.id, { key_id: String(other.keyId) });
    expect(await flash()).toMatchObject({ kind: "failed" });
    expect((await me(other.key)).status).toBe(200);
  });

  it("a new key can be issued only when no key works", async () => {
    const made = await make({ plan_tier: "pro" });
    await send(issue, made.id, { expires_at: "", no_end: "true" });
    expect(await flash()).toMatchObject({ kind: "failed" });
    await send(revoke, made.id, { key_id: String(made.keyId) });
    await flash();
    await send(issue, made.id, { expires_at: "", no_end: "true" });
    const shown = await flash();
    if (shown?.kind !== "key") throw new Error("no key was shown");
    expect((await me(shown.apiKey)).json.plan_tier, "with the grant of the last").toBe("pro");
    expect((await findSubscriberWithKeys(db(), made.id))?.keys).toHaveLength(2);
  });

  it("twenty concurrent requests issue one key", async () => {
    const made = await make();
    await send(revoke, made.id, { key_id: String(made.keyId) });
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => issueNextKey(db(), made.id, null, actor, new Date())),
    );
    expect(attempts.filter((attempt) => attempt.status === "fulfilled")).toHaveLength(1);
    expect((await findSubscriberWithKeys(db(), made.id))?.keys).toHaveLength(2);
  });

  it("changed contact and notes are audited by field, without their content", async () => {
    const made = await make({ email: "old@example.com" });
    await send(contact, made.id, {
      user_name: "Ada L.",
      email: " New@Example.com ",
      notes: "pays by transfer",
    });
    const found = await findSubscriberWithKeys(db(), made.id);
    expect(found?.subscription).toMatchObject({
      userName: "Ada L.",
      email: "New@Example.com",
      emailNormalized: "new@example.com",
      notes: "pays by transfer",
    });
    const audit = await newestAudit();
    expect(audit?.details).toEqual({ changed: ["userName", "email", "notes"] });

    await send(contact, made.id, {
      user_name: "Ada L.",
      email: "New@Example.com",
      notes: "pays by transfer",
    });
    expect(await newestAudit(), "what is so already leaves no trace").toEqual(audit);
  });

  it("no key is issued for the owner of the environment's key", async () => {
    await send(issue, 0, { expires_at: "", no_end: "true" });
    expect(await flash()).toMatchObject({ kind: "failed", text: "There is no subscriber with this id." });
    expect(await db().execute(sql`select 1 from api_keys where subscription_id = 0`)).toHaveLength(0);
  });

  it("the contact form of an unknown subscriber fails with a message", async () => {
    await send(contact, 2_000_000, { user_name: "Nobody", email: "", notes: "" });
    expect(await flash()).toMatchObject({ kind: "failed", text: "There is no subscriber with this id." });
  });
});

describe("the list of subscribers", () => {
  it("the list of subscribers is searched by part of a name, e-mail address, note or key hint", async () => {
    const made = await make({
      user_name: "Zenobia",
      email: "zz@palmyra.example",
      notes: "a queen's note 100%",
    });
    const hint = `${made.key.slice(0, 4)}****`;
    for (const q of ["zenob", "PALMYRA", "queen", "100%", hint]) {
      const rows = await listSubscribers(db(), { filter: { q }, order: "newest", limit: 10, offset: 0 });
      expect(
        rows.map((row) => row.subscriptionId),
        q,
      ).toContain(made.id);
    }
    expect(await countSubscribers(db(), { q: "zen_bia" }), "a joker is taken as it is typed").toBe(0);
  });

  it("the list of subscribers is filtered by access, by near expiry and by the client's status", async () => {
    const soon = await make({ expires_at: new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 16) });
    const gone = await make();
    await send(revoke, gone.id, { key_id: String(gone.keyId) });
    const late = await make();
    await db().execute(sql`
      insert into key_heartbeats (key_id, subscription_id, last_seen_at)
      values (${late.keyId}, ${late.id}, now() - interval '10 minutes')`);
    const ids = async (filter: Parameters<typeof countSubscribers>[1]) =>
      (await listSubscribers(db(), { filter, order: "newest", limit: 1000, offset: 0 })).map(
        (row) => row.subscriptionId,
      );
    expect(await ids({ expiringDays: 3 })).toEqual([soon.id]);
    expect(await ids({ state: "revoked" })).toContain(gone.id);
    expect(await ids({ state: "active" })).not.toContain(gone.id);
    expect(await ids({ ea: "delayed" })).toEqual([late.id]);
    expect(await ids({ ea: "silent", state: "active" })).toContain(soon.id);
    expect(await ids({ ea: "online" })).not.toContain(late.id);
  });

  it("the list of subscribers is paged without gaps or repetitions", async () => {
    const total = await countSubscribers(db(), {});
    const seen: number[] = [];
    for (let offset = 0; offset < total; offset += 4) {
      const rows = await listSubscribers(db(), { filter: {}, order: "expiry", limit: 4, offset });
      seen.push(...rows.map((row) => row.subscriptionId));
    }
    expect(new Set(seen).size).toBe(total);
    expect(seen).not.toContain(0);
  });
});

describe("a subscriber's timeline", () => {
  it("a subscriber's timeline lists keys, executions and refused reports, newest first, and filters by kind", async () => {
    const made = await make({ plan_tier: "pro" });
    const report = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", opened_at: "2026-11-20T10:00:00Z" };
    await call("POST", "/api/executions", { key: made.key, body: { ...report, ticket: 71 } });
    await call("POST", "/api/executions", { key: made.key, body: { ...report, ticket: -1 } });
    const read = (kinds: (typeof TIMELINE_KINDS)[number][]) =>
      listTimeline(db(), {
        subscriptionId: made.id,
        kinds,
        before: new Date(Date.now() + 60_000).toISOString(),
        limit: 50,
      });
    const all = await read([...TIMELINE_KINDS]);
    expect(all.map((entry) => entry.kind)).toEqual(["refusal", "key", "execution"]);
    expect(all[2]).toMatchObject({ what: "opened", target: "ticket/71" });
    expect((await read(["key"])).map((entry) => entry.what)).toEqual(["key.issue"]);

    await db().execute(sql`
      with ada as (insert into administrators (name, email, email_normalized, role, totp_secret_encrypted)
        values ('Ada', 'ada@people.example', 'ada@people.example', 'owner', 'x') returning id)
      update admin_audit set actor = 'administrator/' || ada.id from ada where subscription_id = ${made.id}`);
    expect((await read(["key"]))[0]?.facts).toMatchObject({ person: "Ada" });
  });

  it("a subscriber's timeline has each of many simultaneous executions once across pages", async () => {
    const made = await make();
    await db().execute(sql`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at)
      select ${made.id}, n, 'EURUSD', 'EURUSD', 'H1', 'BUY', timestamptz '2026-01-01' + (n / 5) * interval '1 hour 1 microsecond'
        from generate_series(5, 64) n`);
    const seen: string[] = [];
    let before = new Date("2027-01-01").toISOString();
    for (let page = 0; page < 20; page++) {
      const entries = await listTimeline(db(), {
        subscriptionId: made.id,
        kinds: ["execution"],
        before,
        limit: 7,
      });
      seen.push(...entries.map((entry) => entry.target));
      const last = entries.at(-1);
      if (!last) break;
      before = last.cursor;
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });
});

describe("confirmation of unusual input", () => {
  it("an unknown symbol needs confirmation, which lists the known ones", async () => {
    const { id, keyId } = await make();
    const fields = { ...blank, key_id: String(keyId), symbols_allowed: "EURUSD, FOO" };
    await send(grant, id, fields);
    const asked = await flash();
    expect(asked).toMatchObject({ kind: "form", form: "key.grant" });
    expect(asked?.kind === "form" && asked.errors.symbols_allowed).toMatch(
      /^FOO is not known here\. Known: .*EURUSD/,
    );
    expect((await findSubscriberWithKeys(db(), id))?.keys[0]?.symbolsAllowed).toBeNull();

    await send(grant, id, { ...fields, symbols_to_come: "true" });
    expect(await flash()).toMatchObject({ kind: "done" });
    expect((await findSubscriberWithKeys(db(), id))?.keys[0]?.symbolsAllowed).toEqual(["EURUSD", "FOO"]);
  });

  it("a second subscriber with the same address in other letter case needs confirmation", async () => {
    await make({ email: "twice@example.test" });
    const again = { ...blank, email: " Twice@Example.Test " };
    const answer = await postAdminForm(create, {}, again, { cookie });
    expect(answer.headers.get("location")).toBe("/admin/subscribers/new");
    const asked = await flash();
    expect(asked?.kind === "form" && asked.errors.email).toMatch(/belongs to a subscriber already/);
    await postAdminForm(create, {}, { ...again, same_address: "true" }, { cookie });
    expect(await flash()).toMatchObject({ kind: "key" });
  });

  it("the answer about unknown symbols is kept while the form asks about an e-mail address that another subscriber has", async () => {
    await make({ email: "both@example.test" });
    const sent = { ...blank, email: "both@example.test", symbols_allowed: "FOO", symbols_to_come: "true" };
    await postAdminForm(create, {}, sent, { cookie });
    const asked = await flash();
    expect(asked?.kind === "form" && Object.keys(asked.errors)).toEqual(["email"]);
    expect(asked?.kind === "form" && asked.values.symbols_to_come).toBe("true");
  });

  it("a change to another subscriber's e-mail address needs confirmation, and a later change of the notes alone does not", async () => {
    await make({ email: "shared@example.test" });
    const { id } = await make({ user_name: "Payer", email: "payer@example.test" });
    const addressOf = async () => (await findSubscriberWithKeys(db(), id))?.subscription.email;
    const fields = { user_name: "Payer", email: "Shared@Example.Test", notes: "" };
    await send(contact, id, fields);
    const asked = await flash();
    expect(asked?.kind === "form" && asked.errors.email).toMatch(/belongs to a subscriber already/);
    expect(await addressOf()).toBe("payer@example.test");

    await send(contact, id, { ...fields, same_address: "true" });
    expect(await flash()).toMatchObject({ kind: "done" });
    expect(await addressOf()).toBe("Shared@Example.Test");

    await send(contact, id, { ...fields, notes: "called" });
    expect(await flash()).toMatchObject({ kind: "done" });
  });
});

describe("deletion on a written request", () => {
  const { "delete-account": deleteAccount } = subscriber.forms;

  it("a deletion needs the typed word, ends the key, erases the name, and is audited", async () => {
    const { id, key } = await make({ user_name: "Letter Writer", email: "letter@example.com" });
    await postAdminForm(deleteAccount, { id: String(id) }, { typed_word: "delete" }, { cookie });
    expect(await flash()).toMatchObject({ kind: "failed" });
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);

    await postAdminForm(deleteAccount, { id: String(id) }, { typed_word: "DELETE" }, { cookie });
    expect(await flash()).toMatchObject({ kind: "done" });
    expect((await call("GET", "/api/account/me", { key })).status).toBe(401);
    const [left] = await db().execute(sql`select user_name, email from subscriptions where id = ${id}`);
    expect(left).not.toMatchObject({ user_name: "Letter Writer" });
    expect(left?.email).toBeNull();
    const [audit] = await db().execute(
      sql`select count(*)::int as n from admin_audit where action = 'account.delete_by_letter' and target = ${`subscription/${id}`}`,
    );
    expect(audit?.n).toBe(1);
  });

  it("a deletion of an unknown subscriber fails with a message", async () => {
    await postAdminForm(deleteAccount, { id: "999999" }, { typed_word: "DELETE" }, { cookie });
    expect(await flash()).toMatchObject({ kind: "failed" });
  });
});
