import { z } from "zod";
import { isFresh, isSameSignature, readSignatureParts, secondsOf, signBody } from "@/lib/payments/signature";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import {
  amount,
  fields,
  fromSmallest,
  list,
  type PlatformFacts,
  platformDelivery,
  readPlatformJson,
  text,
} from "./platform-delivery";

const Event = z.object({
  event_type: text,
  data: fields({
    id: text,
    status: text,
    origin: text,
    action: text,
    type: text,
    customer_id: text,
    subscription_id: text,
    transaction_id: text,
    currency_code: text,
    billed_at: text,
    created_at: text,
    email: text,
    name: text,
    items: list(z.object({ price: fields({ id: text, product_id: text, name: text, description: text }) })),
    details: fields({ totals: fields({ grand_total: amount }) }),
    totals: fields({ total: amount }),
  }),
});
type PaddleData = NonNullable<z.output<typeof Event>["data"]>;

/** Paddle Billing: payments are transactions. They name a customer, whose address an event of its own tells. */
export const paddle: PaymentAdapter = {
  name: "paddle",
  isSigned: ({ body, headers, at }, secret) => {
    const parts = readSignatureParts(headers.get("paddle-signature"), ";");
    const [time] = parts.get("ts") ?? [];
    if (time === undefined || !isFresh(time, at)) return false;
    const expected = signBody(`${time}:`, secret, body);
    return (parts.get("h1") ?? []).some((signature) => isSameSignature(signature, expected));
  },
  writeTest: (secret, at) => {
    const body = JSON.stringify({ event_id: `evt_test_${at.getTime()}`, event_type: TEST_DELIVERY_EVENT });
    const time = secondsOf(at);
    const signature = `ts=${time};h1=${signBody(`${time}:${body}`, secret)}`;
    return { body, headers: { "Paddle-Signature": signature }, query: "" };
  },
  read: (body, receivedAt) => {
    const { event_type, data } = readPlatformJson(Event, body);
    const facts = data ? (factsOf(event_type, data) ?? NOTHING) : NOTHING;
    return platformDelivery("paddle", { ...facts, event: event_type }, body, receivedAt);
  },
};

type Facts = Omit<PlatformFacts, "event">;
const NOTHING: Facts = { means: null };

/** Transactions that pay for a period; others are charges within one. */
const OF_A_PERIOD = new Set<string | null | undefined>(["web", "api", "subscription_recurring"]);

function factsOf(type: string | null | undefined, data: PaddleData): Facts | null {
  switch (type) {
    case "transaction.completed":
      if (OF_A_PERIOD.has(data.origin)) return { ...ofTransaction(data), means: "paid" };
      return data.origin === "subscription_payment_method_change"
        ? null
        : { means: "unclear", invoiceId: data.id, flags: ["part_of_a_period"] };
    case "transaction.payment_failed":
      return { ...ofTransaction(data), means: "failed" };
    case "adjustment.created":
    case "adjustment.updated":
      return data.status === "approved" ? ofAdjustment(data) : null;
    case "customer.created":
    case "customer.updated":
      return { means: "customer", customerId: data.id, email: data.email, buyerName: data.name };
    default:
      return null;
  }
}

function ofTransaction(data: PaddleData): Omit<Facts, "means"> {
  const price = data.items[0]?.price;
  return {
    invoiceId: data.id,
    subscriptionId: data.subscription_id,
    customerId: data.customer_id,
    productIds: [price?.id, price?.product_id],
    itemName: price?.name ?? price?.description,
    paidAt: data.billed_at ?? data.created_at,
    amount: fromSmallest(data.details?.totals?.grand_total, data.currency_code),
    currency: data.currency_code,
  };
}

function ofAdjustment(data: PaddleData): Facts | null {
  const invoiceId = data.transaction_id;
  switch (data.action) {
    case "refund":
      return {
        means: "refunded",
        invoiceId,
        currency: data.currency_code,
        refundedPart: data.type === "full" ? null : fromSmallest(data.totals?.total, data.currency_code),
      };
    case "chargeback":
      return { means: "chargeback", invoiceId };
    case "chargeback_reverse":
      return { means: "chargeback_won", invoiceId };
    default:
      return null;
  }
}
