import { beforeEach, describe, expect, it } from "vitest";
import { POST as subscribers } from "@/app/admin/(area)/subscribers/act/route";
import { db } from "@/db/client";
import { countBulkActionTargets } from "@/db/queries/bulk-actions";
import { applyBulkKeyAction } from "@/lib/access/keys/bulk-action";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { suspendKey } from "@/lib/access/keys/suspend-key";
import { postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

const { "stop-many": apply } = subscribers.forms;

useDatabase();

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;

interface Made {
  key: string;
  keyId: number;
}
let made: { active: Made; basic: Made; suspended: Made; revoked: Made };

beforeEach(async () => {
  const sql = connectDirectly();
  await sql`truncate api_keys, paid_time, mail_outbox, admin_audit cascade`;
  await sql`delete from subscriptions where id <> 0`;
  await sql.end();
  made = {
    active: await makeKey({ email: "active@example.test" }),
    basic: await makeKey({ plan_tier: "basic" }),
    suspended: await makeKey({}),
    revoked: await makeKey({}),
  };
  await suspendKey(db(), made.suspended.keyId, ADMIN);
  await revokeKey(db(), made.revoked.keyId, ADMIN);
});

const codeOf = async ({ key }: Made) => (await call("GET", "/api/account/me", { key })).json.code ?? "works";
const codes = async () => Promise.all(Object.values(made).map(codeOf));

describe("bulk actions on access", () => {
  it("a bulk suspension suspends every active subscriber, with the audit row and mail of a single suspension", async () => {
    expect(await countBulkActionTargets(db(), {})).toEqual({ suspend: 2, revoke: 3, reinstate: 1 });
    expect(await applyBulkKeyAction(db(), { filter: {}, act: "suspend", shown: 2 }, ADMIN)).toBe(2);
    expect(await codes()).toEqual(["key_suspended", "key_suspended", "key_suspended", "key_revoked"]);
    const sql = connectDirectly();
    const audits = await sql`
      select target, subscription_id is not null as named, details->>'together' as together
        from admin_audit where action = 'key.suspend' and details ? 'together' order by id`;
    expect([...audits]).toEqual(
      [made.active, made.basic].map(({ keyId }) => ({ target: `key/${keyId}`, named: true, together: "2" })),
    );
    const mails = await sql`
      select m.recipient, m.props->>'suspendedAt' as told, m.dedupe_key as name, k.suspended_at as since
        from mail_outbox m join api_keys k on k.id = ${made.active.keyId} where m.kind = 'access-suspended'`;
    await sql.end();
    expect(mails).toHaveLength(1);
    const since: Date = mails[0]?.since;
    expect(mails[0]).toMatchObject({
      recipient: "active@example.test",
      told: `${since.toISOString().slice(0, 19)}Z`,
      name: `access-suspended/${made.active.keyId}/${since.toISOString()}`,
    });
  });

  it("a bulk revocation revokes suspended subscribers too, without a mail, and changes nothing when repeated", async () => {
    expect(await applyBulkKeyAction(db(), { filter: {}, act: "revoke", shown: 3 }, ADMIN)).toBe(3);
    expect(new Set(await codes())).toEqual(new Set(["key_revoked"]));
    expect(await applyBulkKeyAction(db(), { filter: {}, act: "revoke", shown: 0 }, ADMIN)).toBe(0);
    const sql = connectDirectly();
    const [mails] = await sql`select count(*)::int as n from mail_outbox where kind <> 'key-created'`;
    await sql.end();
    expect(mails?.n).toBe(0);
  });

  it("a bulk revocation applies the filter, and does nothing when the list changed since it was shown", async () => {
    const filter = { plan: "basic" };
    expect(await applyBulkKeyAction(db(), { filter, act: "revoke", shown: 2 }, ADMIN)).toBeNull();
    expect(await codeOf(made.basic)).toBe("works");
    expect(await applyBulkKeyAction(db(), { filter, act: "revoke", shown: 1 }, ADMIN)).toBe(1);
    expect(await codes()).toEqual(["works", "key_revoked", "key_suspended", "key_revoked"]);
  });

  it("a bulk reinstatement reinstates every suspended subscriber, with the audit row and mail of a single one", async () => {
    expect(await applyBulkKeyAction(db(), { filter: {}, act: "suspend", shown: 2 }, ADMIN)).toBe(2);
    const sql = connectDirectly();
    const [before] = await sql`select suspended_at as since from api_keys where id = ${made.active.keyId}`;
    expect(await applyBulkKeyAction(db(), { filter: {}, act: "reinstate", shown: 3 }, ADMIN)).toBe(3);
    expect(await codes()).toEqual(["works", "works", "works", "key_revoked"]);
    const audits = await sql`select target from admin_audit where action = 'key.reinstate' order by id`;
    expect(audits).toHaveLength(3);
    const mails =
      await sql`select recipient, dedupe_key as name from mail_outbox where kind = 'access-reinstated'`;
    await sql.end();
    expect([...mails]).toEqual([
      {
        recipient: "active@example.test",
        name: `access-reinstated/${made.active.keyId}/${before?.since.toISOString()}`,
      },
    ]);
  });

  it("a bulk suspension applies to the ticked subscribers only", async () => {
    const sql = connectDirectly();
    const [row] = await sql`select subscription_id as id from api_keys where id = ${made.basic.keyId}`;
    await sql.end();
    const filter = { ids: [row?.id] };
    expect(await countBulkActionTargets(db(), filter)).toEqual({ suspend: 1, revoke: 1, reinstate: 0 });
    expect(await applyBulkKeyAction(db(), { filter, act: "suspend", shown: 1 }, ADMIN)).toBe(1);
    expect(await codes()).toEqual(["works", "key_suspended", "key_suspended", "key_revoked"]);
  });

  it("a bulk suspension needs the typed word, and else returns to its form with the same filter", async () => {
    const cookie = await signInAdmin();
    const send = (fields: Record<string, string>) =>
      postAdminForm(apply, {}, { act: "suspend", plan: "basic", shown: "1", ...fields }, { cookie });
    for (const typed_word of ["", "suspend", "REVOKE"]) {
      const answer = await send({ typed_word });
      expect(answer.headers.get("location")).toBe("/admin/subscribers/stop?plan=basic");
      expect(await codeOf(made.basic)).toBe("works");
    }
    await send({ typed_word: "SUSPEND" });
    expect(await codes()).toEqual(["works", "key_suspended", "key_suspended", "key_revoked"]);
  });
});
