import { isSameSignature } from "@/lib/payments/signature";
import { parseIsoInstant } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";
import { fromMinorUnits, type PlatformEventFacts, platformDelivery } from "./platform-delivery";

/** Query parameter of the webhook address that carries the secret. */
export const SECRET_PARAMETER = "secret";

/**
 * Gumroad: pings are unsigned forms. A secret in the webhook address is the only protection: it proves the sender, but
 * not that the body is unchanged.
 */
export const gumroad: PaymentAdapter = {
  name: "gumroad",
  title: "Gumroad",
  choose:
    "Gumroad signs nothing. Add ?secret= and the secret to the address, and keep the address to yourself. Resources: sale, refund, dispute, dispute_won, subscription_updated.",
  secret: "GUMROAD_WEBHOOK_SECRET",
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
    const isTest = form.get("test") === "true";
    return platformDelivery("gumroad", { ...factsOf(event, form), event, isTest }, body, receivedAt);
  },
};

type Facts = Omit<PlatformEventFacts, "event">;
const NOTHING: Facts = { means: null };
const ROUTINE: Facts = { means: "routine" };

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
  // Any other format, such as JSON, parses as one long name without a value.
  if (!["sale_id", "subscription_id", "resource_name"].some((name) => form.has(name)))
    throw new AppError("invalid_payload");
  return form;
}

function factsOf(event: string, form: URLSearchParams): Facts {
  const sale = { invoiceId: form.get("sale_id"), subscriptionId: form.get("subscription_id") };
  const back = { ...sale, names: [form.get("sale_id")], email: form.get("email") };
  switch (event) {
    case "sale":
      // A refund also arrives as a plain ping, with the same fields as the ping of its sale.
      if (form.get("refunded") === "true") return { ...back, means: "refunded" };
      if (form.get("is_preorder_authorization") === "true") return ROUTINE;
      return { ...sale, ...ofSale(form), means: "paid" };
    case "refund":
      return {
        ...back,
        means: "refunded",
        // Gumroad sends no amount of a partial refund.
        refundedPart: form.get("refunded") === "true" ? null : 0,
      };
    case "dispute":
      return { ...back, means: "chargeback" };
    case "dispute_won":
      return { ...back, means: "chargeback_won" };
    case "subscription_updated":
      return ofChange(form);
    case "cancellation":
    case "subscription_ended":
    case "subscription_restarted":
      return ROUTINE;
    default:
      return NOTHING;
  }
}

function ofSale(form: URLSearchParams): Omit<Facts, "means"> {
  const currency = form.get("currency");
  const variants = [...form.entries()].flatMap(([name, value]) =>
    name.startsWith("variants[") ? [value] : [],
  );
  const isGift = form.get("is_gift_receiver_purchase") === "true";
  const price = wholeNumber(form.get(isGift ? "gift_price" : "price"));
  const isFirst = form.has("subscription_id") && form.get("is_recurring_charge") !== "true" && !isGift;
  return {
    productIds: [
      form.get("product_id"),
      form.get("short_product_id"),
      form.get("permalink"),
      form.get("product_permalink"),
    ],
    itemName: [form.get("product_name"), ...variants].filter(Boolean).join(" "),
    nItems: wholeNumber(form.get("quantity")),
    email: form.get("email"),
    buyerName: form.get("full_name"),
    paidAt: form.get("sale_timestamp"),
    // A free membership without an offer code is a trial. Paid trials are pinged at the regular price and not
    // marked.
    isTrial: isFirst && price === 0 && !form.has("offer_code"),
    mayBeTrial: isFirst,
    amount: fromMinorUnits(price, currency),
    currency,
    // A gift belongs to its receiver, even if the giver used a subscriber's link.
    subscriberRef: isGift ? null : form.get("url_params[subscriber]"),
  };
}

/**
 * A change of a membership's tier or billing interval. A downgrade begins with the next period. An upgrade outside a trial
 * is charged at once, less the value of the rest of the present period, and begins a new period (Gumroad's source,
 * `Subscription::UpdaterService`). The charge arrives as a separate `sale`, dated `effective_as_of` or later.
 */
function ofChange(form: URLSearchParams): Facts {
  const tier = form.get("new_plan[tier][id]");
  if (tier === null) return NOTHING;
  const [effectiveAt, trialEndsAt] = ["effective_as_of", "free_trial_ends_at"].map((name) =>
    parseIsoInstant(form.get(name) ?? ""),
  );
  const isUpgrade = form.get("type") === "upgrade";
  const isInTrial = Boolean(effectiveAt && trialEndsAt && effectiveAt < trialEndsAt);
  const startsAnew = isUpgrade && Boolean(effectiveAt) && !isInTrial;
  return {
    means: "plan_changed",
    invoiceId: form.get("subscription_id"),
    subscriptionId: form.get("subscription_id"),
    productIds: [tier],
    itemName: form.get("new_plan[tier][name]"),
    nItems: wholeNumber(form.get("new_plan[quantity]")),
    startsAnew,
    paidAt: startsAnew ? form.get("effective_as_of") : null,
    // Without `effective_as_of` the charge of an upgrade cannot be distinguished from a renewal.
    flags: isUpgrade && !effectiveAt ? ["part_of_a_period"] : [],
  };
}

const wholeNumber = (text: string | null) => (/^-?[0-9]{1,11}$/.test(text ?? "") ? Number(text) : null);
