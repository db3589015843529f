import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { deleteAccountOnWrittenRequest } from "@/lib/access/account/delete-account-without-link";
import { findDeliverySubscriber } from "@/lib/payments/inbox";
import { restoreAccess } from "@/lib/payments/restore-access";
import { markChargebackWon } from "@/lib/payments/win-chargeback";
import { decrypt } from "@/lib/runtime/secrets";
import { DAY_MS } from "@/lib/time";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const ADMIN = { kind: "admin-session", sessionId: "s", address: "192.0.2.1", requestId: "r" } as const;
const give = (deliveryId: number) => restoreAccess(db(), deliveryId, ADMIN);

const keysOf = (email: string) => sql`
  select k.id, k.plan_tier, k.expires_at, k.revoked_at, k.subscription_id
    from api_keys k join subscriptions s on s.id = k.subscription_id where s.email_normalized = ${email} order by k.id`;

async function deliveryOf(
  event: string,
  invoiceId: string,
): Promise<{ id: number; reviewed_at: Date | null; flags: string[] }> {
  const [row] = await sql<{ id: string; reviewed_at: Date | null; flags: string[] }[]>`
    select id, reviewed_at, flags from payment_deliveries where event = ${event} and invoice_id = ${invoiceId}`;
  return { id: Number(row!.id), reviewed_at: row!.reviewed_at, flags: row!.flags };
}

/** A buyer with two paid invoices, the first of which is refunded. */
async function refundedBuyer(event = "payment.invoice_refunded") {
  const email = freshEmail();
  await deliver(paymentEvent({ email, id: `1-${email}`, productId: "3031361" }));
  await deliver(paymentEvent({ email, id: `2-${email}`, productId: "3031367" }));
  await deliver(paymentEvent({ event, email, id: `1-${email}` }));
  const { id } = await deliveryOf(event, `1-${email}`);
  return { email, deliveryId: id };
}

/** A buyer whose only payment was charged back, and the revoked key. */
async function chargedBackBuyer() {
  const email = freshEmail();
  await deliver(paymentEvent({ email, id: `H-${email}` }));
  const [mailed] = await sql`
    select secret_encrypted from mail_outbox where recipient = ${email} and kind = 'key-created'`;
  await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id: `H-${email}` }));
  return { email, key: decrypt(mailed!.secret_encrypted) };
}

describe("restoring access", () => {
  it("restoring access creates a new key on the same subscription with the days of the other paid invoice, and mails it", async () => {
    const { email, deliveryId } = await refundedBuyer();
    const { keyId } = await give(deliveryId);
    const [old, fresh] = await keysOf(email);
    expect(old!.revoked_at).not.toBeNull();
    // 31 days and the grace; those of the refunded invoice are gone.
    expect((fresh!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(34, 2);
    expect(fresh).toMatchObject({
      id: keyId,
      plan_tier: "pro",
      revoked_at: null,
      subscription_id: old!.subscription_id,
    });
    const [mail] = await sql`select * from mail_outbox where dedupe_key = ${`key-created/${keyId}`}`;
    expect(mail!.recipient).toBe(email);
    const me = await call("GET", "/api/account/me", { key: decrypt(mail!.secret_encrypted) });
    expect(me.status).toBe(200);
    expect((await deliveryOf("payment.invoice_refunded", `1-${email}`)).reviewed_at).not.toBeNull();
    const audit = await sql`select actor, action from admin_audit where target = ${`key/${keyId}`}`;
    expect(audit).toMatchObject([{ action: "payment.give_back" }]);
  });

  it("restoring access five times concurrently creates one key", async () => {
    const { email, deliveryId } = await refundedBuyer("payment.invoice_chargeback");
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => give(deliveryId)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason.code).toBe("conflict");
    expect(await keysOf(email)).toHaveLength(2);
  });

  it("restoring access is refused when the buyer has a key or no other running payment, and for a paid or unknown delivery", async () => {
    const { email, deliveryId } = await refundedBuyer();
    await deliver(paymentEvent({ email }));
    await expect(give(deliveryId)).rejects.toMatchObject({ code: "conflict" });
    expect(await keysOf(email)).toHaveLength(2);

    const over = await refundedBuyer();
    await sql`update invoices set expires_at = now() where invoice_id = ${`2-${over.email}`}`;
    await expect(give(over.deliveryId)).rejects.toMatchObject({ code: "conflict" });

    const paid = await deliveryOf("payment.invoice_paid", `1-${email}`);
    await expect(give(paid.id)).rejects.toMatchObject({ code: "conflict" });
    await expect(give(2_000_000_000)).rejects.toMatchObject({ code: "not_found" });
  });

  it("access is restored for an address that bought again after its deletion, and for the buyer that a refund names", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, id: `1-${email}` }));
    const [old] = await keysOf(email);
    await deleteAccountOnWrittenRequest(db(), old!.subscription_id, ADMIN);
    await deliver(paymentEvent({ email, id: `2-${email}` }));
    const refund = paymentEvent({ event: "payment.invoice_refunded", email, id: `1-${email}` });
    expect((await deliver(refund)).json).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
    const { id } = await deliveryOf("payment.invoice_refunded", `1-${email}`);
    const [lost] = await keysOf(email);
    expect(await findDeliverySubscriber(db(), id)).toMatchObject({ subscriptionId: lost!.subscription_id });
    expect(await give(id)).toMatchObject({ subscriptionId: lost!.subscription_id });
    expect(await keysOf(email)).toMatchObject([{ revoked_at: expect.any(Date) }, { revoked_at: null }]);

    const [payer, named] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: payer, id: `1-${payer}` }));
    await deliver(paymentEvent({ email: named }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email: named, id: `1-${payer}` }));
    const other = await deliveryOf("payment.invoice_refunded", `1-${payer}`);
    expect(other.flags).toEqual(["another_paid_invoice", "other_buyer"]);
    await give(other.id);
    expect(await keysOf(named)).toMatchObject([{ revoked_at: expect.any(Date) }, { revoked_at: null }]);
  });

  it("a won chargeback reactivates the same key and its invoice", async () => {
    const email = freshEmail();
    const id = `W-${email}`;
    const paid = await deliver(paymentEvent({ email, id }));
    const [mailed] = await sql`
      select secret_encrypted from mail_outbox where recipient = ${email} and kind = 'key-created'`;
    const key = decrypt(mailed!.secret_encrypted);
    const before = await keysOf(email);
    const lost = await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
    expect(lost.json).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
    const refused = await call("GET", "/api/account/me", { key });
    expect([refused.status, refused.json.code]).toEqual([401, "key_revoked"]);

    const won = await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
    expect(won.json).toEqual({
      ok: true,
      action: "ignored",
      event: "payment.chargeback_won",
      reason: "unknown_event",
    });
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    expect(await keysOf(email)).toEqual(before);
    const [invoice] = await sql`select state, ended_at from invoices where invoice_id = ${id}`;
    expect(invoice).toEqual({ state: "paid", ended_at: null });
    expect((await deliveryOf("payment.chargeback_won", id)).flags).toEqual([]);
    const mails = await sql`select kind, props from mail_outbox where recipient = ${email} order by id`;
    expect(mails.map(({ kind }) => kind)).toEqual(["key-created", "access-revoked", "access-reinstated"]);
    expect(mails[2]!.props).toMatchObject({ after: "chargeback" });
    const audit = await sql`
      select action from admin_audit where target = ${`key/${paid.json.key_id}`} order by id desc limit 1`;
    expect(audit).toMatchObject([{ action: "payment.reinstate" }]);

    // A second loss revokes and mails again.
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id, name: "Again" }));
    expect((await call("GET", "/api/account/me", { key })).status).toBe(401);
    const [{ n }] = (await sql`
      select count(*)::int as n from mail_outbox where recipient = ${email} and kind = 'access-revoked'`) as [
      { n: number },
    ];
    expect(n).toBe(2);
  });

  it("an administrator who marks a chargeback as won reactivates the same key, once", async () => {
    const { email, key } = await chargedBackBuyer();
    const { id } = await deliveryOf("payment.invoice_chargeback", `H-${email}`);
    const ends = await Promise.allSettled(
      Array.from({ length: 3 }, () => markChargebackWon(db(), id, ADMIN)),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason.code).toBe("conflict");
    expect((await call("GET", "/api/account/me", { key })).status).toBe(200);
    const mails = await sql`select kind from mail_outbox where recipient = ${email} order by id`;
    expect(mails.map(({ kind }) => kind)).toEqual(["key-created", "access-revoked", "access-reinstated"]);
    const [{ id: keyId }] = (await keysOf(email)) as unknown as [{ id: number }];
    const [audit] = await sql`
      select actor, action from admin_audit where target = ${`key/${keyId}`} order by id desc limit 1`;
    expect(audit).toMatchObject({ action: "payment.reinstate" });
    expect((await deliveryOf("payment.invoice_chargeback", `H-${email}`)).reviewed_at).not.toBeNull();
  });

  it("marking a chargeback as won is refused for a buyer with another key, a refund, or an unknown delivery", async () => {
    const { email } = await chargedBackBuyer();
    const { id } = await deliveryOf("payment.invoice_chargeback", `H-${email}`);
    await deliver(paymentEvent({ email }));
    await expect(markChargebackWon(db(), id, ADMIN)).rejects.toMatchObject({ code: "conflict" });
    expect((await keysOf(email)).map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);

    const refunded = await refundedBuyer();
    await expect(markChargebackWon(db(), refunded.deliveryId, ADMIN)).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(markChargebackWon(db(), 2_000_000_000, ADMIN)).rejects.toMatchObject({ code: "not_found" });
  });

  it("the bytes of a won chargeback, sent again, restore nothing twice", async () => {
    const email = freshEmail();
    const id = `V-${email}`;
    await deliver(paymentEvent({ email, id }));
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
    const victory = paymentEvent({ event: "payment.chargeback_won", email, id });
    await deliver(victory);
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id, name: "Again" }));
    await deliver(victory);
    expect((await keysOf(email)).map(({ revoked_at }) => revoked_at !== null)).toEqual([true]);
  });

  it.each(["payment.invoice_refunded", "payment.invoice_canceled"])(
    "a won chargeback does not restore access after %s of another invoice",
    async (event) => {
      const email = freshEmail();
      const id = `L-${email}`;
      await deliver(paymentEvent({ email, id }));
      await deliver(paymentEvent({ email, id: `M-${email}` }));
      await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
      await deliver(paymentEvent({ event, email, id: `M-${email}` }));
      await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
      expect((await keysOf(email)).map(({ revoked_at }) => revoked_at !== null)).toEqual([true]);
      expect((await deliveryOf("payment.chargeback_won", id)).flags).toEqual(["chargeback_won"]);
    },
  );

  it("a won chargeback changes no key of a buyer who has bought another one since", async () => {
    const email = freshEmail();
    const id = `H-${email}`;
    await deliver(paymentEvent({ email, id }));
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
    await deliver(paymentEvent({ email, id: `I-${email}` }));
    await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
    expect((await keysOf(email)).map(({ revoked_at }) => revoked_at !== null)).toEqual([true, false]);
    expect((await deliveryOf("payment.chargeback_won", id)).flags).toEqual(["chargeback_won"]);
  });

  it("a won chargeback does not restore access of a refunded invoice", async () => {
    const email = freshEmail();
    const id = `N-${email}`;
    await deliver(paymentEvent({ email, id }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id }));
    await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
    expect((await keysOf(email)).map(({ revoked_at }) => revoked_at !== null)).toEqual([true]);
    const { id: deliveryId } = await deliveryOf("payment.chargeback_won", id);
    await expect(give(deliveryId)).rejects.toMatchObject({ code: "conflict" });
  });
});
