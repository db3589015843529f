import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { giveAccessBack } from "@/lib/payments/give-access-back";
import { decrypt } from "@/lib/runtime/secrets";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, tables, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let sql: postgres.Sql;
beforeAll(() => {
  sql = tables();
});
afterAll(() => sql.end());

const ADMIN = { kind: "admin-session", sessionId: "s", address: "192.0.2.1", requestId: "r" } as const;
const give = (deliveryId: number) => giveAccessBack(db(), deliveryId, ADMIN);

const keysOf = (email: string) => sql`
  select k.id, k.plan_tier, k.expires_at, k.revoked_at, k.subscription_id
    from api_keys k join subscriptions s on s.id = k.subscription_id where s.email_normalized = ${email} order by k.id`;

async function deliveryOf(
  event: string,
  invoiceId: string,
): Promise<{ id: number; reviewed_at: Date | null }> {
  const [row] = await sql<{ id: string; reviewed_at: Date | null }[]>`
    select id, reviewed_at from payment_deliveries where event = ${event} and invoice_id = ${invoiceId}`;
  return { id: Number(row!.id), reviewed_at: row!.reviewed_at };
}

/** A buyer with two paid invoices, the first of which is taken back. */
async function refundedBuyer(event = "payment.invoice_refunded") {
  const email = freshEmail();
  await deliver(paymentEvent({ email, id: `1-${email}`, productId: "3031361" }));
  await deliver(paymentEvent({ email, id: `2-${email}`, productId: "3031367" }));
  const [key] = await keysOf(email);
  await deliver(paymentEvent({ event, email, id: `1-${email}` }));
  const { id } = await deliveryOf(event, `1-${email}`);
  return { email, deliveryId: id, endsAt: key!.expires_at as Date };
}

describe("giving access back", () => {
  it("makes a new key on the same subscription until the end of the other paid invoice, and mails it", async () => {
    const { email, deliveryId, endsAt } = await refundedBuyer();
    const { keyId } = await give(deliveryId);
    const [old, fresh] = await keysOf(email);
    expect(old!.revoked_at).not.toBeNull();
    expect(fresh).toMatchObject({
      id: keyId,
      plan_tier: "pro",
      expires_at: endsAt,
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

  it("five times at once makes one key", async () => {
    const { email, deliveryId } = await refundedBuyer("payment.invoice_chargeback");
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => give(deliveryId)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason.code).toBe("conflict");
    expect(await keysOf(email)).toHaveLength(2);
  });

  it("is refused when the buyer has a key, has paid nothing else, or for any other delivery", async () => {
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

  it("after a chargeback that was won gives until the end of its own invoice, which stays ended", async () => {
    const email = freshEmail();
    const id = `W-${email}`;
    await deliver(paymentEvent({ email, id }));
    const [key] = await keysOf(email);
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
    const won = await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
    expect(won.json).toEqual({
      ok: true,
      action: "ignored",
      event: "payment.chargeback_won",
      reason: "unknown_event",
    });
    expect(await keysOf(email)).toHaveLength(1);
    const { keyId } = await give((await deliveryOf("payment.chargeback_won", id)).id);
    const [, fresh] = await keysOf(email);
    expect(fresh).toMatchObject({ id: keyId, expires_at: key!.expires_at });
    const [invoice] = await sql`select state from invoices where invoice_id = ${id}`;
    expect(invoice!.state).toBe("ended");
  });

  it("a won chargeback gives nothing for an invoice that was refunded", async () => {
    const email = freshEmail();
    const id = `N-${email}`;
    await deliver(paymentEvent({ email, id }));
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id }));
    await deliver(paymentEvent({ event: "payment.chargeback_won", email, id }));
    const { id: deliveryId } = await deliveryOf("payment.chargeback_won", id);
    await expect(give(deliveryId)).rejects.toMatchObject({ code: "conflict" });
  });
});
