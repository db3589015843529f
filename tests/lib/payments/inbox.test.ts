import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliveryOutcomeLabel } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { readPaymentDeliveryCounts } from "@/db/queries/payment-deliveries";
import { deliveryBodyDigest } from "@/lib/payments/delivery";
import { listDeliveries, reapplyDelivery, revealDelivery } from "@/lib/payments/inbox";
import type { Actor } from "@/lib/runtime/audit";
import { shortEmailHash } from "@/lib/runtime/log";
import { DAY_MS } from "@/lib/time";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, toBytes, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

const admin: Actor = { kind: "admin-secret", address: "127.0.0.1", requestId: "test-request" };
const page = { limit: 50, offset: 0 };

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

async function idOf(invoiceId: unknown): Promise<number> {
  const { deliveries } = await listDeliveries(db(), { q: String(invoiceId), ...page });
  return deliveries[0]!.id;
}

describe("the payment inbox", () => {
  it("the payment inbox lists deliveries newest first, searchable by buyer's address or hash, outcome and flag", async () => {
    const email = freshEmail();
    const first = paymentEvent({ email });
    const second = paymentEvent({ email, productId: "5", itemName: "gold" });
    await deliver(first);
    await deliver(second);
    await deliver(paymentEvent({ event: "other" }));
    const hash = shortEmailHash(email);
    const mine = await listDeliveries(db(), { q: `email#${hash}`, ...page });
    expect(mine.total).toBe(2);
    const byAddress = await listDeliveries(db(), { q: ` ${email.toUpperCase()} `, ...page });
    expect(byAddress.deliveries.map((row) => row.id)).toEqual(mine.deliveries.map((row) => row.id));
    expect(mine.deliveries.map(({ total, userName }) => [total, userName])).toEqual([
      [{ amount: "49.9", currency: null }, "Ada Lovelace"],
      [{ amount: "49.9", currency: null }, "Ada Lovelace"],
    ]);
    expect(mine.deliveries.map((row) => row.invoiceId)).toEqual([second.data.id, first.data.id]);
    expect(mine.deliveries[0]).toMatchObject({
      action: "already_provisioned",
      flags: ["unmapped_product", "unknown_plan"],
      emailHash: hash,
      nReceived: 1,
      answer: { ok: true, action: "already_provisioned" },
    });
    expect(mine.deliveries[0]!.subscriptionId).toBe(mine.deliveries[1]!.subscriptionId);
    const flagged = await listDeliveries(db(), { flagged: true, ...page });
    expect(flagged.deliveries.every((row) => row.flags.length > 0)).toBe(true);
    const ignored = await listDeliveries(db(), { effect: "ignored", reason: "unknown_event", ...page });
    expect(ignored.total).toBe(1);
    expect(JSON.stringify([mine, flagged, ignored])).not.toContain(email);
  });

  it("an administrator's reading of a delivery's payload is audited", async () => {
    const event = paymentEvent();
    await deliver(event);
    const id = await idOf(event.data.id);
    expect(await revealDelivery(db(), id, admin)).toBe(JSON.stringify(event));
    const rows = await sql`select actor, action, address from admin_audit where target = ${`delivery/${id}`}`;
    expect(rows).toEqual([{ actor: "admin-secret", action: "payment.payload_read", address: "127.0.0.1" }]);
    await expect(revealDelivery(db(), 999_999, admin)).rejects.toMatchObject({ code: "not_found" });
  });

  it("a paid delivery that is applied again changes nothing", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    const { json } = await deliver(event);
    const keys = () => sql`select plan_tier, expires_at, revoked_at from api_keys where id = ${json.key_id}`;
    const before = await keys();
    const answer = await reapplyDelivery(db(), await idOf(event.data.id), admin);
    expect(answer).toMatchObject({ action: "already_provisioned", key_id: json.key_id });
    expect(await keys()).toEqual(before);
    expect(await sql`select 1 from mail_outbox where recipient = ${email}`).toHaveLength(1);
  });

  it("a payment for a product that was added to the table gets its plan and days when it is applied again, once", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, productId: email, itemName: "Gold" });
    const { json } = await deliver(event);
    const id = await idOf(event.data.id);
    const row = async () =>
      (await listDeliveries(db(), { q: String(event.data.id), ...page })).deliveries[0]!;
    const key = async () =>
      (await sql`select plan_tier, expires_at from api_keys where id = ${json.key_id}`)[0]!;
    const before = await key();
    await reapplyDelivery(db(), id, admin);
    expect(await row()).toMatchObject({ flags: ["unmapped_product", "unknown_plan"] });
    expect(await key()).toEqual(before);

    await sql`insert into products (external_id, plan_tier, period_days, grace_days) values (${email}, 'pro', 61, 3)`;
    const both = await Promise.all([reapplyDelivery(db(), id, admin), reapplyDelivery(db(), id, admin)]);
    expect(both).toMatchObject([{ plan: "pro" }, { plan: "pro" }]);
    await reapplyDelivery(db(), id, admin);
    const days = (61 + 3) * DAY_MS;
    const start = new Date(String(event.data.paid_at)).getTime();
    expect(await key()).toEqual({ plan_tier: "pro", expires_at: new Date(start + days) });
    expect((await row()).flags).toEqual([]);
    const audit = await sql`
      select details from admin_audit where target = ${`key/${json.key_id}`} and action = 'payment.follow_product'`;
    expect(audit).toMatchObject([{ details: { formerPlanTier: "basic", planTier: "pro" } }]);
    const [invoice] =
      await sql`select plan_tier, product_id from invoices where invoice_id = ${String(event.data.id)}`;
    expect(invoice).toEqual({ plan_tier: "pro", product_id: email });

    // A refund ends the corrected time, too.
    await deliver(paymentEvent({ event: "payment.invoice_refunded", email, id: event.data.id }));
    const [open] =
      await sql`select count(*)::int as n from paid_time where key_id = ${json.key_id} and ended_at is null`;
    expect(open!.n).toBe(0);
  });

  it("a payment stays for review if its plan was changed by hand before its product was added", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, productId: email, itemName: "Gold" });
    const { json } = await deliver(event);
    await sql`update paid_time set ended_at = now() where key_id = ${json.key_id}`;
    await sql`insert into products (external_id, plan_tier, period_days) values (${email}, 'pro', 61)`;
    const key = () => sql`select plan_tier, expires_at from api_keys where id = ${json.key_id}`;
    const before = await key();
    await reapplyDelivery(db(), await idOf(event.data.id), admin);
    expect((await listDeliveries(db(), { q: String(event.data.id), ...page })).deliveries[0]!.flags).toEqual([
      "unmapped_product",
      "unknown_plan",
    ]);
    expect(await key()).toEqual(before);
  });

  it("a payment without a time counts from its receipt, however late it is applied", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email, paid_at: undefined });
    await deliver(event);
    const id = await idOf(event.data.id);
    // As if received ten days ago, when its product was not mapped.
    await sql`delete from invoices where invoice_id = ${String(event.data.id)}`;
    await sql`delete from api_keys k using subscriptions s where s.id = k.subscription_id and s.email = ${email}`;
    const [delivery] = await sql`
      update payment_deliveries set received_at = received_at - interval '10 days' where id = ${id} returning received_at`;
    const answer = await reapplyDelivery(db(), id, admin);
    if (answer.action !== "api_key_created") throw new Error(`no key: ${answer.action}`);
    const days = (answer.expires.getTime() - delivery!.received_at.getTime()) / 86_400_000;
    expect(days).toBeCloseTo(34, 3);
  });

  it("a refund that an administrator applies again revokes the key of a later purchase", async () => {
    const email = freshEmail();
    const refund = paymentEvent({ event: "payment.invoice_refunded", email, id: `refund-${email}` });
    await deliver(refund);
    await deliver(paymentEvent({ email }));
    const id = await idOf(`refund-${email}`);
    expect(await reapplyDelivery(db(), id, admin)).toMatchObject({
      action: "access_revoked",
      keys_revoked: 1,
    });
    const [row] = await sql`select answer, reapplied_at from payment_deliveries where id = ${id}`;
    expect(row!.answer.keys_revoked).toBe(1);
    expect(row!.reapplied_at).not.toBeNull();
    const [audit] =
      await sql`select actor from admin_audit where action = 'payment.revoke' order by id desc limit 1`;
    expect(audit!.actor).toBe("admin-secret");
  });

  it("the inbox names the effect of a delivery that is answered as ignored, and of a refund that revoked no key", async () => {
    const email = freshEmail();
    const paid = paymentEvent({ email });
    const id = String(paid.data.id);
    const outcomeOf = async (event: ReturnType<typeof paymentEvent>) => {
      const { json } = await deliver(event);
      const { deliveries } = await listDeliveries(db(), { q: String(event.data.id), ...page });
      return [json.action, deliveryOutcomeLabel(deliveries[0]!)];
    };
    const { json } = await deliver(paid);
    await sql`update api_keys set expires_at = now() + interval '1 hour' where id = ${json.key_id}`;
    const failed = (n: number) =>
      paymentEvent({ event: "payment.invoice_payment_failed", email, id: `F-${n}-${email}` });
    expect(await outcomeOf(failed(1))).toEqual(["ignored", "Days of grace given"]);
    expect(await outcomeOf(failed(2))).toEqual(["ignored", "Failed payment recorded"]);
    await deliver(paymentEvent({ event: "payment.invoice_chargeback", email, id }));
    expect(await outcomeOf(paymentEvent({ event: "payment.chargeback_won", email, id }))).toEqual([
      "ignored",
      "Key works again",
    ]);
    const unknown = paymentEvent({ event: "payment.invoice_refunded", email: freshEmail() });
    const before = (await readPaymentDeliveryCounts(db())).today;
    expect(await outcomeOf(unknown)).toEqual(["access_revoked", "No key revoked"]);
    const { today } = await readPaymentDeliveryCounts(db());
    expect(today.access_revoked).toBe(before.access_revoked);
    expect(today.no_key_revoked).toBe((before.no_key_revoked ?? 0) + 1);
    const part = { event: "payment.invoice_refunded", email, id, status: "partially_refunded" };
    expect(await outcomeOf(paymentEvent(part))).toEqual(["access_revoked", "Refunded in part"]);
    // The filter of the list counts what the list shows.
    for (const effect of ["access_revoked", "no_key_revoked", "refunded_in_part"]) {
      const { total, deliveries } = await listDeliveries(db(), { effect, ...page });
      expect(total, effect).toBeGreaterThan(0);
      expect(deliveries.every((row) => row.effect === effect)).toBe(true);
    }
  });

  it("an unreadable delivery is listed and cannot be applied", async () => {
    await deliver('{"nearly":');
    const { deliveries } = await listDeliveries(db(), { effect: "rejected", ...page });
    expect(deliveries[0]).toMatchObject({ reason: "invalid_payload", flags: ["unreadable"], event: null });
    expect(await revealDelivery(db(), deliveries[0]!.id, admin)).toBe('{"nearly":');
    await expect(reapplyDelivery(db(), deliveries[0]!.id, admin)).rejects.toMatchObject({
      code: "invalid_payload",
    });
  });

  it("a refund whose bytes were rejected before, by an earlier release, is applied when it arrives again", async () => {
    const event = paymentEvent();
    await deliver(event);
    const refund = { ...event, event: "payment.invoice_refunded" };
    await sql`
      insert into payment_deliveries (adapter, body_digest, payload_encrypted, action, reason, flags, answer)
      values ('generic', ${deliveryBodyDigest(toBytes(refund), "generic")}, '', 'rejected', 'invalid_payload', '{unreadable}', '{}')`;
    expect((await deliver(refund)).json).toMatchObject({ action: "access_revoked", keys_revoked: 1 });
    const { deliveries } = await listDeliveries(db(), { q: String(event.data.id), ...page });
    expect(deliveries[0]).toMatchObject({ action: "access_revoked", flags: [], nReceived: 2 });
    expect((await deliver(refund)).json).toMatchObject({ action: "access_revoked", keys_revoked: 0 });
  });
});
