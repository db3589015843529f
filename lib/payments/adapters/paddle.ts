import { z } from "zod";
import {
  isSameSignature,
  isTimestampFresh,
  readSignatureParts,
  signBody,
  unixSecondsOf,
} from "@/lib/payments/signature";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import {
  fromMinorUnits,
  lenientAmount,
  lenientFlag,
  lenientList,
  lenientObject,
  lenientText,
  type PlatformEventFacts,
  platformDelivery,
  readPlatformJson,
} from "./platform-delivery";

const Event = z.object({
  event_id: lenientText,
  event_type: lenientText,
  notification_id: lenientText,
  data: lenientObject({
    id: lenientText,
    status: lenientText,
    origin: lenientText,
    action: lenientText,
    type: lenientText,
    customer_id: lenientText,
    subscription_id: lenientText,
    transaction_id: lenientText,
    currency_code: lenientText,
    billed_at: lenientText,
    created_at: lenientText,
    email: lenientText,
    name: lenientText,
    billing_period: lenientObject({ starts_at: lenientText, ends_at: lenientText }),
    current_billing_period: lenientObject({ starts_at: lenientText, ends_at: lenientText }),
    custom_data: lenientObject({ subscriber: lenientText }),
    items: lenientList(
      z.object({
        quantity: lenientAmount,
        recurring: lenientFlag,
        proration: lenientObject({ rate: lenientText }),
        price: lenientObject({
          id: lenientText,
          product_id: lenientText,
          name: lenientText,
          description: lenientText,
          trial_period: lenientObject({ interval: lenientText }),
        }),
      }),
    ),
    details: lenientObject({ totals: lenientObject({ grand_total: lenientAmount }) }),
    totals: lenientObject({ total: lenientAmount }),
  }),
});
type PaddleData = NonNullable<z.output<typeof Event>["data"]>;

/**
 * Paddle Billing: payments are transactions. A transaction names only a customer, whose e-mail address arrives in a
 * separate event.
 */
export const paddle: PaymentAdapter = {
  name: "paddle",
  title: "Paddle",
  choose:
    "Events: customer.created, customer.updated, transaction.completed, transaction.payment_failed, subscription.updated, adjustment.created, adjustment.updated.",
  secret: "PADDLE_WEBHOOK_SECRET",
  sandboxSecret: "PADDLE_SANDBOX_WEBHOOK_SECRET",
  isSigned: ({ body, headers, at }, secret) => {
    const parts = readSignatureParts(headers.get("paddle-signature"), ";");
    const [time] = parts.get("ts") ?? [];
    if (time === undefined || !isTimestampFresh(time, at)) return false;
    const expected = signBody(`${time}:`, secret, body);
    return (parts.get("h1") ?? []).some((signature) => isSameSignature(signature, expected));
  },
  writeTest: (secret, at) => {
    const body = JSON.stringify({ event_id: `evt_test_${at.getTime()}`, event_type: TEST_DELIVERY_EVENT });
    const time = unixSecondsOf(at);
    const signature = `ts=${time};h1=${signBody(`${time}:${body}`, secret)}`;
    return { body, headers: { "Paddle-Signature": signature }, query: "" };
  },
  read: (body, receivedAt) => {
    const { event_id, event_type, notification_id, data } = readPlatformJson(Event, body);
    const facts = data ? factsOf(event_type, data) : NOTHING;
    // Paddle marks events of its simulator. Sandbox events are unmarked, but signed with separate secrets.
    const isTest = [event_id, notification_id].some((id) => id?.startsWith("ntfsim"));
    return platformDelivery("paddle", { ...facts, event: event_type, isTest }, body, receivedAt);
  },
};

type Facts = Omit<PlatformEventFacts, "event">;
const NOTHING: Facts = { means: null };
const ROUTINE: Facts = { means: "routine" };

/** Events that change nothing: they repeat other events, or are not about payments. */
const REPEATS =
  /^(?:address|api_key|business|client_token|customer|discount|discount_group|payment_method|payout|price|product|report|subscription|transaction)\./;

/** Values of `origin` for transactions that pay for a period. */
const OF_A_PERIOD = new Set<string | null | undefined>(["web", "api", "subscription_recurring"]);

function factsOf(type: string | null | undefined, data: PaddleData): Facts {
  switch (type) {
    case "transaction.completed":
      return ofCompleted(data);
    case "transaction.payment_failed":
      return { ...ofTransaction(data), means: "failed" };
    case "subscription.updated":
      return ofChange(data);
    case "adjustment.created":
    case "adjustment.updated":
      return ofAdjustment(data);
    case "customer.created":
    case "customer.updated":
      return { means: "customer", customerId: data.id, email: data.email, buyerName: data.name };
    default:
      return type && REPEATS.test(type) ? ROUTINE : NOTHING;
  }
}

function ofCompleted(data: PaddleData): Facts {
  if (OF_A_PERIOD.has(data.origin)) return { ...ofTransaction(data), means: "paid" };
  if (data.origin === "subscription_payment_method_change") return ROUTINE;
  if (data.origin === "subscription_update") return ofChargedChange(data);
  return { ...ofTransaction(data), period: null, means: "charge" };
}

function ofTransaction(data: PaddleData): Omit<Facts, "means"> {
  const price = data.items[0]?.price;
  const total = data.details?.totals?.grand_total;
  return {
    invoiceId: data.id,
    subscriptionId: data.subscription_id,
    customerId: data.customer_id,
    productIds: [price?.id, price?.product_id],
    itemName: price?.name ?? price?.description,
    nItems: Math.max(data.items.length, data.items[0]?.quantity ?? 1),
    paidAt: data.billed_at ?? data.created_at,
    period: data.billing_period && {
      from: data.billing_period.starts_at,
      until: data.billing_period.ends_at,
    },
    isTrial: total === 0 && data.origin !== "subscription_recurring" && Boolean(price?.trial_period),
    amount: fromMinorUnits(total, data.currency_code),
    currency: data.currency_code,
    subscriberRef: data.custom_data?.subscriber,
  };
}

/**
 * The charge for an update of a subscription. For a change of plan within a period, Paddle credits the former items with a
 * negative quantity and prorates the new one. Any other charge, such as one for another billing interval, needs a review.
 */
function ofChargedChange(data: PaddleData): Facts {
  const [item, ...more] = data.items.filter(({ quantity }) => (quantity ?? 1) > 0);
  const facts = ofTransaction({ ...data, items: item ? [item] : [] });
  return item?.proration && more.length === 0
    ? { ...facts, means: "plan_changed" }
    : { ...facts, means: "unclear", flags: ["part_of_a_period"] };
}

/** Reports the product of a subscription after an update. The update need not have changed the product. */
function ofChange(data: PaddleData): Facts {
  const items = data.items.filter(({ recurring }) => recurring !== false);
  const [item] = items;
  if (!item?.price || data.status === "canceled") return ROUTINE;
  return {
    means: "plan_changed",
    invoiceId: data.id,
    subscriptionId: data.id,
    productIds: [item.price.id, item.price.product_id],
    period: { until: data.current_billing_period?.ends_at },
    flags: items.length > 1 || (item.quantity ?? 1) > 1 ? ["several_items"] : [],
  };
}

function ofAdjustment(data: PaddleData): Facts {
  const ofInvoice = {
    invoiceId: data.transaction_id,
    names: [data.transaction_id],
    currency: data.currency_code,
    refundedPart: data.type === "full" ? null : fromMinorUnits(data.totals?.total, data.currency_code),
    refundId: data.id,
  };
  // A pending refund waits for Paddle's approval, and a rejected one moved no money.
  if (data.status === "pending_approval" || data.status === "rejected") return ROUTINE;
  if (data.status === "reversed")
    return data.action === "refund" ? { ...ofInvoice, means: "unclear", flags: ["refund_failed"] } : ROUTINE;
  switch (data.action) {
    case "refund":
      return { ...ofInvoice, means: "refunded" };
    case "chargeback":
      return { ...ofInvoice, means: "chargeback" };
    case "chargeback_reverse":
      return { ...ofInvoice, means: "chargeback_won" };
    case "chargeback_warning":
      return { ...ofInvoice, means: "unclear", flags: ["inquiry"] };
    case "chargeback_warning_reverse":
      return ROUTINE;
    default:
      return NOTHING;
  }
}
