import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as subscribers } from "@/app/admin/(area)/subscribers/act/route";
import { db } from "@/db/client";
import { findBulkExtensionByForm } from "@/db/queries/bulk-extensions";
import { countExtendable, type SubscriberFilter } from "@/db/queries/subscribers";
import { continueBulkExtensions, extendAccessInBulk } from "@/lib/access/keys/extend-access-in-bulk";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { resendKeyMail } from "@/lib/outbound/mail/outbox";
import { postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

const { "extend-many": extend } = subscribers.forms;

useDatabase();

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const DAY_MS = 86_400_000;
const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 5 * DAY_MS);
const ids: Record<string, number> = {};

const wish = (given: { filter?: SubscriberFilter; days: number; shown: number }) => ({
  filter: {},
  formId: randomUUID(),
  ...given,
});

async function ends() {
  const sql = connectDirectly();
  const rows = await sql<{ id: number; expires_at: Date | null }[]>`select id, expires_at from api_keys`;
  await sql.end();
  return new Map(rows.map((row) => [row.id, row.expires_at?.getTime() ?? null]));
}

beforeAll(async () => {
  const expires_at = soon.toISOString();
  for (const [name, wish] of Object.entries({
    pro: { expires_at },
    basic: { expires_at, plan_tier: "basic" },
    endless: {},
    over: { expires_at },
    gone: { expires_at },
  }))
    ids[name] = (await makeKey(wish)).keyId;
  await revokeKey(db(), ids.gone!, ADMIN);
  const sql = connectDirectly();
  await sql`update api_keys set expires_at = now() - interval '1 day' where id = ${ids.over!}`;
  await sql.end();
});

describe("extending a list of subscribers", () => {
  it("extending many subscribers extends access that works and has an end, each with an audit row, and no other", async () => {
    const before = await ends();
    expect(await countExtendable(db(), {})).toBe(2);
    expect(await extendAccessInBulk(db(), wish({ days: 7, shown: 2 }), ADMIN)).toMatchObject({
      nExtended: 2,
      nRemaining: 0,
    });
    const after = await ends();
    for (const name of ["pro", "basic"]) expect(after.get(ids[name]!)).toBe(soon.getTime() + 7 * DAY_MS);
    for (const name of ["endless", "over", "gone"])
      expect(after.get(ids[name]!)).toBe(before.get(ids[name]!));
    const sql = connectDirectly();
    const audits =
      await sql`select target, details->>'to' as until from admin_audit where action = 'key.extend'`;
    await sql.end();
    expect(audits.map(({ target }) => target).sort()).toEqual([`key/${ids.basic}`, `key/${ids.pro}`].sort());
    expect(audits[0]?.until).toBe(new Date(soon.getTime() + 7 * DAY_MS).toISOString());
  });

  it("extending many subscribers applies the filter, and does nothing when the list changed since it was shown", async () => {
    const before = await ends();
    const filter = { plan: "basic" };
    expect(await extendAccessInBulk(db(), wish({ filter, days: 1, shown: 2 }), ADMIN)).toBeNull();
    expect(await ends()).toEqual(before);
    expect(await extendAccessInBulk(db(), wish({ filter, days: 1, shown: 1 }), ADMIN)).toMatchObject({
      nExtended: 1,
    });
    const after = await ends();
    expect(after.get(ids.pro!)).toBe(before.get(ids.pro!));
    expect(after.get(ids.basic!)).toBe(before.get(ids.basic!)! + DAY_MS);
  });

  it("extending many subscribers happens once for a form sent twice, even concurrently", async () => {
    const before = await ends();
    const form = wish({ days: 3, shown: 2 });
    const both = await Promise.all([
      extendAccessInBulk(db(), form, ADMIN),
      extendAccessInBulk(db(), form, ADMIN),
    ]);
    expect(both.map((done) => done?.nSubscribers)).toEqual([2, 2]);
    await extendAccessInBulk(db(), form, ADMIN);
    const after = await ends();
    for (const name of ["pro", "basic"])
      expect(after.get(ids[name]!)).toBe(before.get(ids[name]!)! + 3 * DAY_MS);
  });

  it("the form for extending many subscribers extends once when sent twice, and redirects to the list", async () => {
    const before = await ends();
    const cookie = await signInAdmin();
    const form = { days: "1", shown: "2", form_id: randomUUID() };
    for (const _ of ["first", "again"]) {
      const answer = await postAdminForm(extend, {}, form, { cookie });
      expect(answer.headers.get("location")).toBe("/admin/subscribers");
    }
    expect((await ends()).get(ids.pro!)).toBe(before.get(ids.pro!)! + DAY_MS);
    const sql = connectDirectly();
    const done = await sql`select * from bulk_extensions where form_id = ${form.form_id}`;
    await sql.end();
    expect(done).toMatchObject([{ days: 1, n_subscribers: 2, n_extended: 2, remaining: [] }]);
  });

  it("the address of a page for extending many subscribers keeps the id of its form, which finds its extension", async () => {
    const cookie = await signInAdmin();
    const form = { days: "1", shown: "999", form_id: randomUUID() };
    const answer = await postAdminForm(extend, {}, form, { cookie });
    expect(answer.headers.get("location")).toBe(`/admin/subscribers/extend?form=${form.form_id}`);
    expect(await findBulkExtensionByForm(db(), form.form_id)).toBeNull();
    await postAdminForm(extend, {}, { ...form, shown: "2" }, { cookie });
    expect(await findBulkExtensionByForm(db(), form.form_id)).toMatchObject({ days: 1, nExtended: 2 });
  });

  it("extending many subscribers resumes after a failure, extends each once, and skips revoked access", async () => {
    const sql = connectDirectly();
    await sql`
      with people as (
        insert into subscriptions (user_name, email, email_normalized)
        select 'Many ' || n, 'many' || n || '@example.com', 'many' || n || '@example.com' from generate_series(1, 2500) n
        returning id)
      insert into api_keys (subscription_id, key_hash, hint, plan_tier, expires_at)
      select id, 'many' || id, 'many', 'basic', ${soon} from people`;
    const filter = { q: "Many" };
    const begun = await extendAccessInBulk(db(), wish({ filter, days: 7, shown: 2500 }), ADMIN);
    expect(begun).toMatchObject({ nSubscribers: 2500, nExtended: 1000, nRemaining: 1500, finishedAt: null });
    const [late] = await sql`
      update api_keys set revoked_at = now() where id = (select max(id) from api_keys where hint = 'many') returning id`;
    // A failed batch is rolled back.
    await sql`alter table admin_audit add constraint no_more check (action <> 'key.extend') not valid`;
    await expect(continueBulkExtensions(db(), new AbortController().signal)).rejects.toThrow();
    await sql`alter table admin_audit drop constraint no_more`;
    const signal = new AbortController().signal;
    await Promise.all([continueBulkExtensions(db(), signal), continueBulkExtensions(db(), signal)]);
    const counts = await sql`
      select round(extract(epoch from expires_at - ${soon}::timestamptz) / 86400)::int as days, count(*)::int as n
        from api_keys where hint = 'many' group by 1 order by 1`;
    expect(counts.map(({ days, n }) => [days, n])).toEqual([
      [0, 1],
      [7, 2499],
    ]);
    const [row] = await sql`select * from bulk_extensions order by id desc limit 1`;
    expect(row).toMatchObject({ n_extended: 2499, remaining: [] });
    expect(row!.finished_at).not.toBeNull();
    const rows = await sql`
      select count(*)::int as n from admin_audit where action = 'key.extend' and target = ${`key/${late!.id}`}`;
    expect(rows[0]!.n).toBe(0);
    await sql.end();
  });
});

describe("resending the key mail", () => {
  it("the key mail is resent while its key is stored; otherwise an error says what to do", async () => {
    const { keyId } = await makeKey({ email: "ada@example.com" });
    const sql = connectDirectly();
    const [row] = await sql<{ id: number }[]>`select subscription_id as id from api_keys where id = ${keyId}`;
    const id = row!.id;
    await sql`delete from mail_outbox where subscription_id = ${id}`;
    const again = () => resendKeyMail(db(), id, ADMIN);
    await expect(again()).rejects.toMatchObject({
      code: "conflict",
      detail: /There is no mail with a key.* Rotate the key/,
    });
    await sql`insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props, secret_encrypted, status)
              values ('k', 'key-created', ${id}, 'ada@example.com', '{}', 'sealed', 'dead')`;
    await again();
    const [mail] =
      await sql`select status from mail_outbox where subscription_id = ${id} order by id desc limit 1`;
    expect(mail?.status).toBe("pending");
    await sql`update mail_outbox set status = 'sent', secret_encrypted = null where subscription_id = ${id}`;
    await expect(again()).rejects.toMatchObject({
      code: "conflict",
      detail: /no longer stored. Rotate the key/,
    });
    await sql.end();
  });
});
