import { z } from "zod";
import { isSignatureValid, signBody } from "@/lib/payments/signature";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import {
  fromMinorUnits,
  lenientAmount,
  lenientFlag,
  lenientId,
  lenientObject,
  lenientText,
  type PlatformEventFacts,
  platformDelivery,
  readPlatformJson,
} from "./platform-delivery";

const Event = z.object({
  meta: lenientObject({
    event_name: lenientText,
    test_mode: lenientFlag,
    custom_data: lenientObject({ subscriber: lenientText }),
  }),
  data: lenientObject({
    id: lenientId,
    attributes: lenientObject({
      status: lenientText,
      order_id: lenientId,
      subscription_id: lenientId,
      billing_reason: lenientText,
      user_name: lenientText,
      user_email: lenientText,
      currency: lenientText,
      subtotal: lenientAmount,
      discount_total: lenientAmount,
      total: lenientAmount,
      test_mode: lenientFlag,
      trial_ends_at: lenientText,
      renews_at: lenientText,
      product_id: lenientId,
      variant_id: lenientId,
      product_name: lenientText,
      variant_name: lenientText,
      first_subscription_item: lenientObject({ quantity: lenientAmount }),
      refunded_amount: lenientAmount,
      created_at: lenientText,
      first_order_item: lenientObject({
        product_id: lenientId,
        variant_id: lenientId,
        product_name: lenientText,
        variant_name: lenientText,
        quantity: lenientAmount,
      }),
    }),
  }),
});
type Attributes = NonNullable<NonNullable<z.output<typeof Event>["data"]>["attributes"]>;

/**
 * Lemon Squeezy: the first payment is an order, and each later payment of a subscription an invoice, which names
 * no product. Orders, subscriptions and invoices have separate id sequences, so their ids here carry a prefix for
 * the kind.
 */
export const lemonsqueezy: PaymentAdapter = {
  name: "lemonsqueezy",
  title: "Lemon Squeezy",
  choose:
    "Events: order_created, order_refunded, subscription_created, subscription_updated, subscription_payment_success, subscription_payment_recovered, subscription_payment_failed, subscription_payment_refunded.",
  secret: "LEMONSQUEEZY_WEBHOOK_SECRET",
  isSigned: ({ body, headers }, secret) => isSignatureValid(body, headers.get("x-signature"), secret),
  writeTest: (secret, at) => {
    const body = JSON.stringify({ meta: { event_name: TEST_DELIVERY_EVENT, sent_at: at.getTime() } });
    return { body, headers: { "X-Signature": signBody(body, secret) }, query: "" };
  },
  read: (body, receivedAt) => {
    const { meta, data } = readPlatformJson(Event, body);
    const event = meta?.event_name;
    const given = data?.attributes;
    const facts = given ? factsOf(event, data.id, given) : NOTHING;
    return platformDelivery(
      "lemonsqueezy",
      {
        ...facts,
        event,
        isTest: meta?.test_mode === true || given?.test_mode === true,
        subscriberRef: meta?.custom_data?.subscriber,
      },
      body,
      receivedAt,
    );
  },
};

type Facts = Omit<PlatformEventFacts, "event">;
const NOTHING: Facts = { means: null };
const ROUTINE: Facts = { means: "routine" };
type Id = string | null | undefined;

/** Events that change nothing: they repeat other events, or are not about payments. */
const REPEATS = /^(?:subscription_(?!payment)|license_key_|affiliate_|customer_|operator\.)/;

const order = (number: Id) => (number ? `order:${number}` : null);
const subscription = (number: Id) => (number ? `subscription:${number}` : null);
const invoice = (number: Id) => (number ? `invoice:${number}` : null);

function factsOf(event: string | null | undefined, number: Id, given: Attributes): Facts {
  const buyer = { email: given.user_email, buyerName: given.user_name, currency: given.currency };
  const paid = { paidAt: given.created_at, amount: fromMinorUnits(given.total, given.currency) };
  const ofSubscription = { invoiceId: invoice(number), subscriptionId: subscription(given.subscription_id) };
  // The first payment of a subscription also arrives as `order_created`, and is applied from there.
  const isFirst = given.billing_reason === "initial";
  switch (event) {
    case "order_created":
      return given.status === "paid" ? { ...buyer, ...paid, ...ofOrder(number, given) } : ROUTINE;
    case "subscription_created":
      return ofNewSubscription(number, given, buyer);
    case "subscription_updated":
    case "subscription_plan_changed":
      return given.variant_id
        ? {
            means: "plan_changed",
            invoiceId: subscription(number),
            period: { until: given.renews_at },
            ...ofProduct(number, given),
          }
        : ROUTINE;
    case "subscription_payment_success":
    case "subscription_payment_recovered":
      if (isFirst) return ROUTINE;
      // A change of plan within a period buys no new period; `subscription_updated` reports the present product.
      return given.billing_reason === "updated"
        ? { ...buyer, ...paid, ...ofSubscription, means: "unclear", flags: ["part_of_a_period"] }
        : { ...buyer, ...paid, ...ofSubscription, means: "paid" };
    case "subscription_payment_failed":
      return { ...buyer, ...ofSubscription, means: "failed" };
    case "order_refunded":
      return { ...buyer, ...paid, means: "refunded", invoiceId: order(number), ...partOf(given) };
    case "subscription_payment_refunded":
      // The invoice of a plan change names no variant, so it is unknown which plan change to undo.
      if (given.billing_reason === "updated")
        return { ...buyer, ...paid, ...ofSubscription, means: "unclear", flags: ["part_of_a_period"] };
      return {
        ...buyer,
        ...paid,
        means: "refunded",
        // The refund of a first payment does not name its order. `subscription_created` links the subscription to the
        // order.
        invoiceId: isFirst ? subscription(given.subscription_id) : invoice(number),
        ...partOf(given),
      };
    default:
      return event && REPEATS.test(event) ? ROUTINE : NOTHING;
  }
}

/** A new order. A free order without a discount begins a trial, whose end `subscription_created` reports. */
function ofOrder(number: Id, given: Attributes): Facts {
  const item = given.first_order_item;
  const facts = {
    invoiceId: order(number),
    productIds: [item?.variant_id, item?.product_id],
    itemName: [item?.product_name, item?.variant_name].filter(Boolean).join(" "),
    nItems: item?.quantity,
  };
  return given.total === 0 && !given.discount_total
    ? { ...facts, means: "unclear", flags: ["free_order"] }
    : { ...facts, means: "paid" };
}

function ofNewSubscription(number: Id, given: Attributes, buyer: Omit<Facts, "means">): Facts {
  const invoiceId = order(given.order_id);
  if (given.status !== "on_trial")
    return {
      means: "linked",
      invoiceId,
      names: [subscription(number)],
      subscriptionId: subscription(number),
    };
  return {
    ...buyer,
    ...ofProduct(number, given),
    means: "paid",
    isTrial: true,
    invoiceId,
    names: [subscription(number)],
    paidAt: given.created_at,
    period: { from: given.created_at, until: given.trial_ends_at },
    amount: 0,
  };
}

const ofProduct = (number: Id, given: Attributes) => ({
  subscriptionId: subscription(number),
  productIds: [given.variant_id, given.product_id],
  itemName: [given.product_name, given.variant_name].filter(Boolean).join(" "),
  nItems: given.first_subscription_item?.quantity,
});

const partOf = (given: Attributes) => ({
  refundedPart:
    given.status === "partial_refund" ? (fromMinorUnits(given.refunded_amount, given.currency) ?? 0) : null,
});
