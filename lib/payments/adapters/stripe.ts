import { z } from "zod";
import { DISPUTE_NAME_PREFIX } from "@/lib/payments/delivery";
import {
  isSameSignature,
  isTimestampFresh,
  readSignatureParts,
  signBody,
  unixSecondsOf,
} from "@/lib/payments/signature";
import { type PaymentAdapter, type PaymentWebhookRequest, TEST_DELIVERY_EVENT } from "./adapter";
import {
  fromMinorUnits,
  lenientAmount,
  lenientFlag,
  lenientList,
  lenientObject,
  lenientText,
  type PlatformEventFacts,
  platformDelivery,
  prefixedDisputeId,
  readPlatformJson,
} from "./platform-delivery";

/** An id, or the expanded object with that id. */
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform((object) => object.id)])
  .nullish()
  .catch(null);

const Line = z.object({
  description: lenientText,
  amount: lenientAmount,
  quantity: lenientAmount,
  period: lenientObject({ start: lenientAmount, end: lenientAmount }),
  /** Sent by API versions before 2025-03-31. */
  proration: lenientFlag,
  /** Sent since API version 2025-03-31. */
  parent: lenientObject({
    subscription_item_details: lenientObject({ proration: lenientFlag }),
    invoice_item_details: lenientObject({ proration: lenientFlag }),
  }),
  /** Sent by API versions before 2025-03-31. */
  price: lenientObject({ id: lenientText, product: reference }),
  /** Sent since API version 2025-03-31. */
  pricing: lenientObject({ price_details: lenientObject({ price: reference, product: reference }) }),
});

const Event = z.object({
  type: lenientText,
  livemode: lenientFlag,
  /** The connected account that the event is about; null for the seller's own account. */
  account: lenientText,
  data: lenientObject({
    previous_attributes: lenientObject({
      items: z.unknown().optional(),
      plan: z.unknown().optional(),
      status: lenientText,
    }),
    object: lenientObject({
      id: lenientText,
      object: lenientText,
      client_reference_id: lenientText,
      /** Sent by API versions before 2025-03-31; later versions send one per item. */
      current_period_end: lenientAmount,
      items: lenientObject({
        data: lenientList(
          z.object({
            price: lenientObject({ id: lenientText, product: reference }),
            quantity: lenientAmount,
            current_period_end: lenientAmount,
          }),
        ),
      }),
      customer_email: lenientText,
      customer_name: lenientText,
      customer_details: lenientObject({ email: lenientText, name: lenientText }),
      billing_details: lenientObject({ email: lenientText, name: lenientText }),
      billing_reason: lenientText,
      currency: lenientText,
      amount: lenientAmount,
      amount_paid: lenientAmount,
      amount_refunded: lenientAmount,
      amount_total: lenientAmount,
      refunded: lenientFlag,
      mode: lenientText,
      payment_status: lenientText,
      status: lenientText,
      created: lenientAmount,
      status_transitions: lenientObject({ paid_at: lenientAmount }),
      lines: lenientObject({ data: lenientList(Line) }),
      metadata: lenientObject({ product_id: lenientText, subscriber: lenientText }),
      payment_link: reference,
      invoice: reference,
      subscription: reference,
      parent: lenientObject({ subscription_details: lenientObject({ subscription: reference }) }),
      payment_intent: reference,
      charge: reference,
      payment: lenientObject({ payment_intent: reference, charge: reference }),
      payments: lenientObject({
        data: lenientList(z.object({ payment: lenientObject({ payment_intent: reference }) })),
      }),
    }),
  }),
});
type StripeObject = NonNullable<NonNullable<z.output<typeof Event>["data"]>["object"]>;

/**
 * Stripe: subscriptions are paid by invoices. Single purchases are paid by checkout sessions, whose payment intent serves
 * as the invoice id. Signatures are checked without the vendor's library, which takes 16 MB for one documented HMAC.
 */
export const stripe: PaymentAdapter = {
  name: "stripe",
  title: "Stripe",
  choose:
    "Events: invoice.paid, invoice.payment_failed, invoice_payment.paid, checkout.session.completed, customer.subscription.updated, charge.refunded, refund.failed, charge.dispute.created, charge.dispute.updated, charge.dispute.closed.",
  secret: "STRIPE_WEBHOOK_SECRET",
  isSigned: ({ body, headers, at }: PaymentWebhookRequest, secret) => {
    const parts = readSignatureParts(headers.get("stripe-signature"), ",");
    const [time] = parts.get("t") ?? [];
    if (time === undefined || !isTimestampFresh(time, at)) return false;
    const expected = signBody(`${time}.`, secret, body);
    return (parts.get("v1") ?? []).some((signature) => isSameSignature(signature, expected));
  },
  writeTest: (secret, at) => {
    const body = JSON.stringify({ id: `evt_test_${at.getTime()}`, type: TEST_DELIVERY_EVENT });
    const time = unixSecondsOf(at);
    const signature = `t=${time},v1=${signBody(`${time}.${body}`, secret)}`;
    return { body, headers: { "Stripe-Signature": signature }, query: "" };
  },
  read: (body, receivedAt) => {
    const { type, livemode, account, data } = readPlatformJson(Event, body);
    const object = data?.object;
    const own = object ? factsOf(type, object, data.previous_attributes) : NOTHING;
    const facts = account ? ofAccount(account, own) : own;
    return platformDelivery(
      "stripe",
      { ...facts, event: type, isTest: livemode === false },
      body,
      receivedAt,
    );
  },
};

type Facts = Omit<PlatformEventFacts, "event">;
type Changed = NonNullable<z.output<typeof Event>["data"]>["previous_attributes"];
const NOTHING: Facts = { means: null };
const ROUTINE: Facts = { means: "routine" };

/** Events that change nothing: they repeat other events, or are not about payments. */
const REPEATS =
  /^(?:account|balance|billing|billing_portal|capability|checkout\.session|charge|customer|coupon|entitlements|file|invoice|invoice_payment|invoiceitem|mandate|payment_intent|payment_link|payment_method|payout|person|plan|price|product|promotion_code|quote|refund|reporting|setup_intent|source|subscription_schedule|tax|tax_rate|test_helpers|topup|transfer)\./;

/**
 * Values of `billing_reason` for an invoice of a new or renewed period. For subscriptions from before May 2018, Stripe
 * used `subscription` for new periods, updates and thresholds alike.
 */
const NEW_PERIOD = new Set<string | null | undefined>([
  "subscription_create",
  "subscription_cycle",
  "subscription",
]);

function factsOf(type: string | null | undefined, object: StripeObject, before: Changed): Facts {
  switch (type) {
    // The same event under two names.
    case "invoice.paid":
    case "invoice.payment_succeeded":
      return ofPaidInvoice(object);
    case "invoice.payment_failed":
      return { ...ofInvoice(object), means: "failed" };
    case "invoice_payment.paid":
      return { means: "linked", invoiceId: object.invoice, names: [object.payment?.payment_intent] };
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return ofSession(object);
    case "customer.subscription.updated":
      return before?.items === undefined && before?.plan === undefined ? ROUTINE : ofChange(object);
    case "charge.refunded":
      return {
        means: "refunded",
        invoiceId: object.invoice ?? object.payment_intent ?? object.id,
        names: [object.payment_intent, object.id],
        email: object.billing_details?.email,
        amount: inUnits(object.amount, object.currency),
        currency: object.currency,
        refundedPart: inUnits(object.amount_refunded, object.currency),
        // `amount_refunded` is the sum of this charge's refunds. An invoice can have several charges.
        isWholeCharge: object.refunded === true,
        refundId: object.id,
      };
    case "charge.refund.updated":
    case "refund.updated":
    case "refund.failed":
      // The refund failed or was cancelled after it had ended access: the seller has the money, so the administrator must
      // decide.
      return object.status === "failed" || object.status === "canceled"
        ? { ...ofDispute(object), means: "unclear", flags: ["refund_failed"] }
        : ROUTINE;
    case "charge.dispute.created":
      return isInquiry(object)
        ? { ...ofDispute(object), means: "unclear", flags: ["inquiry"] }
        : { ...ofDispute(object), means: "chargeback" };
    case "radar.early_fraud_warning.created":
      return { ...ofDispute(object), means: "unclear", flags: ["inquiry"] };
    case "charge.dispute.updated":
      // Only this event reports that an inquiry became a chargeback.
      return before?.status?.startsWith("warning_") && !isInquiry(object) && object.status !== "won"
        ? { ...ofDispute(object), means: "chargeback" }
        : ROUTINE;
    case "charge.dispute.closed":
      return object.status === "won" ? { ...ofDispute(object), means: "chargeback_won" } : ROUTINE;
    default:
      return type && REPEATS.test(type) ? ROUTINE : NOTHING;
  }
}

/**
 * Facts of an event of a connected account. Its ids get the account as a prefix, so that they never match the seller's own
 * objects. A payment gives access only if the product table lists the product as `account/price`. The e-mail address of a
 * failed payment is ignored, so that it affects only subscribers of this account.
 */
function ofAccount(account: string, facts: Facts): Facts {
  const ofIt = (id: string | null | undefined) => (id ? `${account}/${id}` : null);
  const rename = (name: string | null | undefined) =>
    name?.startsWith(DISPUTE_NAME_PREFIX)
      ? prefixedDisputeId(ofIt(name.slice(DISPUTE_NAME_PREFIX.length)))
      : ofIt(name);
  const isPayment = facts.means === "paid" || facts.means === "charge";
  return {
    ...facts,
    ...(isPayment && { means: "charge", flags: ["connected_account"] }),
    invoiceId: ofIt(facts.invoiceId),
    names: facts.names?.map(rename),
    subscriptionId: ofIt(facts.subscriptionId),
    productIds: facts.productIds?.map(ofIt),
    email: facts.means === "failed" ? null : facts.email,
  };
}

type Line = z.output<typeof Line>;
const isProration = ({ proration, parent }: Line) =>
  proration === true ||
  parent?.subscription_item_details?.proration === true ||
  parent?.invoice_item_details?.proration === true;

/** Whether a line covers a period. The period of a single item has an equal start and end. */
const hasLength = ({ period }: Line) => (period?.end ?? 0) > (period?.start ?? 0);

/**
 * A paid invoice. It buys a new period if its reason is a new or renewed period, or a plan change that charges a whole
 * period. Any other plan change reports the present product, or needs a review if it has not exactly one prorated
 * charge. An invoice for another reason is a charge, which gives access only if its product is in the product table.
 */
function ofPaidInvoice(invoice: StripeObject): Facts {
  const facts = ofInvoice(invoice);
  const lines = invoice.lines?.data ?? [];
  if (NEW_PERIOD.has(invoice.billing_reason)) return { ...facts, means: "paid" };
  if (invoice.billing_reason === "subscription_update") {
    // A change of the billing interval begins a new period at once.
    if (lines.some((line) => !isProration(line) && (line.amount ?? 0) > 0 && hasLength(line))) {
      const startsAnew = lines.some((line) => isProration(line) && (line.amount ?? 0) < 0);
      return { ...facts, means: "paid", startsAnew };
    }
    const charged = lines.filter((line) => isProration(line) && (line.amount ?? 0) > 0);
    return charged.length === 1
      ? { ...facts, means: "plan_changed" }
      : { ...facts, means: "unclear", flags: ["part_of_a_period"] };
  }
  return { ...facts, means: "charge" };
}

function ofInvoice(invoice: StripeObject): Omit<Facts, "means"> {
  const lines = invoice.lines?.data ?? [];
  const whole = lines.filter((each) => !isProration(each));
  const line =
    whole.find((each) => (each.amount ?? 0) > 0) ??
    lines.find((each) => (each.amount ?? 0) > 0) ??
    whole[0] ??
    lines[0];
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
    nItems: Math.max(whole.length, line?.quantity ?? 1),
    email: invoice.customer_email,
    buyerName: invoice.customer_name,
    paidAt: invoice.status_transitions?.paid_at ?? invoice.created,
    period: line?.period && { from: line.period.start, until: line.period.end },
    // With a coupon the line keeps its price; for a trial the line is free.
    isTrial: invoice.amount_paid === 0 && line?.amount === 0 && hasLength(line),
    amount: inUnits(invoice.amount_paid, invoice.currency),
    currency: invoice.currency,
  };
}

/**
 * A completed checkout session. The event of a single purchase names no product: Stripe's payment link, or `product_id` in
 * the metadata, identifies it. A subscription is paid by its invoice, so its session only reports which subscriber's renewal
 * link was used.
 */
function ofSession(session: StripeObject): Facts {
  const subscriberRef = session.client_reference_id ?? session.metadata?.subscriber;
  if (session.mode === "subscription")
    return {
      means: "linked",
      invoiceId: session.invoice ?? session.id,
      subscriptionId: session.subscription,
      subscriberRef,
    };
  const isPaid = session.payment_status === "paid" || session.payment_status === "no_payment_required";
  if (session.mode !== "payment" || !isPaid) return ROUTINE;
  return {
    means: "paid",
    // If the seller lets Stripe create an invoice for the purchase, the invoice also arrives as a separate event.
    invoiceId: session.invoice ?? session.payment_intent ?? session.id,
    names: [session.payment_intent, session.id],
    productIds: [session.metadata?.product_id, session.payment_link],
    email: session.customer_details?.email ?? session.customer_email,
    buyerName: session.customer_details?.name,
    paidAt: session.created,
    amount: inUnits(session.amount_total, session.currency),
    currency: session.currency,
    subscriberRef,
  };
}

/** Reports the product of a subscription after a change of its items or plan. */
function ofChange(subscription: StripeObject): Facts {
  const [item, ...more] = subscription.items?.data ?? [];
  if (!item?.price) return NOTHING;
  return {
    means: "plan_changed",
    invoiceId: subscription.id,
    subscriptionId: subscription.id,
    productIds: [item.price.id, item.price.product],
    period: { until: item.current_period_end ?? subscription.current_period_end },
    flags: more.length > 0 || (item.quantity ?? 1) > 1 ? ["several_items"] : [],
  };
}

/** Whether a dispute is only an inquiry, which has moved no money and may never do so. */
const isInquiry = ({ status }: StripeObject) => status?.startsWith("warning_") === true;

/** Currencies without decimals that Stripe still counts in hundredths. */
const IN_HUNDREDTHS = new Set(["ISK", "UGX"]);
const inUnits = (sum: number | null | undefined, currency: string | null | undefined) =>
  fromMinorUnits(sum, currency, IN_HUNDREDTHS);

const ofDispute = (dispute: StripeObject): Omit<Facts, "means"> => ({
  invoiceId: dispute.payment_intent ?? dispute.charge ?? dispute.id,
  names: [dispute.payment_intent, dispute.charge, prefixedDisputeId(dispute.id)],
});
