import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { unixSecondsOf } from "@/lib/payments/signature";
import { type PaymentAdapter, type PaymentWebhookRequest, TEST_DELIVERY_EVENT } from "./adapter";
import {
  lenientAmount,
  lenientFlag,
  lenientObject,
  lenientText,
  type PlatformEventFacts,
  platformDelivery,
  prefixedDisputeId,
  readPlatformJson,
} from "./platform-delivery";

/** ISO 8601, or seconds since 1970. */
const time = z.union([z.string(), z.number()]).nullish().catch(null);

const PAYMENT = {
  id: lenientText,
  status: lenientText,
  paid_at: lenientText,
  created_at: lenientText,
  currency: lenientText,
  total: lenientAmount,
  billing_reason: lenientText,
  plan: lenientObject({ id: lenientText }),
  product: lenientObject({ id: lenientText, title: lenientText }),
  user: lenientObject({ email: lenientText, name: lenientText }),
  membership: lenientObject({ id: lenientText, status: lenientText }),
  metadata: lenientObject({ subscriber: lenientText }),
};
const Event = z.object({
  type: lenientText,
  data: lenientObject({
    ...PAYMENT,
    amount: lenientAmount,
    inquiry: lenientFlag,
    payment: lenientObject(PAYMENT),
    renewal_period_start: time,
    renewal_period_end: time,
  }),
});
type WhopData = NonNullable<z.output<typeof Event>["data"]>;
type WhopPayment = Pick<WhopData, keyof typeof PAYMENT>;

/** Whop: deliveries are signed by the Standard Webhooks specification. A membership is Whop's name for a subscription. */
export const whop: PaymentAdapter = {
  name: "whop",
  title: "Whop",
  choose:
    "Events: membership.activated, payment.succeeded, payment.failed, refund.created, refund.updated, dispute.created, dispute.updated, dispute_alert.created.",
  secret: "WHOP_WEBHOOK_SECRET",
  sandboxSecret: "WHOP_SANDBOX_WEBHOOK_SECRET",
  isSigned,
  writeTest: (secret, at) => {
    const id = `msg_test_${at.getTime()}`;
    const body = JSON.stringify({ id, type: TEST_DELIVERY_EVENT });
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": unixSecondsOf(at),
      "webhook-signature": webhookOf(secret).sign(id, at, body),
    };
    return { body, headers, query: "" };
  },
  read: (body, receivedAt) => {
    const { type, data } = readPlatformJson(Event, body);
    const facts = data ? factsOf(type, data) : NOTHING;
    return platformDelivery("whop", { ...facts, event: type }, body, receivedAt);
  },
};

type Facts = Omit<PlatformEventFacts, "event">;
const NOTHING: Facts = { means: null };
const ROUTINE: Facts = { means: "routine" };

/** Events that change nothing: they repeat other events, or are not about payments. */
const REPEATS =
  /^(?:app|course_lesson_interaction|entry|invoice|member|membership|payment|payout_method|setup_intent|verification|withdrawal)\./;

/** Values of `billing_reason` for a payment of a new or renewed period, or of a single purchase. */
const NEW_PERIOD = new Set<string | null | undefined>([
  undefined,
  null,
  "subscription_create",
  "subscription_cycle",
  "subscription",
  "one_time",
]);

/**
 * Signs and verifies with a secret. Whop uses the secret's characters as the key; a secret that begins with `whsec_` is
 * Base64, as in Standard Webhooks.
 */
function webhookOf(secret: string): Webhook {
  return secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
}

function isSigned({ body, headers }: PaymentWebhookRequest, secret: string): boolean {
  try {
    // Decoding invalid UTF-8 would replace bytes, and the signature would cover other bytes.
    const payload = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    webhookOf(secret).verify(payload, Object.fromEntries(headers), { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

function factsOf(type: string | null | undefined, data: WhopData): Facts {
  switch (type) {
    case "payment.succeeded":
      return ofPaid(data);
    case "membership.activated":
    case "membership.went_valid":
      return data.status === "trialing" ? ofTrial(data) : ROUTINE;
    case "payment.failed":
      return { ...ofPayment(data), means: "failed" };
    case "refund.created":
    case "refund.updated": {
      if (!data.payment) return NOTHING;
      const isPart = (data.amount ?? 0) < (data.payment.total ?? 0) || isOther(data, data.payment);
      const refund = {
        ...ofEnded(data.payment),
        refundedPart: isPart ? data.amount : null,
        refundId: data.id,
        refundCurrency: data.currency,
      };
      if (data.status === "failed" || data.status === "canceled")
        return { ...refund, means: "unclear", flags: ["refund_failed"] };
      return data.status === "succeeded" ? { ...refund, means: "refunded" } : ROUTINE;
    }
    case "dispute.created":
    case "dispute.updated":
      return ofDisputeIn(type, data);
    case "dispute_alert.created":
      return { ...ofDispute(data), means: "unclear", flags: ["inquiry"] };
    default:
      return type && REPEATS.test(type) ? ROUTINE : NOTHING;
  }
}

/** Whether a refund is in another currency than its payment. */
const isOther = (refund: WhopData, payment: WhopPayment): boolean =>
  Boolean(refund.currency && payment.currency) &&
  refund.currency?.toUpperCase() !== payment.currency?.toUpperCase();

/**
 * Invoice id of a membership's trial. The membership's event and the free payment share it, because only the membership's
 * event states when the trial ends.
 */
const trialOf = (membership: string | null | undefined) => membership && `trial:${membership}`;

/** A membership that begins with a trial. */
function ofTrial(membership: WhopData): Facts {
  return {
    ...ofPayment(membership),
    means: "paid",
    isTrial: true,
    invoiceId: trialOf(membership.id),
    subscriptionId: membership.id,
    paidAt: membership.created_at,
    period: { from: membership.renewal_period_start, until: membership.renewal_period_end },
    amount: 0,
  };
}

/**
 * A succeeded payment. A payment for a change of plan reports the present product. A payment for any other reason than a
 * period counts as a charge within a period.
 */
function ofPaid(payment: WhopPayment): Facts {
  const facts = ofPayment(payment);
  if (NEW_PERIOD.has(payment.billing_reason)) {
    const isTrial = payment.total === 0 && payment.membership?.status === "trialing";
    return isTrial
      ? {
          ...facts,
          means: "paid",
          isTrial,
          invoiceId: trialOf(payment.membership?.id) ?? payment.id,
          names: [payment.id],
        }
      : { ...facts, means: "paid" };
  }
  return { ...facts, means: isOfChange(payment) ? "plan_changed" : "charge" };
}

/** A dispute. One that is still an inquiry has moved no money but may become a chargeback. */
function ofDisputeIn(type: "dispute.created" | "dispute.updated", data: WhopData): Facts {
  if (data.inquiry === true)
    return type === "dispute.created"
      ? { ...ofDispute(data), means: "unclear", flags: ["inquiry"] }
      : ROUTINE;
  if (data.status === "won") return { ...ofDispute(data), means: "chargeback_won" };
  if (type === "dispute.updated" && data.status !== "needs_response" && data.status !== "lost")
    return ROUTINE;
  return { ...ofDispute(data), means: "chargeback" };
}

const ofPayment = (payment: WhopPayment): Omit<Facts, "means"> => ({
  invoiceId: payment.id,
  subscriptionId: payment.membership?.id,
  productIds: [payment.plan?.id, payment.product?.id],
  itemName: payment.product?.title,
  email: payment.user?.email,
  buyerName: payment.user?.name,
  paidAt: payment.paid_at ?? payment.created_at,
  amount: payment.total,
  currency: payment.currency,
  subscriberRef: payment.metadata?.subscriber,
});

/**
 * Facts of a refunded payment. The refund of a plan change must end that change and not the membership, even if it arrives
 * before the payment. It therefore carries no membership id, by which access would end.
 */
const ofEnded = (payment: WhopPayment): Omit<Facts, "means"> => ({
  ...ofPayment(payment),
  ...(isOfChange(payment) && { subscriptionId: null }),
});

const isOfChange = ({ billing_reason }: WhopPayment): boolean => billing_reason === "subscription_update";

const ofDispute = ({ id, payment }: WhopData): Omit<Facts, "means"> => ({
  invoiceId: payment?.id,
  names: [prefixedDisputeId(id)],
  subscriptionId: payment && !isOfChange(payment) ? payment.membership?.id : null,
  email: payment?.user?.email,
});
