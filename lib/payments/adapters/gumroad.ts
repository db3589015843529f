import { isSameSignature } from "@/lib/payments/signature";
import { AppError } from "@/lib/wire/errors";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import { fromSmallest, type PlatformFacts, platformDelivery } from "./platform-delivery";

/** The query parameter that holds the secret. */
export const SECRET_PARAMETER = "secret";

/**
 * Gumroad: pings are forms and carry no signature, so that a secret in the address is all that there is. It says who
 * sends, and nothing about the bytes.
 */
export const gumroad: PaymentAdapter = {
  name: "gumroad",
  isSigned: ({ url }, secret) => isSameSignature(url.searchParams.get(SECRET_PARAMETER) ?? "", secret),
  writeTest: (secret, at) => ({
    body: new URLSearchParams({
      resource_name: TEST_DELIVERY_EVENT,
      sent_at: String(at.getTime()),
    }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    query: new URLSearchParams({ [SECRET_PARAMETER]: secret }).toString(),
  }),
  read: (body, receivedAt) => {
    const form = readForm(body);
    const event = form.get("resource_name") ?? "sale";
    return platformDelivery("gumroad", { ...(factsOf(event, form) ?? NOTHING), event }, body, receivedAt);
  },
};

type Facts = Omit<PlatformFacts, "event">;
const NOTHING: Facts = { means: null };

function readForm(body: Uint8Array): URLSearchParams {
  let written: string;
  try {
    written = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new AppError("invalid_payload");
  }
  const form = new URLSearchParams(written);
  if ([...form.entries()].some(([name, value]) => name.includes("\0") || value.includes("\0")))
    throw new AppError("invalid_payload");
  // JSON, or anything else, is one long name without a value.
  if (!["sale_id", "subscription_id", "resource_name"].some((name) => form.has(name)))
    throw new AppError("invalid_payload");
  return form;
}

function factsOf(event: string, form: URLSearchParams): Facts | null {
  const sale = { invoiceId: form.get("sale_id"), subscriptionId: form.get("subscription_id") };
  switch (event) {
    case "sale":
      // A plain ping tells of a refund in the same words as of a sale.
      if (form.get("refunded") === "true") return { ...sale, means: "refunded", email: form.get("email") };
      if (form.get("is_preorder_authorization") === "true") return null;
      return { ...sale, ...ofSale(form), means: "paid" };
    case "refund":
      return {
        ...sale,
        means: "refunded",
        email: form.get("email"),
        // A part is told without its amount.
        refundedPart: form.get("refunded") === "true" ? null : 0,
      };
    case "dispute":
      return { ...sale, means: "chargeback", email: form.get("email") };
    case "dispute_won":
      return { ...sale, means: "chargeback_won", email: form.get("email") };
    default:
      return null;
  }
}

function ofSale(form: URLSearchParams): Omit<Facts, "means"> {
  const price = form.get("price") ?? "";
  const currency = form.get("currency");
  const variants = [...form.entries()].flatMap(([name, value]) =>
    name.startsWith("variants[") ? [value] : [],
  );
  return {
    productIds: [
      form.get("product_id"),
      form.get("short_product_id"),
      form.get("permalink"),
      form.get("product_permalink"),
    ],
    itemName: [form.get("product_name"), ...variants].filter(Boolean).join(" "),
    email: form.get("email"),
    buyerName: form.get("full_name"),
    paidAt: form.get("sale_timestamp"),
    amount: /^[0-9]{1,11}$/.test(price) ? fromSmallest(Number(price), currency) : null,
    currency,
  };
}
