import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { countExtendable } from "@/db/queries/subscribers";
import { extendMany } from "@/lib/access/keys/extend-many";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { resendKeyMail } from "@/lib/outbound/mail/outbox";
import { makeKey } from "@/tests/support/api";
import { tables, useDatabase } from "@/tests/support/database";

useDatabase();

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const DAY_MS = 86_400_000;
const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 5 * DAY_MS);
const ids: Record<string, number> = {};

async function ends() {
  const sql = tables();
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
  const sql = tables();
  await sql`update api_keys set expires_at = now() - interval '1 day' where id = ${ids.over!}`;
  await sql.end();
});

describe("extending a list", () => {
  it("moves whose access works and has an end, each with an audit row, and leaves the others", async () => {
    const before = await ends();
    expect(await countExtendable(db(), {})).toBe(2);
    expect(await extendMany(db(), { filter: {}, days: 7, shown: 2 }, ADMIN)).toBe(2);
    const after = await ends();
    for (const name of ["pro", "basic"]) expect(after.get(ids[name]!)).toBe(soon.getTime() + 7 * DAY_MS);
    for (const name of ["endless", "over", "gone"])
      expect(after.get(ids[name]!)).toBe(before.get(ids[name]!));
    const sql = tables();
    const audits =
      await sql`select target, details->>'to' as until from admin_audit where action = 'key.extend'`;
    await sql.end();
    expect(audits.map(({ target }) => target).sort()).toEqual([`key/${ids.basic}`, `key/${ids.pro}`].sort());
    expect(audits[0]?.until).toBe(new Date(soon.getTime() + 7 * DAY_MS).toISOString());
  });

  it("keeps to the filter, and does nothing when the list is another one than was shown", async () => {
    const before = await ends();
    expect(await extendMany(db(), { filter: { plan: "basic" }, days: 1, shown: 2 }, ADMIN)).toBeNull();
    expect(await ends()).toEqual(before);
    expect(await extendMany(db(), { filter: { plan: "basic" }, days: 1, shown: 1 }, ADMIN)).toBe(1);
    const after = await ends();
    expect(after.get(ids.pro!)).toBe(before.get(ids.pro!));
    expect(after.get(ids.basic!)).toBe(before.get(ids.basic!)! + DAY_MS);
  });
});

describe("the key mail again", () => {
  it("is sent while the key is stored for it, and otherwise says what can be done", async () => {
    const { keyId } = await makeKey({ email: "ada@example.com" });
    const sql = tables();
    const [row] = await sql<{ id: number }[]>`select subscription_id as id from api_keys where id = ${keyId}`;
    const id = row!.id;
    await sql`delete from mail_outbox where subscription_id = ${id}`;
    const again = () => resendKeyMail(db(), id, ADMIN);
    await expect(again()).rejects.toMatchObject({ code: "conflict", detail: /No mail with a key was made/ });
    await sql`insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props, secret_encrypted, status)
              values ('k', 'key-created', ${id}, 'ada@example.com', '{}', 'sealed', 'dead')`;
    await again();
    await sql`update mail_outbox set status = 'sent', secret_encrypted = null where subscription_id = ${id}`;
    await expect(again()).rejects.toMatchObject({ code: "conflict", detail: /not stored any more/ });
    await sql.end();
  });
});
