import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliveryOutcomeLabel } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { writeSetting } from "@/db/queries/settings";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { findDeliverySubscriber, listDeliveries, reapplyDelivery } from "@/lib/payments/inbox";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { restoreAccess } from "@/lib/payments/restore-access";
import { env } from "@/lib/runtime/env";
import { signSubscriberRef } from "@/lib/runtime/subscriber-ref";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { permutations } from "@/tests/support/permutations";
import { deliverAs } from "@/tests/support/platform-events";
import {
  type DeliveryBody,
  PLATFORM_ENVIRONMENT,
  PLATFORM_SECRETS,
  type Platform,
  platformBytes,
} from "@/tests/support/platform-fixtures";

// Events in the format of the platforms' documentation, in both orders when two describe one purchase.

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, ...PLATFORM_ENVIRONMENT });

let sql: postgres.Sql;
beforeAll(async () => {
  sql = connectDirectly();
  for (const adapter of ["stripe", "paddle", "lemonsqueezy", "whop", "gumroad"])
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      values (${adapter}, 'monthly', 'basic', 30, 4), (${adapter}, 'better', 'pro', 30, 4)`;
});
afterAll(() => sql.end());

let drawn = 0;
const fresh = (prefix: string) => `${prefix}_${++drawn}`;
const now = () => Math.floor(Date.now() / 1000);
const read = (platform: Platform, body: DeliveryBody) =>
  adapterOf(platform).read(platformBytes(platform, body), new Date());
const keysOf = (email: string) => sql`
  select k.id, k.plan_tier, k.expires_at, k.revoked_at, k.subscription_id
    from api_keys k join subscriptions s on s.id = k.subscription_id
   where s.email_normalized = ${email.toLowerCase()} order by k.id`;
const activeOf = async (email: string) =>
  (await keysOf(email)).filter(({ revoked_at }) => revoked_at === null).length;
const lastFlags = async (platform: string) =>
  (await sql`select flags from payment_deliveries where adapter = ${platform} order by id desc limit 1`)[0]!
    .flags;

const stripe = (type: string, object: DeliveryBody, more: DeliveryBody = {}): DeliveryBody => ({
  id: fresh("evt"),
  object: "event",
  type,
  livemode: true,
  data: { object },
  ...more,
});
const stripeLine = (wish: DeliveryBody = {}): DeliveryBody => ({
  amount: 4990,
  quantity: 1,
  description: "1 × Signals",
  parent: { subscription_item_details: { proration: false } },
  period: { start: now(), end: now() + 30 * 86_400 },
  pricing: { price_details: { price: "monthly", product: "prod_any" } },
  ...wish,
});
const stripeInvoice = (email: string, wish: DeliveryBody = {}): DeliveryBody => ({
  id: fresh("in"),
  object: "invoice",
  billing_reason: "subscription_create",
  customer_email: email,
  currency: "usd",
  amount_paid: 4990,
  status_transitions: { paid_at: now() },
  parent: { subscription_details: { subscription: fresh("sub") } },
  lines: { data: [stripeLine()] },
  ...wish,
});
const stripeSession = (email: string, wish: DeliveryBody = {}): DeliveryBody => ({
  id: fresh("cs"),
  object: "checkout.session",
  mode: "payment",
  payment_status: "paid",
  payment_intent: fresh("pi"),
  payment_link: "plink",
  invoice: null,
  metadata: { product_id: "monthly" },
  amount_total: 4990,
  currency: "usd",
  created: now(),
  customer_details: { email, name: "Ada" },
  ...wish,
});

const paddle = (event_type: string, data: DeliveryBody, wish: DeliveryBody = {}): DeliveryBody => ({
  event_id: fresh("evt"),
  event_type,
  notification_id: fresh("ntf"),
  data,
  ...wish,
});
const paddleTransaction = (customer: string, wish: DeliveryBody = {}): DeliveryBody => ({
  id: fresh("txn"),
  status: "completed",
  origin: "web",
  customer_id: customer,
  subscription_id: fresh("sub"),
  currency_code: "USD",
  billed_at: new Date().toISOString(),
  billing_period: null,
  items: [{ quantity: 1, price: { id: "monthly", product_id: "pro_any", name: "Monthly" } }],
  details: { totals: { grand_total: "4990" } },
  ...wish,
});
async function paddleCustomer(email: string): Promise<string> {
  const id = fresh("ctm");
  await deliverAs("paddle", paddle("customer.created", { id, email, name: "Ada" }));
  return id;
}

const lemon = (
  event_name: string,
  id: string,
  attributes: DeliveryBody,
  meta: DeliveryBody = {},
): DeliveryBody => ({
  meta: { event_name, test_mode: false, ...meta },
  data: { id, attributes },
});
const lemonOrder = (email: string, wish: DeliveryBody = {}): DeliveryBody => ({
  user_email: email,
  user_name: "Ada",
  currency: "USD",
  status: "paid",
  subtotal: 4990,
  discount_total: 0,
  total: 4990,
  created_at: new Date().toISOString(),
  first_order_item: { product_id: 1, variant_id: "monthly", product_name: "Signals", quantity: 1 },
  ...wish,
});

const whop = (type: string, data: DeliveryBody): DeliveryBody => ({ id: fresh("msg"), type, data });
const whopPayment = (email: string, wish: DeliveryBody = {}): DeliveryBody => ({
  id: fresh("pay"),
  status: "paid",
  paid_at: new Date().toISOString(),
  billing_reason: "subscription_create",
  currency: "usd",
  total: 49.9,
  plan: { id: "monthly" },
  product: { id: "prod_any", title: "Signals" },
  user: { email, name: "Ada" },
  membership: { id: fresh("mem"), status: "active" },
  metadata: null,
  ...wish,
});

const gumroad = (email: string, wish: DeliveryBody = {}): DeliveryBody => ({
  resource_name: "sale",
  product_id: "monthly",
  product_name: "Signals",
  email,
  price: 4990,
  currency: "usd",
  quantity: 1,
  sale_id: fresh("sale"),
  sale_timestamp: new Date().toISOString(),
  subscription_id: fresh("gsub"),
  ...wish,
});

describe("trials and zero payments", () => {
  const DAY_MS = 86_400_000;
  it("stripe: a zero invoice with a period of 7 days is a trial of 7 days", () => {
    const start = now();
    const trial = stripeLine({ amount: 0, period: { start, end: start + 7 * 86_400 } });
    const body = stripe(
      "invoice.paid",
      stripeInvoice("a@b.example", { amount_paid: 0, lines: { data: [trial] } }),
    );
    const { event, isTrial, period } = read("stripe", body);
    expect([event, isTrial]).toEqual(["payment.invoice_paid", true]);
    expect(period!.until.getTime() - period!.from!.getTime()).toBe(7 * DAY_MS);
  });

  it("stripe: a purchase with a 100 % coupon is not a trial: its invoice is read as paid, its checkout session creates a key", async () => {
    const body = stripe("invoice.paid", stripeInvoice("a@b.example", { amount_paid: 0 }));
    expect(read("stripe", body)).toMatchObject({
      event: "payment.invoice_paid",
      isTrial: false,
      total: { amount: "0" },
    });
    const email = freshEmail();
    const session = stripeSession(email, {
      payment_status: "no_payment_required",
      payment_intent: null,
      amount_total: 0,
    });
    const { json } = await deliverAs("stripe", stripe("checkout.session.completed", session));
    expect(json.action).toBe("api_key_created");
  });

  it("paddle: a zero transaction for a price with a trial gets the trial's period", () => {
    const from = "2026-11-20T10:00:00Z";
    const transaction = paddleTransaction("ctm_any", {
      billing_period: { starts_at: from, ends_at: "2026-11-27T10:00:00Z" },
      items: [{ quantity: 1, price: { id: "monthly", trial_period: { interval: "day", frequency: 7 } } }],
      details: { totals: { grand_total: "0" } },
    });
    const { isTrial, period } = read("paddle", paddle("transaction.completed", transaction));
    expect(isTrial).toBe(true);
    expect(period).toEqual({ from: new Date(from), until: new Date("2026-11-27T10:00:00Z") });
  });

  const trialOf = (email: string) => {
    const [order, subscription] = [fresh("9"), fresh("8")].map((id) => id.replace("_", "")) as [
      string,
      string,
    ];
    return [
      lemon("order_created", order, lemonOrder(email, { subtotal: 0, total: 0 })),
      lemon("subscription_created", subscription, {
        order_id: order,
        status: "on_trial",
        user_email: email,
        variant_id: "monthly",
        product_id: 1,
        created_at: new Date().toISOString(),
        trial_ends_at: new Date(Date.now() + 7 * DAY_MS).toISOString(),
      }),
    ];
  };
  it.each([0, 1])(
    "lemonsqueezy: a zero order and its trial create one key, with events in order %i",
    async (turn) => {
      const email = freshEmail();
      const bodies = trialOf(email);
      for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("lemonsqueezy", body);
      expect(await keysOf(email)).toHaveLength(1);
      const waiting = await sql`
      select id from payment_deliveries where adapter = 'lemonsqueezy' and flags <> '{}' and reviewed_at is null`;
      expect(waiting).toEqual([]);
      const { isTrial, period } = read("lemonsqueezy", bodies[1]!);
      expect([isTrial, period !== null]).toEqual([true, true]);
    },
  );

  it("lemonsqueezy: a 100 % coupon buys the product, and a zero order alone is flagged", async () => {
    const email = freshEmail();
    const coupon = lemonOrder(email, { discount_total: 4990, total: 0 });
    const { json } = await deliverAs("lemonsqueezy", lemon("order_created", fresh("o"), coupon));
    expect(json.action).toBe("api_key_created");
    const free = lemonOrder(freshEmail(), { subtotal: 0, total: 0 });
    await deliverAs("lemonsqueezy", lemon("order_created", fresh("o"), free));
    expect(await lastFlags("lemonsqueezy")).toEqual(["free_order"]);
    await sql`update payment_deliveries set reviewed_at = now() where reviewed_at is null`;
  });

  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const whopTrial = (email: string) => {
    const membership = { id: fresh("mem"), status: "trialing" };
    const payment = whopPayment(email, { total: 0, membership });
    const begun = {
      ...membership,
      created_at: new Date().toISOString(),
      renewal_period_start: new Date().toISOString(),
      renewal_period_end: inDays(7),
      plan: { id: "monthly" },
      user: { email, name: "Ada" },
    };
    return [whop("payment.succeeded", payment), whop("membership.activated", begun)];
  };
  const lengthsOf = async (email: string) =>
    (
      await sql`
        select p.kind, round(p.duration_ms / 86400000.0)::int as days from paid_time p
          join subscriptions s on s.id = p.subscription_id where s.email_normalized = ${email} order by p.id`
    ).map(({ kind, days }) => `${kind} ${days}`);
  const waiting = async (platform: Platform) =>
    sql`select flags from payment_deliveries where adapter = ${platform} and flags <> '{}' and reviewed_at is null`;

  it.each([0, 1])(
    "whop: a zero payment and the membership with its trial create one key, with events in order %i",
    async (turn) => {
      const email = freshEmail();
      const bodies = whopTrial(email);
      for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("whop", body);
      expect([await lengthsOf(email), await waiting("whop")]).toEqual([["trial 7"], []]);
      expect(await keysOf(email)).toHaveLength(1);
    },
  );

  it("whop: a trial without an end gives no key and is flagged, unless the product sets the trial's days", async () => {
    const email = freshEmail();
    const [payment] = whopTrial(email);
    await deliverAs("whop", payment!);
    expect([await keysOf(email), await lastFlags("whop")]).toEqual([[], ["trial_without_end"]]);
    await sql`update products set trial_days = 5 where adapter = 'whop' and external_id = 'monthly'`;
    const again = freshEmail();
    await deliverAs("whop", whopTrial(again)[0]!);
    expect(await lengthsOf(again)).toEqual(["trial 5"]);
    await sql`update products set trial_days = null`;
    await sql`update payment_deliveries set reviewed_at = now()`;
  });

  it("gumroad: the first payment of a product with a trial is the trial, a later one a period", async () => {
    const email = freshEmail();
    const first = gumroad(email);
    await sql`update products set trial_days = 7 where adapter = 'gumroad' and external_id = 'monthly'`;
    await deliverAs("gumroad", first);
    const { sale_id: _, ...same } = first;
    await deliverAs("gumroad", { ...same, sale_id: fresh("sale"), is_recurring_charge: true });
    expect(await lengthsOf(email)).toEqual(["trial 7", "payment 30"]);
    const [trial] = await sql`select amount from invoices where invoice_id = ${`gumroad:${first.sale_id}`}`;
    expect(Number(trial!.amount)).toBe(0);
    await sql`update products set trial_days = null`;
  });

  it("another trial of the same buyer is granted and flagged", async () => {
    const email = freshEmail();
    for (const body of whopTrial(email)) await deliverAs("whop", body);
    expect(await lastFlags("whop")).toEqual([]);
    for (const body of whopTrial(email).toReversed()) await deliverAs("whop", body);
    expect((await waiting("whop")).map(({ flags }) => flags)).toEqual([["another_trial"]]);
    expect(await lengthsOf(email)).toEqual(["trial 7", "trial 7"]);
    await sql`update payment_deliveries set reviewed_at = now()`;
  });

  it("gumroad: a free membership is flagged without an offer code and granted with one", async () => {
    const email = freshEmail();
    await deliverAs("gumroad", gumroad(email, { price: 0 }));
    expect([await keysOf(email), await lastFlags("gumroad")]).toEqual([[], ["trial_without_end"]]);
    await deliverAs("gumroad", gumroad(email, { price: 0, offer_code: "FREE" }));
    expect(await lengthsOf(email)).toEqual(["payment 30"]);
    await sql`update payment_deliveries set reviewed_at = now()`;
  });

  it("gumroad: a gift bought by the giver's own renewal link goes to the receiver, with the amount paid", async () => {
    const [email, giver] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email: giver, productId: "3031361" }));
    const [before] = await keysOf(giver);
    const gift = gumroad(email, {
      price: 0,
      gift_price: 4990,
      gifter_email: giver,
      is_gift_receiver_purchase: true,
      "url_params[subscriber]": signSubscriberRef(before!.subscription_id),
    });
    await deliverAs("gumroad", gift);
    expect(await lengthsOf(email)).toEqual(["payment 30"]);
    expect((await keysOf(giver))[0]!.expires_at).toEqual(before!.expires_at);
    const [invoice] = await sql`select amount from invoices where invoice_id = ${`gumroad:${gift.sale_id}`}`;
    expect(Number(invoice!.amount)).toBe(49.9);
  });
});

describe("refunds of unknown payments", () => {
  const back: [Platform, string, (email: string) => DeliveryBody][] = [
    [
      "gumroad",
      "the gift to another",
      (email) => gumroad(email, { resource_name: "refund", refunded: true }),
    ],
    [
      "stripe",
      "another product of the seller",
      (email) =>
        stripe("charge.refunded", {
          id: fresh("ch"),
          payment_intent: fresh("pi"),
          refunded: true,
          amount: 900,
          amount_refunded: 900,
          currency: "usd",
          billing_details: { email, name: "Ada" },
        }),
    ],
    ["lemonsqueezy", "another order", (email) => lemon("order_refunded", fresh("o"), lemonOrder(email))],
    [
      "whop",
      "another membership",
      (email) =>
        whop("dispute.created", {
          id: fresh("dspt"),
          status: "needs_response",
          inquiry: false,
          payment: whopPayment(email, { membership: { id: fresh("mem") } }),
        }),
    ],
  ];
  it.each(back)(
    "%s: a refund or dispute of an unknown payment (%s) leaves the access of its address, and is flagged for review",
    async (platform, _, make) => {
      const email = freshEmail();
      await deliver(paymentEvent({ email, productId: "3031361" }));
      const { json } = await deliverAs(platform, make(email));
      expect([json.action, json.keys_revoked]).toEqual(["access_revoked", 0]);
      expect([await activeOf(email), await lastFlags(platform)]).toEqual([1, ["unknown_invoice"]]);
      await sql`update payment_deliveries set reviewed_at = now()`;
    },
  );
});

describe("two events about one purchase", () => {
  it.each([0, 1])(
    "stripe: a checkout session and its invoice are one payment, with events in order %i",
    async (turn) => {
      const email = freshEmail();
      const invoice = stripeInvoice(email, {
        billing_reason: "manual",
        parent: null,
        lines: { data: [stripeLine({ parent: null, period: { start: now(), end: now() } })] },
      });
      const session = stripeSession(email, { invoice: invoice.id });
      const bodies = [stripe("checkout.session.completed", session), stripe("invoice.paid", invoice)];
      for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("stripe", body);
      const [key] = await keysOf(email);
      const invoices =
        await sql`select invoice_id from invoices where subscription_id = ${key!.subscription_id}`;
      expect(invoices).toEqual([{ invoice_id: `stripe:${invoice.id}` }]);
    },
  );

  const purchase = (email: string, wish: { invoiced?: string; product?: string } = {}) => {
    const { invoiced = email, product = "monthly" } = wish;
    const pi = fresh("pi");
    const invoice = stripeInvoice(invoiced, {
      billing_reason: "manual",
      parent: null,
      lines: {
        data: [
          stripeLine({
            parent: null,
            period: { start: now(), end: now() },
            pricing: { price_details: { price: product, product: "prod_any" } },
          }),
        ],
      },
    });
    const link = { id: fresh("inpay"), invoice: invoice.id, payment: { payment_intent: pi } };
    return [
      stripe("checkout.session.completed", stripeSession(email, { payment_intent: pi, invoice: null })),
      stripe("invoice.paid", invoice),
      stripe("invoice_payment.paid", link),
    ];
  };
  const paidDays = async (email: string) =>
    (
      await sql`
        select round(extract(epoch from k.expires_at - now()) / 86400)::int as days from api_keys k
          join subscriptions s on s.id = k.subscription_id
         where s.email_normalized = ${email} and k.revoked_at is null`
    ).map(({ days }) => days);

  it.each(permutations([0, 1, 2]))(
    "stripe: a session that does not name its invoice yet and that invoice are one payment, with events in order %i, %i, %i",
    async (...order) => {
      const email = freshEmail();
      const bodies = purchase(email);
      for (const i of order) await deliverAs("stripe", bodies[i]!);
      for (const i of order) await deliverAs("stripe", { ...bodies[i]!, id: fresh("evt") });
      expect(await paidDays(email)).toEqual([34]);
      const invoices = await sql`
        select i.effect from invoices i join subscriptions s on s.id = i.subscription_id
         where s.email_normalized = ${email}`;
      expect(invoices).toEqual([{ effect: "created" }]);
      const flagged = await sql`
        select flags from payment_deliveries where adapter = 'stripe' and flags <> '{}' and reviewed_at is null`;
      expect(flagged).toEqual([]);
    },
  );

  it.each(permutations([0, 1, 2]))(
    "stripe: a session and an invoice of another address or product are one payment, with events in order %i, %i, %i",
    async (...order) => {
      const [email, other] = [freshEmail(), freshEmail()];
      const bodies = purchase(email, { invoiced: other });
      for (const i of order) await deliverAs("stripe", bodies[i]!);
      expect([...(await paidDays(email)), ...(await paidDays(other))]).toEqual([34]);
      const unknown = freshEmail();
      const apart = purchase(unknown, { product: "price_any" });
      for (const i of order) await deliverAs("stripe", apart[i]!);
      const flagged = await sql`
        select flags from payment_deliveries where adapter = 'stripe' and flags <> '{}' and reviewed_at is null`;
      expect(flagged).toEqual([]);
      expect(await paidDays(unknown)).toEqual([34]);
    },
  );

  it("stripe: invoice.payment_succeeded and invoice.paid of one invoice send one mail", async () => {
    const email = freshEmail();
    const invoice = stripeInvoice(email);
    await deliverAs("stripe", stripe("invoice.payment_succeeded", invoice));
    await deliverAs("stripe", stripe("invoice.paid", invoice));
    expect(await sql`select 1 from mail_outbox where recipient = ${email}`).toHaveLength(1);
  });
});

describe("a refund leaves no access in any order of arrival", () => {
  const stripeRefund = (pi: string) =>
    stripe("charge.refunded", {
      id: `ch_${pi}`,
      payment_intent: pi,
      refunded: true,
      amount: 4990,
      amount_refunded: 4990,
      currency: "usd",
    });
  const cases: [string, Platform, (email: string) => DeliveryBody[]][] = [
    [
      "a refund named by payment_intent and a checkout session",
      "stripe",
      (email) => {
        const session = stripeSession(email);
        return [stripe("checkout.session.completed", session), stripeRefund(String(session.payment_intent))];
      },
    ],
    [
      "a refund and an invoice that names its payments",
      "stripe",
      (email) => {
        const pi = fresh("pi");
        const invoice = stripeInvoice(email, { payments: { data: [{ payment: { payment_intent: pi } }] } });
        return [stripe("invoice.paid", invoice), stripeRefund(pi)];
      },
    ],
    [
      "a refund, an invoice and what links the two",
      "stripe",
      (email) => {
        const pi = fresh("pi");
        const invoice = stripeInvoice(email);
        const link = { id: fresh("inpay"), invoice: invoice.id, payment: { payment_intent: pi } };
        return [stripe("invoice.paid", invoice), stripe("invoice_payment.paid", link), stripeRefund(pi)];
      },
    ],
    [
      "a chargeback, an invoice and what links the two",
      "stripe",
      (email) => {
        const pi = fresh("pi");
        const invoice = stripeInvoice(email);
        const link = { id: fresh("inpay"), invoice: invoice.id, payment: { payment_intent: pi } };
        const dispute = {
          id: fresh("dp"),
          charge: fresh("ch"),
          payment_intent: pi,
          status: "needs_response",
        };
        return [
          stripe("invoice.paid", invoice),
          stripe("invoice_payment.paid", link),
          stripe("charge.dispute.created", dispute),
        ];
      },
    ],
    [
      "the refund of a subscription's first payment, its order and what links the two",
      "lemonsqueezy",
      (email) => {
        const [order, subscription] = [fresh("o"), fresh("s")];
        return [
          lemon("order_created", order, lemonOrder(email)),
          lemon("subscription_created", subscription, {
            order_id: order,
            status: "active",
            user_email: email,
          }),
          lemon("subscription_payment_refunded", fresh("i"), {
            subscription_id: subscription,
            billing_reason: "initial",
            user_email: email,
            currency: "USD",
            total: 4990,
            status: "refunded",
          }),
        ];
      },
    ],
    [
      "an adjustment and a transaction",
      "paddle",
      (email) => {
        const id = fresh("txn");
        const customer = `ctm_${email}`;
        return [
          paddle("customer.created", { id: customer, email, name: "Ada" }),
          paddle("transaction.completed", paddleTransaction(customer, { id })),
          paddle("adjustment.created", {
            action: "refund",
            type: "full",
            status: "approved",
            transaction_id: id,
          }),
        ];
      },
    ],
    [
      "a refund and a payment",
      "whop",
      (email) => {
        const payment = whopPayment(email);
        return [
          whop("payment.succeeded", payment),
          whop("refund.created", { id: fresh("rf"), status: "succeeded", amount: 49.9, payment }),
        ];
      },
    ],
    [
      "a dispute and a sale",
      "gumroad",
      (email) => {
        const sale = gumroad(email);
        return [sale, { ...sale, resource_name: "dispute", disputed: true }];
      },
    ],
  ];
  it.each(cases)("%s, in every order of arrival, leave no active key (%s)", async (_, platform, make) => {
    const n = make("a@b.example").length;
    for (const order of permutations(Array.from({ length: n }, (_, i) => i))) {
      const email = freshEmail();
      const bodies = make(email);
      for (const i of order) {
        const answer = await deliverAs(platform, bodies[i]!);
        expect(answer.status).toBeLessThan(500);
      }
      // A payment whose customer is not known yet is repeated.
      for (const body of bodies) await deliverAs(platform, body);
      expect([order, await activeOf(email)]).toEqual([order, 0]);
    }
  });

  it("stripe: a refund and an invoice that arrive concurrently leave no active key", async () => {
    for (let n = 0; n < 5; n++) {
      const email = freshEmail();
      const bodies = cases[2]![2](email);
      await Promise.all(bodies.map((body) => deliverAs("stripe", body)));
      expect(await activeOf(email)).toBe(0);
    }
  });
});

describe("stripe: events of a connected account", () => {
  const deliverPatiently = (body: DeliveryBody) =>
    receiveDelivery(
      db(),
      adapterOf("stripe"),
      platformBytes("stripe", body),
      { kind: "webhook", requestId: "connect" },
      60_000,
    );

  it("stripe: events of a connected account do not change the seller's own objects with equal ids, and are flagged", async () => {
    const email = freshEmail();
    const account = fresh("acct");
    const pi = fresh("pi");
    const invoice = stripeInvoice(email, { payments: { data: [{ payment: { payment_intent: pi } }] } });
    await deliverPatiently(stripe("invoice.paid", invoice));
    const before = await keysOf(email);
    const refund = {
      id: fresh("ch"),
      payment_intent: pi,
      refunded: true,
      amount: 4990,
      amount_refunded: 4990,
    };
    await deliverPatiently(stripe("charge.refunded", refund, { account }));
    expect(await lastFlags("stripe")).toEqual(["unknown_invoice"]);
    await deliverPatiently(stripe("invoice.payment_failed", invoice, { account }));
    const other = stripeInvoice(email, { id: invoice.id, amount_paid: 100 });
    await deliverPatiently(stripe("invoice.paid", other, { account }));
    expect(await lastFlags("stripe")).toEqual(["connected_account"]);
    expect(await keysOf(email)).toEqual(before);
  });

  it("stripe: a payment of a connected account gives access for a product mapped to the account, and its chargeback ends it", async () => {
    const email = freshEmail();
    const account = fresh("acct");
    await sql`insert into products (adapter, external_id, plan_tier, period_days, grace_days)
              values ('stripe', ${`${account}/monthly`}, 'basic', 30, 4)`;
    const pi = fresh("pi");
    const invoice = stripeInvoice(email, { payments: { data: [{ payment: { payment_intent: pi } }] } });
    await deliverPatiently(stripe("invoice.paid", invoice, { account }));
    expect(await activeOf(email)).toBe(1);
    expect(await lastFlags("stripe")).toEqual([]);
    const dispute = { id: fresh("dp"), payment_intent: pi, charge: fresh("ch"), status: "needs_response" };
    await deliverPatiently(stripe("charge.dispute.created", dispute));
    expect(await activeOf(email)).toBe(1);
    await deliverPatiently(stripe("charge.dispute.created", dispute, { account }));
    expect(await activeOf(email)).toBe(0);
    await deliverPatiently(stripe("charge.dispute.closed", { ...dispute, status: "won" }, { account }));
    expect(await activeOf(email)).toBe(1);
  });
});

describe("charges within a period", () => {
  it("stripe: a charge within a period buys a further period for a mapped product and is flagged otherwise", async () => {
    const email = freshEmail();
    await deliverAs("stripe", stripe("invoice.paid", stripeInvoice(email)));
    const [before] = await keysOf(email);
    const charge = (price: string) =>
      stripe(
        "invoice.paid",
        stripeInvoice(email, {
          billing_reason: "manual",
          amount_paid: 100,
          lines: {
            data: [stripeLine({ amount: 100, pricing: { price_details: { price, product: "prod_x" } } })],
          },
        }),
      );
    await deliverAs("stripe", charge("price_of_something_else"));
    expect(await lastFlags("stripe")).toEqual(["part_of_a_period"]);
    expect((await keysOf(email))[0]).toEqual(before);
    await deliverAs("stripe", charge("monthly"));
    expect((await keysOf(email))[0]!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime());
  });

  it.each(["subscription_threshold", "manual", "upcoming"])(
    "stripe: an invoice with billing_reason %s is read as a charge within a period",
    (billing_reason) => {
      expect(
        read("stripe", stripe("invoice.paid", stripeInvoice("a@b.example", { billing_reason }))).means,
      ).toBe("charge");
    },
  );

  it("a subscription_charge of paddle and a manual payment of whop are read as charges within a period", () => {
    const transaction = paddleTransaction("ctm", { origin: "subscription_charge" });
    expect(read("paddle", paddle("transaction.completed", transaction)).means).toBe("charge");
    const payment = whopPayment("a@b.example", { billing_reason: "manual" });
    expect(read("whop", whop("payment.succeeded", payment)).means).toBe("charge");
  });
});

describe("changes of plan", () => {
  const changed = (platform: Platform, body: DeliveryBody) => {
    const { means, externalSubscriptionId, firstItem } = read(platform, body);
    return [means, externalSubscriptionId, firstItem.productIds[0]];
  };
  it("events of a changed plan are parsed with the subscription and its new product", () => {
    const subscription = {
      id: "sub_1",
      items: { data: [{ quantity: 1, price: { id: "better", product: "p" } }] },
    };
    const updated = stripe("customer.subscription.updated", subscription);
    const before = { data: { object: subscription, previous_attributes: { items: { data: [] } } } };
    expect(changed("stripe", { ...updated, ...before })).toEqual(["plan_changed", "sub_1", "better"]);
    expect(read("stripe", updated).means).toBeNull();
    const proration = { parent: { subscription_item_details: { proration: true } } };
    const invoice = stripeInvoice("a@b.example", {
      billing_reason: "subscription_update",
      parent: { subscription_details: { subscription: "sub_1" } },
      lines: {
        data: [
          stripeLine({ ...proration, amount: -2000 }),
          stripeLine({
            ...proration,
            amount: 4000,
            pricing: { price_details: { price: "better", product: "p" } },
          }),
        ],
      },
    });
    expect(changed("stripe", stripe("invoice.paid", invoice))).toEqual(["plan_changed", "sub_1", "better"]);
    const items = [{ quantity: 1, recurring: true, price: { id: "better", product_id: "p" } }];
    expect(
      changed("paddle", paddle("subscription.updated", { id: "sub_2", status: "active", items })),
    ).toEqual(["plan_changed", "sub_2", "better"]);
    const attributes = { status: "active", variant_id: "better", product_id: 1, user_email: "a@b.example" };
    expect(changed("lemonsqueezy", lemon("subscription_updated", "3", attributes))).toEqual([
      "plan_changed",
      "subscription:3",
      "better",
    ]);
    const payment = whopPayment("a@b.example", {
      billing_reason: "subscription_update",
      plan: { id: "better" },
      membership: { id: "mem_4", status: "active" },
    });
    expect(changed("whop", whop("payment.succeeded", payment))).toEqual(["plan_changed", "mem_4", "better"]);
    const form = {
      resource_name: "subscription_updated",
      subscription_id: "5",
      "new_plan[tier][id]": "better",
    };
    expect(changed("gumroad", form)).toEqual(["plan_changed", "5", "better"]);
  });

  const upgrade = (email: string) => {
    const [subscription, pi, paidBy] = [fresh("sub"), fresh("pi"), fresh("pi")];
    const parent = { subscription_details: { subscription } };
    const item = { quantity: 1, price: { id: "better", product: "p" } };
    const object = { id: subscription, items: { data: [item] } };
    const proration = { parent: { subscription_item_details: { proration: true } } };
    const lines = {
      data: [
        stripeLine({ ...proration, amount: -2000 }),
        stripeLine({
          ...proration,
          amount: 4000,
          pricing: { price_details: { price: "better", product: "p" } },
        }),
      ],
    };
    const refund = (payment_intent: string, amount: number) =>
      stripe("charge.refunded", {
        id: fresh("ch"),
        payment_intent,
        refunded: true,
        amount,
        amount_refunded: amount,
        currency: "usd",
      });
    const payments = (payment_intent: string) => ({ data: [{ payment: { payment_intent } }] });
    return {
      bought: stripe("invoice.paid", stripeInvoice(email, { parent, payments: payments(paidBy) })),
      told: stripe("customer.subscription.updated", object, {
        data: { object, previous_attributes: { items: { data: [] } } },
      }),
      charged: stripe(
        "invoice.paid",
        stripeInvoice(email, {
          billing_reason: "subscription_update",
          amount_paid: 2000,
          parent,
          lines,
          payments: payments(pi),
        }),
      ),
      chargeRefunded: refund(pi, 2000),
      purchaseRefunded: refund(paidBy, 4990),
    };
  };
  const ledgerOf = async (email: string) =>
    (
      await sql`
        select p.kind, p.plan_tier, p.ended_at is not null as is_ended from paid_time p
          join subscriptions s on s.id = p.subscription_id where s.email_normalized = ${email} order by p.id`
    ).map((row) => `${row.kind} ${row.plan_tier}${row.is_ended ? " ended" : ""}`);

  it.each([0, 1])(
    "stripe: an upgrade with a refunded charge is reversed, events in order %i",
    async (turn) => {
      const email = freshEmail();
      const { bought, told, charged, chargeRefunded } = upgrade(email);
      await deliverAs("stripe", bought);
      const [before] = await keysOf(email);
      for (const body of turn === 0 ? [told, charged] : [charged, told]) await deliverAs("stripe", body);
      expect(await ledgerOf(email)).toEqual(["payment basic ended", "change pro"]);
      const { json } = await deliverAs("stripe", chargeRefunded);
      expect([json.keys_revoked, await lastFlags("stripe")]).toEqual([0, []]);
      await deliverAs("stripe", { ...chargeRefunded, id: fresh("evt") });
      expect(await ledgerOf(email)).toEqual(["payment basic ended", "change pro ended", "change basic"]);
      const [after] = await keysOf(email);
      expect(after).toMatchObject({ id: before!.id, plan_tier: "basic", revoked_at: null });
      expect(Math.abs(after!.expires_at.getTime() - before!.expires_at.getTime())).toBeLessThan(5_000);
    },
  );

  it.each([0, 1])("stripe: the inbox names the plans of an upgrade, events in order %i", async (turn) => {
    const email = freshEmail();
    const { bought, told } = upgrade(email);
    for (const body of turn === 0 ? [bought, told] : [told, bought]) await deliverAs("stripe", body);
    const { deliveries } = await listDeliveries(db(), { effect: "plan_changed", limit: 1, offset: 0 });
    expect(deliveries.map(deliveryOutcomeLabel)).toEqual(["Plan changed: from Basic to Pro"]);
    expect(deliveries[0]!.invoiceId).toMatch(/^stripe:sub_/);
  });

  const paddleUpgrade = async (email: string) => {
    const customer = await paddleCustomer(email);
    const subscription_id = fresh("sub");
    const better = { id: "better", product_id: "p" };
    const charge = paddleTransaction(customer, {
      subscription_id,
      origin: "subscription_update",
      details: { totals: { grand_total: "2000" } },
      items: [
        { quantity: -1, price: { id: "monthly", product_id: "p" }, proration: { rate: "0.5" } },
        { quantity: 1, price: better, proration: { rate: "0.5" } },
      ],
    });
    return {
      charge,
      bought: paddle("transaction.completed", paddleTransaction(customer, { subscription_id })),
      told: paddle("subscription.updated", {
        id: subscription_id,
        status: "active",
        customer_id: customer,
        items: [{ quantity: 1, recurring: true, price: better }],
      }),
      charged: paddle("transaction.completed", charge),
      chargeRefunded: paddle("adjustment.updated", {
        id: fresh("adj"),
        action: "refund",
        type: "full",
        status: "approved",
        transaction_id: charge.id,
        customer_id: customer,
        currency_code: "USD",
        totals: { total: "2000" },
      }),
    };
  };

  it.each([0, 1])(
    "paddle: an upgrade with a refunded charge is reversed, events in order %i",
    async (turn) => {
      const email = freshEmail();
      const { bought, told, charged, chargeRefunded } = await paddleUpgrade(email);
      await deliverAs("paddle", bought);
      const [before] = await keysOf(email);
      for (const body of turn === 0 ? [told, charged] : [charged, told]) {
        await deliverAs("paddle", body);
        expect(await lastFlags("paddle")).toEqual([]);
      }
      expect(await ledgerOf(email)).toEqual(["payment basic ended", "change pro"]);
      const { json } = await deliverAs("paddle", chargeRefunded);
      expect([json.keys_revoked, await lastFlags("paddle")]).toEqual([0, []]);
      expect(await ledgerOf(email)).toEqual(["payment basic ended", "change pro ended", "change basic"]);
      const [after] = await keysOf(email);
      expect(after).toMatchObject({ id: before!.id, plan_tier: "basic", revoked_at: null });
      expect(Math.abs(after!.expires_at.getTime() - before!.expires_at.getTime())).toBeLessThan(5_000);
    },
  );

  it.each(
    (["stripe", "paddle"] as const).flatMap((platform) =>
      permutations([0, 1, 2]).map((order) => ({ platform, order })),
    ),
  )(
    "$platform: an upgrade whose charge is refunded has no effect, with events in order $order",
    async ({ platform, order }) => {
      const email = freshEmail();
      const {
        bought,
        told,
        charged,
        chargeRefunded: taken,
      } = platform === "stripe" ? upgrade(email) : await paddleUpgrade(email);
      await deliverAs(platform, bought);
      const [before] = await keysOf(email);
      const since = await sql`select coalesce(max(id), 0)::int as id from payment_deliveries`;
      // The platform keeps naming the new plan, and repeats its events with other bytes.
      const bodies = [...order.map((i) => [told, charged, taken][i]!), told, charged, taken, told];
      for (const body of bodies) await deliverAs(platform, body, { nonce: fresh("again") });
      const [after] = await keysOf(email);
      expect(after).toMatchObject({ id: before!.id, plan_tier: "basic", revoked_at: null });
      expect(Math.abs(after!.expires_at.getTime() - before!.expires_at.getTime())).toBeLessThan(15_000);
      const waiting = await sql`
        select flags from payment_deliveries where id > ${since[0]!.id} and flags <> '{}' and reviewed_at is null`;
      expect(waiting).toEqual([]);
    },
  );

  const gumroadUpgrade = (email: string, wish: DeliveryBody = {}) => {
    const at = Date.now();
    const subscription_id = fresh("gsub");
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      bought: gumroad(email, { subscription_id, sale_timestamp: iso(at - 20 * 86_400_000) }),
      told: {
        resource_name: "subscription_updated",
        subscription_id,
        type: "upgrade",
        effective_as_of: iso(at - 4_000),
        "old_plan[tier][id]": "monthly",
        "new_plan[tier][id]": "better",
        "new_plan[quantity]": 1,
        ...wish,
      },
      charged: gumroad(email, {
        subscription_id,
        product_id: "better",
        is_recurring_charge: true,
        sale_timestamp: iso(at - 2_000),
      }),
    };
  };

  it.each([0, 1])(
    "gumroad: an upgrade starts a period of the new plan and drops the old one's remaining days, with events in order %i",
    async (turn) => {
      const email = freshEmail();
      const { bought, told, charged } = gumroadUpgrade(email);
      await deliverAs("gumroad", bought);
      for (const body of turn === 0 ? [told, charged] : [charged, told]) {
        await deliverAs("gumroad", body);
        expect(await lastFlags("gumroad")).toEqual([]);
      }
      await deliverAs("gumroad", { ...told, nonce: fresh("again") });
      const [key] = await keysOf(email);
      const days = (key!.expires_at.getTime() - Date.now()) / 86_400_000;
      // A month of the new plan and its grace: nothing of the ten days that were left of the old one.
      expect([key!.plan_tier, Math.round(days * 100) / 100]).toEqual(["pro", 34]);
      const renewal = { ...charged, sale_id: fresh("sale"), sale_timestamp: new Date().toISOString() };
      await deliverAs("gumroad", renewal);
      const [renewed] = await keysOf(email);
      expect(Math.round((renewed!.expires_at.getTime() - key!.expires_at.getTime()) / 86_400_000)).toBe(30);
    },
  );

  it("gumroad: an upgrade within a trial gives the new plan without a charge and keeps the trial's remaining days", async () => {
    const email = freshEmail();
    const { bought, told } = gumroadUpgrade(email, {
      free_trial_ends_at: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    });
    await deliverAs("gumroad", bought);
    const [before] = await keysOf(email);
    await deliverAs("gumroad", told);
    expect(await lastFlags("gumroad")).toEqual([]);
    const [after] = await keysOf(email);
    expect(after!.plan_tier).toBe("pro");
    expect(Math.abs(after!.expires_at.getTime() - before!.expires_at.getTime())).toBeLessThan(5_000);
    // The remaining trial is stored as a change of plan, so that the next renewal does not shorten it.
    expect(await ledgerOf(email)).toEqual(["payment basic ended", "change pro"]);
  });

  it("gumroad: an upgrade that does not say when it took effect is flagged for an administrator", async () => {
    const email = freshEmail();
    const { bought, told } = gumroadUpgrade(email, { effective_as_of: "soon" });
    await deliverAs("gumroad", bought);
    await deliverAs("gumroad", told);
    expect(await lastFlags("gumroad")).toEqual(["part_of_a_period"]);
  });

  it.each(permutations(["paid", "chargeback", "won"] as const))(
    "stripe: a payment whose chargeback was won gives access, at the latest when repeated, with events in order %s, %s, %s",
    async (...order) => {
      const email = freshEmail();
      const payment_intent = fresh("pi");
      const dispute = { id: fresh("dp"), payment_intent, charge: fresh("ch") };
      const bodies = {
        paid: stripe("checkout.session.completed", stripeSession(email, { payment_intent })),
        chargeback: stripe("charge.dispute.created", { ...dispute, status: "needs_response" }),
        won: stripe("charge.dispute.closed", { ...dispute, status: "won" }),
      };
      const since = await sql`select coalesce(max(id), 0)::int as id from payment_deliveries`;
      for (const name of order) await deliverAs("stripe", bodies[name]);
      // If the chargeback arrives before the payment and is won after it, the platform must send the payment again.
      if (order.join() === "chargeback,paid,won") {
        expect(await lastFlags("stripe")).toEqual(["chargeback_won"]);
        await deliverAs("stripe", bodies.paid);
      } else {
        const waiting = await sql`
          select flags from payment_deliveries where id > ${since[0]!.id} and flags <> '{}' and reviewed_at is null`;
        expect(waiting).toEqual([]);
      }
      expect(await activeOf(email)).toBe(1);
    },
  );

  it("lemonsqueezy: the charge for a change and its refund are flagged for an administrator and end nothing", async () => {
    const email = freshEmail();
    const invoice = { user_email: email, subscription_id: 9, currency: "USD", total: 900 };
    const change = { ...invoice, billing_reason: "updated", status: "paid" };
    await deliver(paymentEvent({ email }));
    for (const [name, status] of [
      ["subscription_payment_success", "paid"],
      ["subscription_payment_refunded", "refunded"],
    ] as const) {
      await deliverAs("lemonsqueezy", lemon(name, "77", { ...change, status }));
      expect(await lastFlags("lemonsqueezy")).toEqual(["part_of_a_period"]);
    }
    expect(await activeOf(email)).toBe(1);
    const [row] =
      await sql`select id from payment_deliveries where adapter = 'lemonsqueezy' order by id desc limit 1`;
    const [key] = await keysOf(email);
    expect(await findDeliverySubscriber(db(), Number(row!.id))).toMatchObject({
      subscriptionId: key!.subscription_id,
    });
  });

  it.each([
    ["stripe", () => stripe("invoice.paid", stripeInvoice("neg@b.example", { amount_paid: -900 }))],
    ["gumroad", () => gumroad("neg@b.example", { price: -900 })],
    ["whop", () => whop("payment.succeeded", whopPayment("neg@b.example", { total: -9 }))],
  ] as const)("%s: a payment with a negative amount is flagged for an administrator", (platform, body) => {
    expect(read(platform, body()).flags).toContain("unusable_amount");
  });

  it("a charge within a period without a change of plan is flagged for review", async () => {
    const email = freshEmail();
    const { bought, charge } = await paddleUpgrade(email);
    await deliverAs("paddle", bought);
    // Another interval is not prorated; another seat is the product already paid.
    const items = [{ quantity: 1, price: { id: "better", product_id: "p" } }];
    await deliverAs("paddle", paddle("transaction.completed", { ...charge, id: fresh("txn"), items }));
    expect(await lastFlags("paddle")).toEqual(["part_of_a_period"]);
    const seat = [{ quantity: 2, price: { id: "monthly", product_id: "p" }, proration: { rate: "0.5" } }];
    await deliverAs("paddle", paddle("transaction.completed", { ...charge, id: fresh("txn"), items: seat }));
    expect(await lastFlags("paddle")).toEqual(["part_of_a_period"]);

    const other = freshEmail();
    const parent = { subscription_details: { subscription: fresh("sub") } };
    await deliverAs("stripe", stripe("invoice.paid", stripeInvoice(other, { parent })));
    const line = stripeLine({ amount: 900, parent: { subscription_item_details: { proration: true } } });
    const more = { billing_reason: "subscription_update", amount_paid: 900, parent, lines: { data: [line] } };
    await deliverAs("stripe", stripe("invoice.paid", stripeInvoice(other, more)));
    expect(await lastFlags("stripe")).toEqual(["part_of_a_period"]);
    expect(await ledgerOf(other)).toEqual(["payment basic"]);
  });

  it("stripe: a refund removes the days converted from the payment, and restored access lacks them", async () => {
    const email = freshEmail();
    const { bought, told, purchaseRefunded } = upgrade(email);
    await deliver(paymentEvent({ email, productId: "3031361" }));
    await deliverAs("stripe", bought);
    await deliverAs("stripe", told);
    await deliverAs("stripe", purchaseRefunded);
    expect(await ledgerOf(email)).toEqual(["payment basic", "payment basic ended", "change pro ended"]);
    const [row] =
      await sql`select id from payment_deliveries where adapter = 'stripe' order by id desc limit 1`;
    const { keyId } = await restoreAccess(db(), Number(row!.id), { kind: "command" });
    const key = (await keysOf(email)).find(({ id }) => id === keyId)!;
    const days = (key.expires_at.getTime() - Date.now()) / 86_400_000;
    expect([key.plan_tier, days > 33.9 && days <= 34]).toEqual(["basic", true]);
  });

  it.each([0, 1])(
    "stripe: a change from a year of basic to a month of pro gives only that month, events in order %i",
    async (turn) => {
      const email = freshEmail();
      const subscription = fresh("sub");
      const parent = { subscription_details: { subscription } };
      const [start, day] = [now(), 86_400];
      const year = stripeLine({ period: { start, end: start + 365 * day } });
      await deliverAs(
        "stripe",
        stripe("invoice.paid", stripeInvoice(email, { parent, lines: { data: [year] } })),
      );
      const price = { price_details: { price: "better", product: "p" } };
      const month = stripeLine({ amount: 9900, pricing: price, period: { start, end: start + 30 * day } });
      const unused = stripeLine({
        amount: -4900,
        parent: { subscription_item_details: { proration: true } },
      });
      const item = {
        quantity: 1,
        price: { id: "better", product: "p" },
        current_period_end: start + 30 * day,
      };
      const object = { id: subscription, items: { data: [item] } };
      const bodies = [
        stripe("customer.subscription.updated", object, {
          data: { object, previous_attributes: { items: { data: [] } } },
        }),
        stripe(
          "invoice.paid",
          stripeInvoice(email, {
            billing_reason: "subscription_update",
            amount_paid: 5000,
            parent,
            lines: { data: [unused, month] },
          }),
        ),
      ];
      for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("stripe", body);
      const [key] = await keysOf(email);
      expect(key!.plan_tier).toBe("pro");
      expect((key!.expires_at.getTime() / 1000 - start) / day).toBeCloseTo(30 + 4, 1);
    },
  );

  it("stripe: an invoice for a change to another billing interval is read as a payment", () => {
    const invoice = stripeInvoice("a@b.example", {
      billing_reason: "subscription_update",
      lines: {
        data: [
          stripeLine({ amount: -2000, parent: { subscription_item_details: { proration: true } } }),
          stripeLine({ amount: 49_900, period: { start: now(), end: now() + 365 * 86_400 } }),
        ],
      },
    });
    expect(read("stripe", stripe("invoice.paid", invoice)).event).toBe("payment.invoice_paid");
  });
});

describe("test events", () => {
  const tests: [Platform, (email: string) => DeliveryBody][] = [
    ["stripe", (email) => ({ ...stripe("invoice.paid", stripeInvoice(email)), livemode: false })],
    [
      "paddle",
      (email) =>
        paddle("transaction.completed", paddleTransaction(`ctm_${email}`), {
          event_id: fresh("ntfsimevt"),
          notification_id: fresh("ntfsimntf"),
        }),
    ],
    ["lemonsqueezy", (email) => lemon("order_created", fresh("o"), lemonOrder(email), { test_mode: true })],
    ["gumroad", (email) => gumroad(email, { test: "true" })],
  ];
  it.each(tests)(
    "%s: a test event is answered as ignored, is flagged as a test and grants nothing",
    async (platform, make) => {
      const email = freshEmail();
      const { status, json } = await deliverAs(platform, make(email));
      expect([status, json.action, json.reason]).toEqual([200, "ignored", "unknown_event"]);
      expect(await keysOf(email)).toEqual([]);
      const [row] = await sql`
      select flags, reviewed_at is null as waits from payment_deliveries where adapter = ${platform}
       order by id desc limit 1`;
      expect(row).toEqual({ flags: ["test_event"], waits: false });
    },
  );

  const sandboxes: [Platform, (email: string) => DeliveryBody][] = [
    ["paddle", () => paddle("transaction.completed", paddleTransaction("ctm_any"))],
    ["whop", (email) => whop("payment.succeeded", whopPayment(email))],
  ];
  it.each(sandboxes)(
    "%s: an event signed with the sandbox secret is a test event, even when applied again",
    async (platform, make) => {
      const email = freshEmail();
      const secret = `sandbox-${platform}-0123456789abcdef`;
      const body = make(email);
      expect((await deliverAs(platform, body, { secret })).status).toBe(403);
      Object.assign(env().serviceSecrets, { [adapterOf(platform).sandboxSecret ?? ""]: [secret] });
      const { json } = await deliverAs(platform, body, { secret });
      expect([json.action, json.reason, await lastFlags(platform)]).toEqual([
        "ignored",
        "unknown_event",
        ["test_event"],
      ]);
      const [row] =
        await sql`select id from payment_deliveries where adapter = ${platform} order by id desc limit 1`;
      await reapplyDelivery(db(), Number(row!.id), { kind: "command" });
      expect([await keysOf(email), await lastFlags(platform)]).toEqual([[], ["test_event"]]);
      Object.assign(env().serviceSecrets, {
        [adapterOf(platform).sandboxSecret ?? ""]: [PLATFORM_SECRETS[platform]],
      });
      const real = platform === "whop" ? freshEmail() : null;
      if (real !== null) {
        const { json: bought } = await deliverAs(platform, whop("payment.succeeded", whopPayment(real)));
        expect(bought.action).toBe("api_key_created");
      }
      Object.assign(env().serviceSecrets, { [adapterOf(platform).sandboxSecret ?? ""]: [] });
    },
  );

  it("a test event grants access when the operator allows it", async () => {
    await writeSetting(db(), "payment_tests", { giveAccess: true });
    const email = freshEmail();
    const { json } = await deliverAs("gumroad", gumroad(email, { test: "true" }));
    expect(json.action).toBe("api_key_created");
    expect(await lastFlags("gumroad")).toEqual(["test_event"]);
    await writeSetting(db(), "payment_tests", { giveAccess: false });
  });
});

describe("disputes", () => {
  async function sold() {
    const email = freshEmail();
    const session = stripeSession(email);
    await deliverAs("stripe", stripe("checkout.session.completed", session));
    const dispute = (status: string) => ({
      id: `dp_${session.payment_intent}`,
      charge: fresh("ch"),
      payment_intent: session.payment_intent,
      amount: 4990,
      status,
    });
    return { email, dispute };
  }
  it("stripe: an inquiry leaves access, even when closed, and is flagged", async () => {
    const { email, dispute } = await sold();
    await deliverAs("stripe", stripe("charge.dispute.created", dispute("warning_needs_response")));
    expect(await lastFlags("stripe")).toEqual(["inquiry"]);
    await deliverAs("stripe", stripe("charge.dispute.closed", dispute("warning_closed")));
    expect([await activeOf(email), await lastFlags("stripe")]).toEqual([1, []]);
  });

  it("stripe: an early fraud warning leaves access and is flagged", async () => {
    const { email, dispute } = await sold();
    const { id, charge, payment_intent } = dispute("");
    await deliverAs(
      "stripe",
      stripe("radar.early_fraud_warning.created", { id, charge, payment_intent, actionable: true }),
    );
    expect([await activeOf(email), await lastFlags("stripe")]).toEqual([1, ["inquiry"]]);
  });

  it("stripe: an inquiry that becomes a chargeback ends access, and losing it changes nothing more", async () => {
    const { email, dispute } = await sold();
    const object = dispute("needs_response");
    const data = { object, previous_attributes: { status: "warning_needs_response" } };
    await deliverAs("stripe", stripe("charge.dispute.updated", object, { data }));
    expect(await activeOf(email)).toBe(0);
    await deliverAs("stripe", stripe("charge.dispute.closed", dispute("lost")));
    expect(await activeOf(email)).toBe(0);
  });

  it.each([0, 1])("stripe: a won dispute keeps access, events in order %i", async (turn) => {
    const { email, dispute } = await sold();
    const bodies = [
      stripe("charge.dispute.created", dispute("needs_response")),
      stripe("charge.dispute.closed", dispute("won")),
    ];
    for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("stripe", body);
    expect([await activeOf(email), await lastFlags("stripe")]).toEqual([1, []]);
  });

  it("paddle and whop: a warning and an inquiry are flagged and leave access", async () => {
    const email = freshEmail();
    const customer = await paddleCustomer(email);
    const transaction = paddleTransaction(customer);
    await deliverAs("paddle", paddle("transaction.completed", transaction));
    const warning = { action: "chargeback_warning", status: "approved", transaction_id: transaction.id };
    await deliverAs("paddle", paddle("adjustment.created", warning));
    expect([await activeOf(email), await lastFlags("paddle")]).toEqual([1, ["inquiry"]]);
    const payment = whopPayment(email);
    await deliverAs("whop", whop("payment.succeeded", payment));
    const dispute = { id: fresh("dspt"), status: "warning_needs_response", inquiry: true, payment };
    await deliverAs("whop", whop("dispute.created", dispute));
    expect([await activeOf(email), await lastFlags("whop")]).toEqual([1, ["inquiry"]]);
  });
});

describe("payments without access are flagged", () => {
  const listed: [string, Platform, () => DeliveryBody, string][] = [
    [
      "a payment without an address",
      "stripe",
      () => stripe("invoice.paid", stripeInvoice("", { customer_email: null })),
      "missing_buyer",
    ],
    [
      "a payment without an address",
      "whop",
      () => whop("payment.succeeded", whopPayment("", { user: null })),
      "missing_buyer",
    ],
    [
      "a refund that failed",
      "stripe",
      () =>
        stripe("refund.failed", {
          id: fresh("re"),
          payment_intent: fresh("pi"),
          status: "failed",
          amount: 1,
        }),
      "refund_failed",
    ],
    [
      "a refund that failed",
      "whop",
      () =>
        whop("refund.updated", {
          id: fresh("rf"),
          status: "failed",
          amount: 1,
          payment: whopPayment("a@b.example"),
        }),
      "refund_failed",
    ],
    [
      "a refund that was reversed",
      "paddle",
      () =>
        paddle("adjustment.updated", { action: "refund", status: "reversed", transaction_id: fresh("txn") }),
      "refund_failed",
    ],
    [
      "a credit note",
      "stripe",
      () => stripe("credit_note.created", { id: fresh("cn"), amount: 500 }),
      "not_understood",
    ],
    [
      "a credit",
      "paddle",
      () => paddle("adjustment.created", { action: "credit", status: "approved", totals: { total: "500" } }),
      "not_understood",
    ],
    [
      "an unknown event with a buyer",
      "lemonsqueezy",
      () => lemon("dispute_created", "1", { user_email: "a@b.example" }),
      "not_understood",
    ],
    [
      "an unknown resource with a buyer",
      "gumroad",
      () => gumroad("a@b.example", { resource_name: "tip" }),
      "not_understood",
    ],
  ];
  it.each(listed)("%s is flagged for review (%s)", async (_, platform, make, flag) => {
    const { status, json } = await deliverAs(platform, make());
    expect([status, json.action]).toEqual([200, "ignored"]);
    expect(await lastFlags(platform)).toContain(flag);
  });

  it("generic: a paid event without an address is flagged, and so is an unknown event whose status is paid", async () => {
    await deliver(paymentEvent({ email: null }));
    expect(await lastFlags("generic")).toEqual(["missing_buyer"]);
    await deliver(paymentEvent({ event: "payment.subscription_renewed" }));
    expect(await lastFlags("generic")).toEqual(["not_understood"]);
  });

  it("paddle: a payment is flagged while its customer event is missing, and applied afterwards", async () => {
    const payment = paddle("transaction.completed", paddleTransaction("ctm_never"));
    expect((await deliverAs("paddle", payment)).status).toBe(409);
    expect(await lastFlags("paddle")).toEqual(["unknown_customer"]);
    await deliverAs("paddle", paddle("customer.created", { id: "ctm_never", email: freshEmail() }));
    expect((await deliverAs("paddle", payment)).json.action).toBe("api_key_created");
    const [row] = await sql`
      select action, flags from payment_deliveries where adapter = 'paddle' and event = 'transaction.completed'
       order by id desc limit 1`;
    expect(row).toEqual({ action: "api_key_created", flags: [] });
  });

  it("routine events that repeat another one are not flagged", async () => {
    const routine: [Platform, DeliveryBody][] = [
      ["stripe", stripe("payment_intent.succeeded", { id: "pi", amount: 100, receipt_email: "a@b.example" })],
      ["stripe", stripe("invoice.finalized", stripeInvoice("a@b.example"))],
      ["paddle", paddle("transaction.paid", paddleTransaction("ctm"))],
      ["lemonsqueezy", lemon("subscription_expired", "1", { user_email: "a@b.example" })],
      ["whop", whop("payment.created", whopPayment("a@b.example"))],
      ["gumroad", gumroad("a@b.example", { resource_name: "cancellation" })],
    ];
    for (const [platform, body] of routine) {
      await deliverAs(platform, body);
      expect([body, await lastFlags(platform)]).toEqual([body, []]);
    }
  });
});

describe("amounts and quantities", () => {
  it.each([
    ["kwd", 12_340, "12.34"],
    ["bhd", 1_230, "1.23"],
    ["tnd", 5_000, "5"],
    ["usd", 4_990, "49.9"],
    ["jpy", 500, "500"],
    ["ugx", 500, "5"],
  ])("stripe: in %s, the amount %i is read as %s", (currency, amount_paid, amount) => {
    const body = stripe("invoice.paid", stripeInvoice("a@b.example", { currency, amount_paid }));
    expect(read("stripe", body).total).toEqual({ amount, currency: currency.toUpperCase() });
  });

  const several: [Platform, DeliveryBody][] = [
    [
      "stripe",
      stripe(
        "invoice.paid",
        stripeInvoice("a@b.example", { lines: { data: [stripeLine({ quantity: 2 })] } }),
      ),
    ],
    [
      "stripe",
      stripe("invoice.paid", stripeInvoice("a@b.example", { lines: { data: [stripeLine(), stripeLine()] } })),
    ],
    [
      "paddle",
      paddle(
        "transaction.completed",
        paddleTransaction("c", { items: [{ quantity: 3, price: { id: "monthly" } }] }),
      ),
    ],
    [
      "lemonsqueezy",
      lemon("order_created", "1", lemonOrder("a@b.example", { first_order_item: { quantity: 2 } })),
    ],
    ["gumroad", gumroad("a@b.example", { quantity: 2 })],
  ];
  it.each(several)("%s: more than one item is flagged", (platform, body) => {
    expect(read(platform, body).flags).toEqual(["several_items"]);
  });

  it("generic: a quantity of two and a second item are flagged and still create a key", async () => {
    const item = { productId: "3031367", name: "Pro", amount: 1 };
    for (const items of [[{ ...item, quantity: 2 }], [item, item]]) {
      expect((await deliver(paymentEvent({ items }))).json.action).toBe("api_key_created");
      expect(await lastFlags("generic")).toEqual(["several_items"]);
    }
  });
});

describe("renewal links with the subscriber's id", () => {
  const paying: [Platform, (email: string, ref: string) => DeliveryBody[]][] = [
    [
      "stripe",
      (email, ref) => [
        stripe("checkout.session.completed", stripeSession(email, { client_reference_id: ref })),
      ],
    ],
    [
      "paddle",
      (email, ref) => [
        paddle("customer.created", { id: `ctm_${email}`, email }),
        paddle(
          "transaction.completed",
          paddleTransaction(`ctm_${email}`, { custom_data: { subscriber: ref } }),
        ),
      ],
    ],
    [
      "lemonsqueezy",
      (email, ref) => [
        lemon("order_created", fresh("o"), lemonOrder(email), { custom_data: { subscriber: ref } }),
      ],
    ],
    [
      "whop",
      (email, ref) => [whop("payment.succeeded", whopPayment(email, { metadata: { subscriber: ref } }))],
    ],
    ["gumroad", (email, ref) => [gumroad(email, { "url_params[subscriber]": ref })]],
  ];
  it.each(paying)(
    "%s: a payment by a renewal link with another address extends the access of the link's subscriber",
    async (platform, make) => {
      const [email, other] = [freshEmail(), freshEmail()];
      await deliver(paymentEvent({ email, productId: "3031361" }));
      const [before] = await keysOf(email);
      for (const body of make(other, signSubscriberRef(before!.subscription_id)))
        await deliverAs(platform, body);
      const [after, ...more] = await keysOf(email);
      expect(after!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime());
      expect([more, await keysOf(other)]).toEqual([[], []]);
    },
  );

  it("a payment whose subscriber reference has an invalid signature creates a key for the payer's address", async () => {
    const [email, other] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email }));
    const [before] = await keysOf(email);
    const ref = `${before!.subscription_id}-${"0".repeat(32)}`;
    await deliverAs("gumroad", gumroad(other, { "url_params[subscriber]": ref }));
    expect([await activeOf(email), await activeOf(other)]).toEqual([1, 1]);
  });

  it.each([0, 1])(
    "stripe: a subscription started by a renewal link extends the access of the link's subscriber, with events in order %i",
    async (turn) => {
      const [email, other] = [freshEmail(), freshEmail()];
      await deliver(paymentEvent({ email, productId: "3031361" }));
      const [before] = await keysOf(email);
      const invoice = stripeInvoice(other, {
        parent: { subscription_details: { subscription: fresh("sub") } },
      });
      const { subscription } = (invoice.parent as { subscription_details: { subscription: string } })
        .subscription_details;
      const session = stripeSession(other, {
        mode: "subscription",
        payment_intent: null,
        invoice: invoice.id,
        subscription,
        client_reference_id: signSubscriberRef(before!.subscription_id),
      });
      const bodies = [stripe("checkout.session.completed", session), stripe("invoice.paid", invoice)];
      for (const body of turn === 0 ? bodies : bodies.toReversed()) await deliverAs("stripe", body);
      expect(await activeOf(other)).toBe(0);
      const [after, ...more] = await keysOf(email);
      expect(more).toEqual([]);
      // 30 days plus the longer grace of the two products.
      const moved = after!.expires_at.getTime() - before!.expires_at.getTime();
      expect(Math.abs(moved - 31 * 86_400_000)).toBeLessThan(2_000);
      expect(await lastFlags("stripe")).toEqual([]);
      const renewal = stripeInvoice(other, {
        billing_reason: "subscription_cycle",
        parent: { subscription_details: { subscription } },
      });
      await deliverAs("stripe", stripe("invoice.paid", renewal));
      const [renewed] = await keysOf(email);
      expect(renewed!.expires_at.getTime() - after!.expires_at.getTime()).toBe(30 * 86_400_000);
    },
  );

  it("stripe: a single purchase by a renewal link extends the link's subscriber; the key it had created is revoked with a mail about it", async () => {
    const [email, other] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email, productId: "3031361" }));
    const [before] = await keysOf(email);
    const invoice = stripeInvoice(other, {
      billing_reason: "manual",
      parent: null,
      lines: { data: [stripeLine({ parent: null })] },
    });
    await deliverAs("stripe", stripe("invoice.paid", invoice));
    expect(await activeOf(other)).toBe(1);
    const session = stripeSession(other, {
      invoice: invoice.id,
      client_reference_id: signSubscriberRef(before!.subscription_id),
    });
    const { json } = await deliverAs("stripe", stripe("checkout.session.completed", session));
    expect([json.action, json.key_id, await lastFlags("stripe")]).toEqual([
      "already_provisioned",
      before!.id,
      [],
    ]);
    expect([await activeOf(email), await activeOf(other)]).toEqual([1, 0]);
    expect((await keysOf(email))[0]!.expires_at.getTime()).toBeGreaterThan(before!.expires_at.getTime());
    const mails = await sql`
      select recipient, kind from mail_outbox where recipient = any(${[email, other]}) order by id`;
    expect(mails).toEqual([
      { recipient: email, kind: "key-created" },
      { recipient: other, kind: "key-created" },
      { recipient: other, kind: "payment-moved" },
      { recipient: email, kind: "renewed" },
    ]);
  });

  it("stripe: a payment by the renewal link of a subscriber without a key creates a key for the payer and is flagged for review", async () => {
    const [email, other] = [freshEmail(), freshEmail()];
    await deliver(paymentEvent({ email }));
    const [before] = await keysOf(email);
    await sql`update api_keys set revoked_at = now() where id = ${before!.id}`;
    const invoice = stripeInvoice(other);
    const { subscription } = (invoice.parent as { subscription_details: { subscription: string } })
      .subscription_details;
    await deliverAs("stripe", stripe("invoice.paid", invoice));
    const session = stripeSession(other, {
      mode: "subscription",
      payment_intent: null,
      invoice: invoice.id,
      subscription,
      client_reference_id: signSubscriberRef(before!.subscription_id),
    });
    await deliverAs("stripe", stripe("checkout.session.completed", session));
    expect([await activeOf(other), await lastFlags("stripe")]).toEqual([1, ["paid_for_another"]]);
  });
});
