import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { secondsOf } from "@/lib/payments/signature";
import { type PaymentAdapter, type SignedRequest, TEST_DELIVERY_EVENT } from "./adapter";
import {
  amount,
  fields,
  flag,
  type PlatformFacts,
  platformDelivery,
  readPlatformJson,
  text,
} from "./platform-delivery";

const PAYMENT = {
  id: text,
  status: text,
  paid_at: text,
  created_at: text,
  currency: text,
  total: amount,
  billing_reason: text,
  plan: fields({ id: text }),
  product: fields({ id: text, title: text }),
  user: fields({ email: text, name: text }),
  membership: fields({ id: text }),
};
const Event = z.object({
  type: text,
  data: fields({ ...PAYMENT, amount, inquiry: flag, payment: fields(PAYMENT) }),
});
type WhopData = NonNullable<z.output<typeof Event>["data"]>;
type WhopPayment = Omit<WhopData, "amount" | "inquiry" | "payment">;

/** Whop: signs by Standard Webhooks; a membership is what renews. */
export const whop: PaymentAdapter = {
  name: "whop",
  isSigned,
  writeTest: (secret, at) => {
    const id = `msg_test_${at.getTime()}`;
    const body = JSON.stringify({ id, type: TEST_DELIVERY_EVENT });
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": secondsOf(at),
      "webhook-signature": webhookOf(secret).sign(id, at, body),
    };
    return { body, headers, query: "" };
  },
  read: (body, receivedAt) => {
    const { type, data } = readPlatformJson(Event, body);
    const facts = data ? (factsOf(type, data) ?? NOTHING) : NOTHING;
    return platformDelivery("whop", { ...facts, event: type }, body, receivedAt);
  },
};

type Facts = Omit<PlatformFacts, "event">;
const NOTHING: Facts = { means: null };

/** Whop signs with the letters of the secret themselves; `whsec_` marks one in Base64, as the standard has it. */
function webhookOf(secret: string): Webhook {
  return secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
}

function isSigned({ body, headers }: SignedRequest, secret: string): boolean {
  try {
    // Bytes that are no UTF-8 would be read as other bytes.
    const payload = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    webhookOf(secret).verify(payload, Object.fromEntries(headers), { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

function factsOf(type: string | null | undefined, data: WhopData): Facts | null {
  switch (type) {
    case "payment.succeeded":
      return { ...ofPayment(data), means: "paid" };
    case "payment.failed":
      return { ...ofPayment(data), means: "failed" };
    case "refund.created":
    case "refund.updated": {
      if (data.status !== "succeeded" || !data.payment) return null;
      const isPart = (data.amount ?? 0) < (data.payment.total ?? 0);
      return { ...ofPayment(data.payment), means: "refunded", refundedPart: isPart ? data.amount : null };
    }
    case "dispute.created":
      // An inquiry moves no money yet.
      return data.inquiry === true ? null : { ...ofDispute(data), means: "chargeback" };
    case "dispute.updated":
      return data.status === "won" && data.inquiry !== true
        ? { ...ofDispute(data), means: "chargeback_won" }
        : null;
    default:
      return null;
  }
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
});

const ofDispute = (dispute: WhopData): Omit<Facts, "means"> => ({
  invoiceId: dispute.payment?.id,
  subscriptionId: dispute.payment?.membership?.id,
  email: dispute.payment?.user?.email,
});
