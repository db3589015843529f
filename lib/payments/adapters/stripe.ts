import { z } from "zod";
import { isFresh, isSameSignature, readSignatureParts, secondsOf, signBody } from "@/lib/payments/signature";
import { type PaymentAdapter, type SignedRequest, TEST_DELIVERY_EVENT } from "./adapter";
import {
  amount,
  fields,
  flag,
  fromSmallest,
  list,
  type PlatformFacts,
  platformDelivery,
  readPlatformJson,
  text,
} from "./platform-delivery";

/** An id, or the object that was put in its place. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform((object) => object.id)])
  .nullish()
  .catch(null);

const Line = z.object({
  description: text,
  amount,
  proration: flag,
  /** Until API version 2025-03-31, ... */
  price: fields({ id: text, product: reference }),
  /** ... and since. */
  pricing: fields({ price_details: fields({ price: reference, product: reference }) }),
});

const Event = z.object({
  type: text,
  data: fields({
    object: fields({
      id: text,
      customer_email: text,
      customer_name: text,
      customer_details: fields({ email: text, name: text }),
      billing_details: fields({ email: text, name: text }),
      billing_reason: text,
      currency: text,
      amount,
      amount_paid: amount,
      amount_refunded: amount,
      amount_total: amount,
      refunded: flag,
      mode: text,
      payment_status: text,
      status: text,
      created: amount,
      status_transitions: fields({ paid_at: amount }),
      lines: fields({ data: list(Line) }),
      metadata: fields({ product_id: text }),
      payment_link: reference,
      invoice: reference,
      subscription: reference,
      parent: fields({ subscription_details: fields({ subscription: reference }) }),
      payment_intent: reference,
      charge: reference,
      payment: fields({ payment_intent: reference, charge: reference }),
      payments: fields({ data: list(z.object({ payment: fields({ payment_intent: reference }) })) }),
    }),
  }),
});
type StripeObject = NonNullable<NonNullable<z.output<typeof Event>["data"]>["object"]>;

/**
 * Stripe: subscriptions pay by invoices, single purchases by checkout sessions, which are known by their payment. The
 * vendor's library is not used for the signature: 16 MB for one HMAC that is documented.
 */
export const stripe: PaymentAdapter = {
  name: "stripe",
  isSigned: ({ body, headers, at }: SignedRequest, secret) => {
    const parts = readSignatureParts(headers.get("stripe-signature"), ",");
    const [time] = parts.get("t") ?? [];
    if (time === undefined || !isFresh(time, at)) return false;
    const expected = signBody(`${time}.`, secret, body);
    return (parts.get("v1") ?? []).some((signature) => isSameSignature(signature, expected));
  },
  writeTest: (secret, at) => {
    const body = JSON.stringify({ id: `evt_test_${at.getTime()}`, type: TEST_DELIVERY_EVENT });
    const time = secondsOf(at);
    const signature = `t=${time},v1=${signBody(`${time}.${body}`, secret)}`;
    return { body, headers: { "Stripe-Signature": signature }, query: "" };
  },
  read: (body, receivedAt) => {
    const { type, data } = readPlatformJson(Event, body);
    const object = data?.object;
    const facts = object ? (factsOf(type, object) ?? NOTHING) : NOTHING;
    return platformDelivery("stripe", { ...facts, event: type }, body, receivedAt);
  },
};

type Facts = Omit<PlatformFacts, "event">;
const NOTHING: Facts = { means: null };

function factsOf(type: string | null | undefined, object: StripeObject): Facts | null {
  switch (type) {
    case "invoice.paid":
      // What a change of plan costs within a period buys no period: a person decides.
      return object.billing_reason === "subscription_update"
        ? { means: "unclear", invoiceId: object.id, flags: ["part_of_a_period"] }
        : { ...ofInvoice(object), means: "paid" };
    case "invoice.payment_failed":
      return { ...ofInvoice(object), means: "failed" };
    case "invoice_payment.paid":
      return { means: "linked", invoiceId: object.invoice, names: [object.payment?.payment_intent] };
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return ofSession(object);
    case "charge.refunded":
      return {
        means: "refunded",
        invoiceId: object.invoice ?? object.payment_intent ?? object.id,
        names: [object.payment_intent, object.id],
        email: object.billing_details?.email,
        amount: fromSmallest(object.amount, object.currency),
        currency: object.currency,
        refundedPart: object.refunded === true ? null : fromSmallest(object.amount_refunded, object.currency),
      };
    case "charge.dispute.created":
      return { ...ofDispute(object), means: "chargeback" };
    case "charge.dispute.closed":
      return object.status === "won" ? { ...ofDispute(object), means: "chargeback_won" } : null;
    default:
      return null;
  }
}

function ofInvoice(invoice: StripeObject): Omit<Facts, "means"> {
  const lines = invoice.lines?.data ?? [];
  const line = lines.find((each) => each.proration !== true && (each.amount ?? 0) > 0) ?? lines[0];
  return {
    invoiceId: invoice.id,
    names: [
      invoice.payment_intent,
      invoice.charge,
      ...(invoice.payments?.data ?? []).map(({ payment }) => payment?.payment_intent),
    ],
    subscriptionId: invoice.parent?.subscription_details?.subscription ?? invoice.subscription,
    productIds: [
      line?.pricing?.price_details?.price,
      line?.price?.id,
      line?.pricing?.price_details?.product,
      line?.price?.product,
    ],
    itemName: line?.description,
    email: invoice.customer_email,
    buyerName: invoice.customer_name,
    paidAt: invoice.status_transitions?.paid_at ?? invoice.created,
    amount: fromSmallest(invoice.amount_paid, invoice.currency),
    currency: invoice.currency,
  };
}

/** A single purchase. Its products are not in the event: a payment link, or `product_id` in the metadata, names it. */
function ofSession(session: StripeObject): Facts | null {
  if (session.mode !== "payment" || session.payment_status !== "paid") return null;
  return {
    means: "paid",
    invoiceId: session.payment_intent ?? session.id,
    names: [session.id],
    productIds: [session.metadata?.product_id, session.payment_link],
    email: session.customer_details?.email ?? session.customer_email,
    buyerName: session.customer_details?.name,
    paidAt: session.created,
    amount: fromSmallest(session.amount_total, session.currency),
    currency: session.currency,
  };
}

const ofDispute = (dispute: StripeObject): Omit<Facts, "means"> => ({
  invoiceId: dispute.payment_intent ?? dispute.charge ?? dispute.id,
  names: [dispute.payment_intent, dispute.charge],
});
