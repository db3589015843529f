import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { POST as operation } from "@/app/webhooks/payments/[adapter]/operation";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { env } from "@/lib/runtime/env";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { deliverAll, deliverAs } from "@/tests/support/platform-events";
import {
  FIXTURES,
  PLATFORM_ENVIRONMENT,
  PLATFORM_SECRETS,
  PLATFORMS,
  type Platform,
  platformBytes,
  platformSignature,
  type Sale,
} from "@/tests/support/platform-fixtures";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, ...PLATFORM_ENVIRONMENT });

const DAY_MS = 86_400_000;
const FORMER = "former-secret-0123456789abcdef";
let sql: postgres.Sql;
beforeAll(async () => {
  sql = connectDirectly();
  for (const adapter of PLATFORMS)
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      values (${adapter}, 'monthly', 'basic', 30, 4)`;
});
afterAll(() => sql.end());

let drawn = 0;
function newSale(wish: Partial<Sale> = {}): Sale {
  drawn++;
  return {
    payment: String(1_000 + drawn),
    subscription: String(5_000_000 + drawn),
    first: true,
    product: "monthly",
    email: freshEmail(),
    amount: 49.9,
    paidAt: new Date(Math.floor(Date.now() / 1000) * 1000),
    ...wish,
  };
}
const renewalOf = (sale: Sale, wish: Partial<Sale> = {}): Sale =>
  newSale({ ...sale, first: false, payment: `${sale.payment}9`, ...wish });

const keysOf = (email: string) => sql`
  select k.id, k.plan_tier, k.expires_at, k.revoked_at, k.subscription_id
    from api_keys k join subscriptions s on s.id = k.subscription_id
   where s.email_normalized = ${email.toLowerCase()} order by k.id`;
const kindsTo = async (email: string) =>
  (await sql`select kind from mail_outbox where recipient = ${email} order by id`).map(({ kind }) => kind);
const invoicesOf = (subscriptionId: number) => sql`
  select invoice_id, adapter, state, effect, amount, currency, product_id, refunded_amount
    from invoices where subscription_id = ${subscriptionId} order by created_at`;
const setSecrets = (platform: Platform, secrets: readonly string[]) =>
  Object.assign(env().serviceSecrets, { [adapterOf(platform).secret]: secrets });

describe.each(PLATFORMS)("%s", (platform) => {
  const fixture = FIXTURES[platform];
  afterEach(() => setSecrets(platform, [PLATFORM_SECRETS[platform]]));

  it("a first payment creates a key for the product's period and grace", async () => {
    const sale = newSale();
    const answer = await deliverAll(platform, fixture.paid(sale));
    expect(answer.json).toMatchObject({ action: "api_key_created", plan: "basic" });
    expect(Date.parse(answer.json.expires)).toBe(sale.paidAt.getTime() + 34 * DAY_MS);
    expect(await kindsTo(sale.email)).toEqual(["key-created"]);
    const [key] = await keysOf(sale.email);
    expect(await invoicesOf(key!.subscription_id)).toMatchObject([
      {
        adapter: platform,
        state: "paid",
        effect: "created",
        amount: "49.9000",
        currency: "USD",
        product_id: "monthly",
      },
    ]);
  });

  it("a renewal is matched by the platform's subscription, not by the payer's address", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    const [before] = await keysOf(sale.email);
    const elsewhere = freshEmail();
    const renewal = renewalOf(sale, { email: elsewhere });
    const answer = await deliverAll(platform, fixture.paid(renewal));
    expect(answer.json).toMatchObject({ action: "already_provisioned", key_id: before!.id });
    const [after] = await keysOf(sale.email);
    expect(after!.expires_at.getTime() - before!.expires_at.getTime()).toBe(30 * DAY_MS);
    expect(await keysOf(elsewhere)).toEqual([]);
    expect(await kindsTo(sale.email)).toEqual(["key-created", "renewed"]);
  });

  it("a repeated delivery changes no key and queues no mail, even if its bytes differ", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    const before = await keysOf(sale.email);
    await deliverAll(platform, fixture.paid(sale));
    for (const body of fixture.paid(sale)) await deliverAs(platform, body, { nonce: "other" });
    expect(await keysOf(sale.email)).toEqual(before);
    expect(await kindsTo(sale.email)).toEqual(["key-created"]);
  });

  it("a full refund ends the invoice and revokes the key", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    const answer = await deliverAll(platform, fixture.refunded(sale, null));
    expect(answer.json).toEqual({
      ok: true,
      action: "access_revoked",
      event: "payment.invoice_refunded",
      keys_revoked: 1,
    });
    const [key] = await keysOf(sale.email);
    expect(key!.revoked_at).not.toBeNull();
    expect(await invoicesOf(key!.subscription_id)).toMatchObject([{ state: "ended" }]);
    const again = await deliverAll(platform, fixture.paid(sale));
    expect(again.json.action).toBe("ignored");
  });

  it("a second event about a refund leaves the key of a later purchase active", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    await deliverAll(platform, fixture.refunded(sale, null));
    const next = newSale({ email: sale.email });
    await deliverAll(platform, fixture.paid(next));
    for (const body of fixture.refunded(sale, null)) await deliverAs(platform, body, { nonce: "again" });
    expect((await keysOf(sale.email)).map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);
  });

  it("a partial refund leaves access and is flagged", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    const answer = await deliverAll(platform, fixture.refunded(sale, 10));
    expect(answer.json).toMatchObject({ action: "access_revoked", keys_revoked: 0 });
    const [key] = await keysOf(sale.email);
    expect(key!.revoked_at).toBeNull();
    const [invoice] = await invoicesOf(key!.subscription_id);
    expect(invoice).toMatchObject({ state: "paid" });
    // Gumroad does not send the amount.
    expect(invoice!.refunded_amount).toBe(platform === "gumroad" ? null : "10.0000");
    const [row] = await sql`
      select flags from payment_deliveries where invoice_id = ${invoice!.invoice_id} order by id desc limit 1`;
    expect(row!.flags).toEqual(["partial_refund"]);
  });

  if (fixture.failed(newSale()) !== null)
    it("a failed payment gives the product's grace and sends one mail", async () => {
      const sale = newSale();
      await deliverAll(platform, fixture.paid(sale));
      const [key] = await keysOf(sale.email);
      await sql`update api_keys set expires_at = now() + interval '1 hour' where id = ${key!.id}`;
      const answer = await deliverAll(platform, fixture.failed(renewalOf(sale)) ?? []);
      expect(answer.json).toMatchObject({ action: "ignored", reason: "unknown_event" });
      const [after] = await keysOf(sale.email);
      expect((after!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(4, 1);
      expect(await kindsTo(sale.email)).toEqual(["key-created", "payment-failed"]);
    });

  if (fixture.chargeback(newSale()) !== null)
    it("a chargeback revokes the key, and a won one reactivates the same key", async () => {
      const sale = newSale();
      await deliverAll(platform, fixture.paid(sale));
      const answer = await deliverAll(platform, fixture.chargeback(sale) ?? []);
      expect(answer.json).toMatchObject({ event: "payment.invoice_chargeback", keys_revoked: 1 });
      const [lost] = await keysOf(sale.email);
      expect(lost!.revoked_at).not.toBeNull();
      await deliverAll(platform, fixture.chargebackWon(sale) ?? []);
      const [key, ...others] = await keysOf(sale.email);
      expect([key!.id, key!.revoked_at, others]).toEqual([lost!.id, null, []]);
      const [invoice] = await invoicesOf(key!.subscription_id);
      expect(invoice!.state).toBe("paid");
      const [won] = await sql`
        select flags, action from payment_deliveries
         where adapter = ${platform} and invoice_id = ${invoice!.invoice_id} order by id desc limit 1`;
      expect(won).toEqual({ flags: [], action: "key_reinstated" });
    });

  it("an event of an unknown kind is ignored with 200 and leaves the buyer's keys unchanged", async () => {
    const sale = newSale();
    await deliverAll(platform, fixture.paid(sale));
    const before = await keysOf(sale.email);
    const { json, status } = await deliverAs(platform, fixture.other(sale));
    expect([status, json.action, json.reason]).toEqual([200, "ignored", "unknown_event"]);
    expect(await keysOf(sale.email)).toEqual(before);
  });

  it("an unmapped product whose name contains no plan buys basic and is flagged", async () => {
    const sale = newSale({ product: "nobody-mapped-this" });
    const answer = await deliverAll(platform, fixture.paid(sale));
    expect(answer.json).toMatchObject({ action: "api_key_created", plan: "basic" });
    const [row] = await sql`
      select flags from payment_deliveries where adapter = ${platform} and action = 'api_key_created'
       order by id desc limit 1`;
    expect(row!.flags).toEqual(["unmapped_product", "unknown_plan"]);
  });

  it("the previous secret works only while it is configured", async () => {
    const sale = newSale();
    const [body] = fixture.paid(sale);
    expect((await deliverAs(platform, body!, { secret: FORMER })).status).toBe(403);
    setSecrets(platform, [PLATFORM_SECRETS[platform], FORMER]);
    expect((await deliverAs(platform, body!, { secret: FORMER })).status).toBe(200);
    expect((await deliverAs(platform, body!)).status).toBe(200);
  });

  it("without a configured secret, a signed payment gets 403 and is not stored", async () => {
    setSecrets(platform, []);
    const sale = newSale();
    const count = async () => (await sql`select count(*)::int as n from payment_deliveries`)[0]!.n;
    const before = await count();
    for (const body of fixture.paid(sale)) {
      const answer = await deliverAs(platform, body);
      expect([answer.status, answer.json.detail]).toEqual([
        403,
        "The signature of this delivery is invalid.",
      ]);
    }
    expect(await count()).toBe(before);
    expect(await keysOf(sale.email)).toEqual([]);
  });

  it("the administrator's test delivery has a valid signature and is ignored, and a changed one is 403", async () => {
    const { body, headers, query } = adapterOf(platform).writeTest(PLATFORM_SECRETS[platform], new Date());
    const send = (suffix: string) =>
      call("POST", `/webhooks/payments/${platform}${query === "" ? "" : `?${query}${suffix}`}`, {
        body: suffix === "" ? body : `${body} `,
        headers: { "Content-Type": "application/json", ...headers },
      });
    const answer = await send("");
    expect(answer.json).toEqual({
      ok: true,
      action: "ignored",
      event: "operator.test",
      reason: "unknown_event",
    });
    expect((await send("x")).status).toBe(403);
  });

  it("the documentation names this platform", () => {
    expect(readFileSync("docs/site/webhooks.md", "utf8")).toContain(adapterOf(platform).title);
    expect(operation.description).toContain(`\`${platform}\``);
  });

  it("a signed but invalid payload is 400 and stored", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    // Standard Webhooks signs text, so other bytes have no signature.
    const isText = platform === "whop";
    const sent = isText ? Buffer.from("not json") : bytes;
    const { headers, query } = platformSignature(platform, sent);
    const answer = await call("POST", `/webhooks/payments/${platform}${query}`, { body: sent, headers });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_payload"]);
    const rows =
      await sql`select action, reason from payment_deliveries where adapter = ${platform} and action = 'rejected'`;
    expect(rows).toEqual([{ action: "rejected", reason: "invalid_payload" }]);
  });

  const signs = platform !== "gumroad";
  if (signs)
    it("a delivery whose first, middle or last byte was changed, or without a signature, gets 403", async () => {
      const sale = newSale();
      const bytes = platformBytes(platform, fixture.paid(sale)[0]!);
      const { headers, query } = platformSignature(platform, bytes);
      for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const answer = await call("POST", `/webhooks/payments/${platform}${query}`, {
          body: changed,
          headers,
        });
        expect(answer.status).toBe(403);
      }
      const missing = await call("POST", `/webhooks/payments/${platform}`, { body: bytes });
      expect(missing.status).toBe(403);
      expect(await keysOf(sale.email)).toEqual([]);
    });

  if (signs && platform !== "lemonsqueezy")
    it("a signature that is six minutes old or six minutes ahead is 403", async () => {
      const [body] = fixture.paid(newSale());
      for (const minutes of [-6, 6]) {
        const at = new Date(Date.now() + minutes * 60_000);
        expect((await deliverAs(platform, body!, { at })).status).toBe(403);
      }
      expect((await deliverAs(platform, body!, { at: new Date(Date.now() - 4 * 60_000) })).status).toBe(200);
    });
});

describe("platform details", () => {
  it("stripe: a signature header with a wrong and a right v1 is accepted; one without v1, with two times or empty gets 403", async () => {
    const bytes = platformBytes("stripe", FIXTURES.stripe.paid(newSale())[0]!);
    const { headers } = platformSignature("stripe", bytes);
    const good = headers["Stripe-Signature"]!;
    const send = async (signature: string) =>
      (
        await call("POST", "/webhooks/payments/stripe", {
          body: bytes,
          headers: { ...headers, "Stripe-Signature": signature },
        })
      ).status;
    expect(await send(good.replace("v1=", "v1=00,v1="))).toBe(200);
    expect(await send(good.replace("v1=", "v2="))).toBe(403);
    expect(await send(good.replace("t=", "t=1,t="))).toBe(403);
    expect(await send("t=,v1=")).toBe(403);
  });

  it("stripe: a refund ends the access of a single purchase by payment link", async () => {
    const email = freshEmail();
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      values ('stripe', 'plink_1', 'pro', 365, 0)`;
    const session = {
      id: "cs_1",
      mode: "payment",
      payment_status: "paid",
      payment_intent: "pi_single",
      payment_link: "plink_1",
      amount_total: 5000,
      currency: "jpy",
      created: Math.floor(Date.now() / 1000),
      customer_details: { email, name: "Ada" },
    };
    const paid = await deliverAs("stripe", { type: "checkout.session.completed", data: { object: session } });
    expect(paid.json).toMatchObject({ action: "api_key_created", plan: "pro" });
    const [invoice] = await sql`select amount, currency from invoices where invoice_id = 'stripe:pi_single'`;
    expect(invoice).toEqual({ amount: "5000.0000", currency: "JPY" });
    const refund = {
      id: "ch_single",
      payment_intent: "pi_single",
      refunded: true,
      amount: 5000,
      currency: "jpy",
    };
    const ended = await deliverAs("stripe", { type: "charge.refunded", data: { object: refund } });
    expect(ended.json.keys_revoked).toBe(1);
  });

  it("stripe: an invoice in the format before API version 2025-03-31 creates a key, and its dispute revokes it", async () => {
    const email = freshEmail();
    const object = {
      id: "in_old",
      subscription: "sub_old",
      billing_reason: "subscription_cycle",
      payment_intent: "pi_old",
      charge: "ch_old",
      customer_email: email,
      amount_paid: 4990,
      currency: "usd",
      created: Math.floor(Date.now() / 1000),
      lines: { data: [{ amount: 4990, price: { id: "monthly", product: "prod_old" } }] },
    };
    const paid = await deliverAs("stripe", { type: "invoice.paid", data: { object } });
    expect(paid.json.action).toBe("api_key_created");
    const dispute = { id: "dp_old", charge: "ch_old", payment_intent: null, status: "needs_response" };
    const ended = await deliverAs("stripe", { type: "charge.dispute.created", data: { object: dispute } });
    expect(ended.json.keys_revoked).toBe(1);
  });

  it("stripe: a refund revokes the key even if the event that links invoice and payment arrived before the invoice", async () => {
    const sale = newSale();
    const bodies = FIXTURES.stripe.paid(sale);
    await deliverAll("stripe", bodies.toReversed());
    const answer = await deliverAll("stripe", FIXTURES.stripe.refunded(sale, null));
    expect(answer.json.keys_revoked).toBe(1);
  });

  it("stripe: the cost of a plan change buys no period and is flagged for review", async () => {
    const sale = newSale();
    await deliverAll("stripe", FIXTURES.stripe.paid(sale));
    const before = await keysOf(sale.email);
    const [body] = FIXTURES.stripe.paid(renewalOf(sale));
    const object = {
      ...(body as { data: { object: object } }).data.object,
      billing_reason: "subscription_update",
    };
    const answer = await deliverAs("stripe", { type: "invoice.paid", data: { object } });
    expect(answer.json.action).toBe("ignored");
    expect(await keysOf(sale.email)).toEqual(before);
    const [row] =
      await sql`select flags from payment_deliveries where adapter = 'stripe' order by id desc limit 1`;
    expect(row!.flags).toEqual(["part_of_a_period"]);
  });

  it("paddle: a payment before its customer is 409, and applied when resent", async () => {
    const sale = newSale();
    const [customer, payment] = FIXTURES.paddle.paid(sale);
    const early = await deliverAs("paddle", payment!);
    expect([early.status, early.json.code]).toEqual([409, "conflict"]);
    expect((await deliverAs("paddle", customer!)).json.action).toBe("ignored");
    expect((await deliverAs("paddle", payment!)).json.action).toBe("api_key_created");
    const [known] = await sql`
      select buyer_encrypted from platform_customers where external_id = ${`ctm_${sale.email}`}`;
    expect(known!.buyer_encrypted).not.toContain(sale.email);
  });

  it("a refund of an unknown payment is flagged", async () => {
    await deliverAll("paddle", FIXTURES.paddle.refunded(newSale(), null));
    const [row] =
      await sql`select flags from payment_deliveries where adapter = 'paddle' order by id desc limit 1`;
    expect(row!.flags).toEqual(["unknown_invoice"]);
  });

  it("whop: an inquiry and a pending refund are ignored, and the key stays active", async () => {
    const sale = newSale();
    await deliverAll("whop", FIXTURES.whop.paid(sale));
    const [dispute] = FIXTURES.whop.chargeback(sale) ?? [];
    const [refund] = FIXTURES.whop.refunded(sale, null);
    const change = (body: object, wish: object) => ({
      ...body,
      data: { ...(body as { data: object }).data, ...wish },
    });
    expect((await deliverAs("whop", change(dispute!, { inquiry: true }))).json.action).toBe("ignored");
    expect((await deliverAs("whop", change(refund!, { status: "pending" }))).json.action).toBe("ignored");
    expect((await keysOf(sale.email))[0]!.revoked_at).toBeNull();
  });

  it("/webhooks/payments/generic answers like /webhooks/payment, and an unknown platform is 404", async () => {
    const email = freshEmail();
    const event = paymentEvent({ email });
    const answer = await deliver(event, { path: "/webhooks/payments/generic" });
    expect(answer.json.action).toBe("api_key_created");
    expect((await deliver(event)).json.action).toBe("already_provisioned");
    expect((await deliver(event, { path: "/webhooks/payments/paypal" })).status).toBe(404);
  });

  it("an oversized body is 413, and a compressed one 415", async () => {
    const path = "/webhooks/payments/lemonsqueezy";
    const large = Buffer.alloc(65 * 1024, 0x20);
    expect((await call("POST", path, { body: large })).status).toBe(413);
    const { headers } = platformSignature("lemonsqueezy", Buffer.from("{}"));
    const packed = { ...headers, "Content-Encoding": "gzip" };
    expect((await call("POST", path, { body: Buffer.from("{}"), headers: packed })).status).toBe(415);
  });

  it("the secret of one platform is refused for another", async () => {
    const [body] = FIXTURES.lemonsqueezy.paid(newSale());
    const answer = await deliverAs("lemonsqueezy", body!, { secret: WEBHOOK_SECRET });
    expect(answer.status).toBe(403);
    const bytes = platformBytes("lemonsqueezy", body!);
    const { headers } = platformSignature("lemonsqueezy", bytes);
    expect((await call("POST", "/webhooks/payments/generic", { body: bytes, headers })).status).toBe(403);
  });
});
