import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { PaymentAdapterName } from "@/lib/vocabulary";

/** Deliveries in the format of each platform's documentation, and their signatures. */

export type Platform = Exclude<PaymentAdapterName, "generic">;

export const PLATFORM_SECRETS: Record<Platform, string> = {
  stripe: "whsec_stripe-test-0123456789abcdef",
  paddle: "pdl_ntfset_01gkpjp8bkm3tm53kdgkx6sms7_6h3qd3uFSi9YCD3OLYAShQI90XTI5vEI",
  lemonsqueezy: "lemon-test-0123456789",
  whop: "ws_0123456789abcdef0123456789abcdef",
  gumroad: "gumroad-test-0123456789abcdef",
};

export const PLATFORM_ENVIRONMENT = {
  STRIPE_WEBHOOK_SECRET: PLATFORM_SECRETS.stripe,
  PADDLE_WEBHOOK_SECRET: PLATFORM_SECRETS.paddle,
  LEMONSQUEEZY_WEBHOOK_SECRET: PLATFORM_SECRETS.lemonsqueezy,
  WHOP_WEBHOOK_SECRET: PLATFORM_SECRETS.whop,
  GUMROAD_WEBHOOK_SECRET: PLATFORM_SECRETS.gumroad,
};

/** A payment, with the facts that every platform reports. */
export interface Sale {
  /** Id of the payment. */
  payment: string;
  subscription: string;
  /** Whether it is the first payment of its subscription. */
  first: boolean;
  product: string;
  email: string;
  /** In units of the currency, such as 49.9 dollars. */
  amount: number;
  paidAt: Date;
}

export type DeliveryBody = Record<string, unknown>;

interface Fixture {
  /** All events that the platform sends for a payment, in order. */
  paid(sale: Sale): DeliveryBody[];
  failed(sale: Sale): DeliveryBody[] | null;
  refunded(sale: Sale, part: number | null): DeliveryBody[];
  chargeback(sale: Sale): DeliveryBody[] | null;
  chargebackWon(sale: Sale): DeliveryBody[] | null;
  /** An event without effect. */
  other(sale: Sale): DeliveryBody;
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
const cents = (amount: number) => Math.round(amount * 100);

const stripeEvent = (type: string, object: DeliveryBody): DeliveryBody => ({
  id: `evt_${type}_${object.id}`,
  object: "event",
  api_version: "2025-03-31.basil",
  type,
  data: { object },
});
const stripeInvoice = (sale: Sale): DeliveryBody => ({
  id: `in_${sale.payment}`,
  object: "invoice",
  billing_reason: sale.first ? "subscription_create" : "subscription_cycle",
  customer_email: sale.email,
  customer_name: "Ada Lovelace",
  currency: "usd",
  amount_paid: cents(sale.amount),
  status: "paid",
  status_transitions: { paid_at: seconds(sale.paidAt) },
  parent: {
    type: "subscription_details",
    subscription_details: { subscription: `sub_${sale.subscription}` },
  },
  lines: {
    object: "list",
    data: [
      {
        amount: cents(sale.amount),
        description: "1 × Signals (at $49.00 / month)",
        pricing: { price_details: { price: sale.product, product: "prod_any" } },
      },
    ],
  },
});
const stripe: Fixture = {
  paid: (sale) => [
    stripeEvent("invoice.paid", stripeInvoice(sale)),
    stripeEvent("invoice_payment.paid", {
      id: `inpay_${sale.payment}`,
      invoice: `in_${sale.payment}`,
      payment: { type: "payment_intent", payment_intent: `pi_${sale.payment}` },
      status: "paid",
    }),
  ],
  failed: (sale) => [stripeEvent("invoice.payment_failed", { ...stripeInvoice(sale), status: "open" })],
  refunded: (sale, part) => [
    stripeEvent("charge.refunded", {
      id: `ch_${sale.payment}`,
      amount: cents(sale.amount),
      amount_refunded: cents(part ?? sale.amount),
      refunded: part === null,
      currency: "usd",
      payment_intent: `pi_${sale.payment}`,
      billing_details: { email: null, name: null },
    }),
  ],
  chargeback: (sale) => [
    stripeEvent("charge.dispute.created", {
      id: `dp_${sale.payment}`,
      amount: cents(sale.amount),
      charge: `ch_${sale.payment}`,
      payment_intent: `pi_${sale.payment}`,
      status: "needs_response",
    }),
  ],
  chargebackWon: (sale) => [
    stripeEvent("charge.dispute.closed", {
      id: `dp_${sale.payment}`,
      charge: `ch_${sale.payment}`,
      payment_intent: `pi_${sale.payment}`,
      status: "won",
    }),
  ],
  other: (sale) => stripeEvent("customer.subscription.deleted", { id: `sub_${sale.subscription}` }),
};

const paddleEvent = (event_type: string, data: DeliveryBody): DeliveryBody => ({
  event_id: `evt_${event_type}_${data.id}`,
  event_type,
  occurred_at: "2026-11-20T10:00:00.000000Z",
  notification_id: `ntf_${data.id}`,
  data,
});
const paddleTransaction = (sale: Sale): DeliveryBody => ({
  id: `txn_${sale.payment}`,
  status: "completed",
  origin: sale.first ? "web" : "subscription_recurring",
  customer_id: `ctm_${sale.email}`,
  subscription_id: `sub_${sale.subscription}`,
  currency_code: "USD",
  billed_at: sale.paidAt.toISOString(),
  items: [{ quantity: 1, price: { id: sale.product, product_id: "pro_any", name: "Monthly" } }],
  details: { totals: { subtotal: "0", grand_total: String(cents(sale.amount)), currency_code: "USD" } },
});
const adjustment = (sale: Sale, action: string, part: number | null): DeliveryBody =>
  paddleEvent("adjustment.updated", {
    id: `adj_${action}_${sale.payment}`,
    action,
    type: part === null ? "full" : "partial",
    status: "approved",
    transaction_id: `txn_${sale.payment}`,
    subscription_id: `sub_${sale.subscription}`,
    customer_id: `ctm_${sale.email}`,
    currency_code: "USD",
    totals: { total: String(cents(part ?? sale.amount)), currency_code: "USD" },
  });
const paddle: Fixture = {
  paid: (sale) => [
    ...(sale.first
      ? [
          paddleEvent("customer.created", {
            id: `ctm_${sale.email}`,
            email: sale.email,
            name: "Ada Lovelace",
          }),
        ]
      : []),
    paddleEvent("transaction.completed", paddleTransaction(sale)),
  ],
  failed: (sale) => [
    paddleEvent("transaction.payment_failed", { ...paddleTransaction(sale), status: "past_due" }),
  ],
  refunded: (sale, part) => [adjustment(sale, "refund", part)],
  chargeback: (sale) => [adjustment(sale, "chargeback", null)],
  chargebackWon: (sale) => [adjustment(sale, "chargeback_reverse", null)],
  other: (sale) =>
    paddleEvent("subscription.canceled", { id: `sub_${sale.subscription}`, status: "canceled" }),
};

const lemonEvent = (
  event_name: string,
  type: string,
  id: string,
  attributes: DeliveryBody,
): DeliveryBody => ({
  meta: { event_name, test_mode: false },
  data: { type, id, attributes },
});
const lemonBuyer = (sale: Sale): DeliveryBody => ({
  user_name: "Ada Lovelace",
  user_email: sale.email,
  currency: "USD",
  total: cents(sale.amount),
  created_at: sale.paidAt.toISOString(),
});
const lemonInvoice = (sale: Sale): DeliveryBody => ({
  ...lemonBuyer(sale),
  subscription_id: sale.subscription,
  billing_reason: sale.first ? "initial" : "renewal",
  status: "paid",
});
const lemonsqueezy: Fixture = {
  paid: (sale) =>
    sale.first
      ? [
          lemonEvent("order_created", "orders", sale.payment, {
            ...lemonBuyer(sale),
            status: "paid",
            first_order_item: { product_id: 1, variant_id: sale.product, product_name: "Signals" },
          }),
          lemonEvent("subscription_created", "subscriptions", sale.subscription, {
            order_id: sale.payment,
            user_email: sale.email,
            status: "active",
          }),
          lemonEvent(
            "subscription_payment_success",
            "subscription-invoices",
            `i${sale.payment}`,
            lemonInvoice(sale),
          ),
        ]
      : [
          lemonEvent(
            "subscription_payment_success",
            "subscription-invoices",
            sale.payment,
            lemonInvoice(sale),
          ),
        ],
  failed: (sale) => [
    lemonEvent("subscription_payment_failed", "subscription-invoices", sale.payment, {
      ...lemonInvoice(sale),
      status: "pending",
    }),
  ],
  refunded: (sale, part) => [
    lemonEvent(
      sale.first ? "order_refunded" : "subscription_payment_refunded",
      sale.first ? "orders" : "subscription-invoices",
      sale.payment,
      {
        ...(sale.first ? lemonBuyer(sale) : lemonInvoice(sale)),
        status: part === null ? "refunded" : "partial_refund",
        refunded_amount: cents(part ?? sale.amount),
      },
    ),
  ],
  chargeback: () => null,
  chargebackWon: () => null,
  other: (sale) =>
    lemonEvent("subscription_expired", "subscriptions", sale.subscription, { status: "expired" }),
};

const whopEvent = (type: string, data: DeliveryBody): DeliveryBody => ({
  id: `msg_${type}_${data.id}`,
  api_version: "v1",
  timestamp: "2026-11-20T10:00:00.000Z",
  type,
  data,
});
const whopPayment = (sale: Sale): DeliveryBody => ({
  id: `pay_${sale.payment}`,
  status: "paid",
  paid_at: sale.paidAt.toISOString(),
  currency: "usd",
  total: sale.amount,
  plan: { id: sale.product },
  product: { id: "prod_any", title: "Signals" },
  user: { id: "user_1", name: "Ada Lovelace", username: "ada", email: sale.email },
  membership: { id: `mem_${sale.subscription}`, status: "active" },
});
const whop: Fixture = {
  paid: (sale) => [whopEvent("payment.succeeded", whopPayment(sale))],
  failed: (sale) => [whopEvent("payment.failed", { ...whopPayment(sale), status: "open" })],
  refunded: (sale, part) => [
    whopEvent("refund.created", {
      id: `rfnd_${sale.payment}`,
      amount: part ?? sale.amount,
      currency: "usd",
      status: "succeeded",
      payment: whopPayment(sale),
    }),
  ],
  chargeback: (sale) => [
    whopEvent("dispute.created", {
      id: `dspt_${sale.payment}`,
      amount: sale.amount,
      status: "needs_response",
      inquiry: false,
      payment: whopPayment(sale),
    }),
  ],
  chargebackWon: (sale) => [
    whopEvent("dispute.updated", {
      id: `dspt_${sale.payment}`,
      status: "won",
      inquiry: false,
      payment: whopPayment(sale),
    }),
  ],
  other: (sale) => whopEvent("membership.deactivated", { id: `mem_${sale.subscription}` }),
};

const gumroadSale = (sale: Sale): DeliveryBody => ({
  seller_id: "kL0psVL2admJSYRNs-OCMg==",
  product_id: sale.product,
  product_name: "Signals",
  permalink: "signals",
  email: sale.email,
  price: cents(sale.amount),
  currency: "usd",
  quantity: 1,
  sale_id: sale.payment,
  sale_timestamp: sale.paidAt.toISOString(),
  full_name: "Ada Lovelace",
  subscription_id: sale.subscription,
  "variants[Tier]": "Monthly",
  refunded: false,
  disputed: false,
  dispute_won: false,
  ...(sale.first ? {} : { is_recurring_charge: true }),
});
const gumroad: Fixture = {
  paid: (sale) => [{ ...gumroadSale(sale), resource_name: "sale" }],
  failed: () => null,
  refunded: (sale, part) => [{ ...gumroadSale(sale), resource_name: "refund", refunded: part === null }],
  chargeback: (sale) => [{ ...gumroadSale(sale), resource_name: "dispute", disputed: true }],
  chargebackWon: (sale) => [
    { ...gumroadSale(sale), resource_name: "dispute_won", disputed: true, dispute_won: true },
  ],
  other: (sale) => ({
    resource_name: "subscription_ended",
    subscription_id: sale.subscription,
    product_name: "Signals",
    user_email: sale.email,
    ended_reason: "cancelled",
  }),
};

export const FIXTURES: Record<Platform, Fixture> = { stripe, paddle, lemonsqueezy, whop, gumroad };
export const PLATFORMS = Object.keys(FIXTURES) as Platform[];

/** The bytes of a delivery. `nonce` changes the bytes but not the facts. */
export function platformBytes(platform: Platform, body: DeliveryBody, nonce?: string): Buffer {
  const sent = nonce === undefined ? body : { ...body, nonce };
  return Buffer.from(
    platform === "gumroad"
      ? new URLSearchParams(Object.entries(sent).map(([name, value]) => [name, String(value)])).toString()
      : JSON.stringify(sent),
  );
}

/** The headers and the query with which the platform signs these bytes at a given time. */
export function platformSignature(
  platform: Platform,
  bytes: Buffer,
  { secret = PLATFORM_SECRETS[platform], at = new Date() }: { secret?: string; at?: Date } = {},
): { headers: Record<string, string>; query: string } {
  const hmac = (...parts: (string | Buffer)[]) => {
    const digest = createHmac("sha256", secret);
    for (const part of parts) digest.update(part);
    return digest.digest("hex");
  };
  const json = { "Content-Type": "application/json" };
  switch (platform) {
    case "stripe": {
      const v1 = hmac(`${seconds(at)}.`, bytes);
      return { headers: { ...json, "Stripe-Signature": `t=${seconds(at)},v1=${v1},v0=00` }, query: "" };
    }
    case "paddle": {
      const h1 = hmac(`${seconds(at)}:`, bytes);
      return { headers: { ...json, "Paddle-Signature": `ts=${seconds(at)};h1=${h1}` }, query: "" };
    }
    case "lemonsqueezy":
      return { headers: { ...json, "X-Signature": hmac(bytes), "X-Event-Name": "any" }, query: "" };
    case "whop": {
      const id = "msg_0123456789";
      return {
        headers: {
          ...json,
          "webhook-id": id,
          "webhook-timestamp": String(seconds(at)),
          "webhook-signature": new Webhook(secret, { format: "raw" }).sign(id, at, bytes.toString()),
        },
        query: "",
      };
    }
    case "gumroad":
      return {
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        query: `?secret=${encodeURIComponent(secret)}`,
      };
  }
}
