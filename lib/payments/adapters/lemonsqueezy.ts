import { z } from "zod";
import { isSignatureValid, signBody } from "@/lib/payments/signature";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import {
  amount,
  fields,
  fromSmallest,
  id,
  type PlatformFacts,
  platformDelivery,
  readPlatformJson,
  text,
} from "./platform-delivery";

const Event = z.object({
  meta: fields({ event_name: text }),
  data: fields({
    id,
    attributes: fields({
      status: text,
      order_id: id,
      subscription_id: id,
      billing_reason: text,
      user_name: text,
      user_email: text,
      currency: text,
      total: amount,
      refunded_amount: amount,
      created_at: text,
      first_order_item: fields({ product_id: id, variant_id: id, product_name: text, variant_name: text }),
    }),
  }),
});
type Attributes = NonNullable<NonNullable<z.output<typeof Event>["data"]>["attributes"]>;

/**
 * Lemon Squeezy: a first payment is an order, every later one of a subscription an invoice of its own, which names no
 * product. Orders, subscriptions and their invoices are counted apart, so that their ids carry their kind.
 */
export const lemonsqueezy: PaymentAdapter = {
  name: "lemonsqueezy",
  isSigned: ({ body, headers }, secret) => isSignatureValid(body, headers.get("x-signature"), secret),
  writeTest: (secret, at) => {
    const body = JSON.stringify({ meta: { event_name: TEST_DELIVERY_EVENT, sent_at: at.getTime() } });
    return { body, headers: { "X-Signature": signBody(body, secret) }, query: "" };
  },
  read: (body, receivedAt) => {
    const { meta, data } = readPlatformJson(Event, body);
    const event = meta?.event_name;
    const facts = data?.attributes ? (factsOf(event, data.id, data.attributes) ?? NOTHING) : NOTHING;
    return platformDelivery("lemonsqueezy", { ...facts, event }, body, receivedAt);
  },
};

type Facts = Omit<PlatformFacts, "event">;
const NOTHING: Facts = { means: null };
type Id = string | null | undefined;

const order = (number: Id) => (number ? `order:${number}` : null);
const subscription = (number: Id) => (number ? `subscription:${number}` : null);
const invoice = (number: Id) => (number ? `invoice:${number}` : null);

function factsOf(event: string | null | undefined, number: Id, given: Attributes): Facts | null {
  const buyer = { email: given.user_email, buyerName: given.user_name, currency: given.currency };
  const paid = { paidAt: given.created_at, amount: fromSmallest(given.total, given.currency) };
  const ofSubscription = { invoiceId: invoice(number), subscriptionId: subscription(given.subscription_id) };
  // The first payment of a subscription is its order too, and counts there.
  const isFirst = given.billing_reason === "initial";
  switch (event) {
    case "order_created": {
      const item = given.first_order_item;
      if (given.status !== "paid") return null;
      return {
        ...buyer,
        ...paid,
        means: "paid",
        invoiceId: order(number),
        productIds: [item?.variant_id, item?.product_id],
        itemName: [item?.product_name, item?.variant_name].filter(Boolean).join(" "),
      };
    }
    case "subscription_created":
      return { means: "linked", invoiceId: order(given.order_id), names: [subscription(number)] };
    case "subscription_payment_success":
    case "subscription_payment_recovered":
      if (isFirst) return null;
      // A change of plan within a period buys no period.
      return given.billing_reason === "updated"
        ? { means: "unclear", invoiceId: invoice(number), flags: ["part_of_a_period"] }
        : { ...buyer, ...paid, ...ofSubscription, means: "paid" };
    case "subscription_payment_failed":
      return { ...buyer, ...ofSubscription, means: "failed" };
    case "order_refunded":
      return { ...buyer, ...paid, means: "refunded", invoiceId: order(number), ...partOf(given) };
    case "subscription_payment_refunded":
      return {
        ...buyer,
        ...paid,
        means: "refunded",
        invoiceId: invoice(number),
        names: isFirst ? [subscription(given.subscription_id)] : [],
        ...partOf(given),
      };
    default:
      return null;
  }
}

const partOf = (given: Attributes) => ({
  refundedPart:
    given.status === "partial_refund" ? (fromSmallest(given.refunded_amount, given.currency) ?? 0) : null,
});
