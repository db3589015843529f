import { z } from "zod";
import {
  type DeliveryFlag,
  type DeliveryMeaning,
  DISPUTE_NAME_PREFIX,
  decimalText,
  deliveryBodyDigest,
  type PaymentDelivery,
  parseBuyer,
  parseCurrency,
  parseJsonObject,
  parsePaidAt,
  printableName,
  REFUND_EVENT,
  type StatedPeriod,
  storableEvent,
  storableId,
} from "@/lib/payments/delivery";
import { parseIsoInstant } from "@/lib/time";
import { INVOICE_PAID_EVENT, type PaymentAdapterName, type RevokingEvent } from "@/lib/vocabulary";

/**
 * Meaning of a platform's event. `paid`, `refunded` and `chargeback` are events of the generic format. `routine` changes
 * nothing, because the event repeats others or is not about a payment.
 */
export type PlatformMeaning = "paid" | "refunded" | "chargeback" | "routine" | DeliveryMeaning;

const EVENTS: Partial<Record<PlatformMeaning, typeof INVOICE_PAID_EVENT | RevokingEvent>> = {
  paid: INVOICE_PAID_EVENT,
  refunded: REFUND_EVENT,
  chargeback: "payment.invoice_chargeback",
};

type Given = string | null | undefined;
/** ISO 8601, or seconds since 1970. */
type Time = string | number | null | undefined;

/** Facts that an adapter read from a platform's event. */
export interface PlatformEventFacts {
  event: Given;
  /** null: an unknown event. It changes nothing, and is listed for review if its body names a buyer or an amount. */
  means: PlatformMeaning | null;
  /** The platform's id of the invoice, payment or order. */
  invoiceId?: Given;
  /**
   * Further ids of the same invoice. Payments, links, plan changes and events that end the invoice store them, so that
   * later events that carry only one of them find the invoice.
   */
  names?: readonly Given[];
  subscriptionId?: Given;
  customerId?: Given;
  productIds?: readonly Given[];
  itemName?: Given;
  email?: Given;
  buyerName?: Given;
  paidAt?: Time;
  /** The paid period as the platform states it. */
  period?: { from?: Time; until?: Time } | null | undefined;
  isTrial?: boolean;
  mayBeTrial?: boolean;
  startsAnew?: boolean;
  isTest?: boolean;
  /** Signed reference to the subscriber, if the purchase began at a renewal link of this service. */
  subscriberRef?: Given;
  /** Number of purchased items; more than one needs a review. */
  nItems?: number | null | undefined;
  /** The paid amount, in major units of the currency. */
  amount?: number | null | undefined;
  currency?: Given;
  /**
   * The refunded amount, if it may be a part of the payment; 0: a part of unknown amount; null or missing: a full
   * refund.
   */
  refundedPart?: number | null | undefined;
  /** Whether `refundedPart` is the whole amount of one charge. A payment can consist of several charges. */
  isWholeCharge?: boolean;
  /**
   * Id under which refunded amounts are added up: of several amounts with one id the largest counts, and amounts with
   * different ids add up. Without an id, each amount is the sum of all refunds so far.
   */
  refundId?: Given;
  /** The refund's currency, if it can differ from `currency`. */
  refundCurrency?: Given;
  flags?: DeliveryFlag[];
}

/**
 * Converts a platform's event to a `PaymentDelivery`. Invoice ids get the platform's name as a prefix, so that ids of
 * different platforms cannot collide.
 */
export function platformDelivery(
  adapter: PaymentAdapterName,
  facts: PlatformEventFacts,
  body: Uint8Array,
  receivedAt: Date,
): PaymentDelivery {
  const means = facts.means === null && namesMoney(body) ? "unclear" : facts.means;
  const isMoney = means !== null && !["routine", "customer", "linked", "plan_changed"].includes(means);
  const buyer = parseBuyer(facts.email ?? null);
  const paidAt = parsePaidAt(isoOf(facts.paidAt), receivedAt);
  const invoiceId = storableId(facts.invoiceId?.trim() || null);
  const flags = [...(facts.flags ?? [])];
  if (facts.means === null && means !== null) flags.push("not_understood");
  else if (isMoney) {
    if (buyer === null && facts.email?.trim()) flags.push("unusable_buyer_email");
    if (invoiceId === null) flags.push("missing_invoice_id");
    if ((facts.nItems ?? 1) > 1) flags.push("several_items");
    if (means === "paid" && (facts.amount ?? 0) < 0) flags.push("unusable_amount");
  }
  const amount = decimalText(notNegative(facts.amount));
  const part = decimalText(facts.refundedPart ? Math.abs(facts.refundedPart) : null);
  const event = storableEvent(facts.event ?? null);
  const isPart = facts.refundedPart !== undefined && facts.refundedPart !== null && !facts.isWholeCharge;
  return {
    adapter,
    platformEvent: event,
    event: means === null ? event : (EVENTS[means] ?? event),
    means: means === null ? null : toMeaning(means),
    invoiceId: invoiceId === null ? `${adapter}:body:${deliveryBodyDigest(body)}` : `${adapter}:${invoiceId}`,
    names: present(facts.names),
    externalSubscriptionId: present([facts.subscriptionId])[0] ?? null,
    externalCustomerId: present([facts.customerId])[0] ?? null,
    status: means === "paid" || means === "charge" ? "paid" : isPart ? "partial_refund" : null,
    firstItem: { productIds: present(facts.productIds), name: facts.itemName ?? "" },
    buyer,
    buyerName: printableName(facts.buyerName ?? ""),
    paidAt,
    period: periodOf(facts.period),
    isTrial: facts.isTrial ?? false,
    mayBeTrial: facts.mayBeTrial ?? false,
    startsAnew: facts.startsAnew ?? false,
    isTest: facts.isTest ?? false,
    subscriberRef: facts.subscriberRef?.trim() || null,
    total: amount === null ? null : { amount, currency: parseCurrency(facts.currency ?? null) },
    // Null also for a partial refund whose platform states no amount.
    refunded:
      part === null
        ? null
        : {
            amount: part,
            currency: parseCurrency(facts.refundCurrency ?? facts.currency ?? null),
            refundId: facts.refundId ?? "",
          },
    flags,
  };
}

/**
 * The id of a dispute in the form in which it is listed in its payment's `names`. When a dispute is won, this name is
 * stored with the prefix `won:`, so that the dispute's chargeback, if it is reported later, does not end access.
 */
export const prefixedDisputeId = (id: Given): string | null => (id ? `${DISPUTE_NAME_PREFIX}${id}` : null);

/** The amount, or null if it is missing or negative. */
function notNegative(sum: number | null | undefined): number | null {
  return sum !== null && sum !== undefined && sum >= 0 ? sum : null;
}

function toMeaning(means: PlatformMeaning): DeliveryMeaning | null {
  return means === "paid" || means === "refunded" || means === "chargeback" || means === "routine"
    ? null
    : means;
}

function present(ids: readonly Given[] | undefined): string[] {
  return (ids ?? []).flatMap((id) => storableId(id?.trim() || null) ?? []);
}

/** The stated period, or null if it does not end after its start: single purchases state a period without a length. */
function periodOf(named: PlatformEventFacts["period"]): StatedPeriod | null {
  const [from, until] = [named?.from, named?.until].map((at) => {
    const iso = isoOf(at);
    return iso === null ? null : parseIsoInstant(iso);
  });
  if (!until) return null;
  return from && until <= from ? null : { from: from ?? null, until };
}

function isoOf(at: Time): string | null {
  if (typeof at !== "number") return at ?? null;
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Currencies whose amounts are whole units: those without decimals in ISO 4217, and MGA. */
const WHOLE_UNITS = new Set("BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split(" "));
/** Currencies with three decimals, by ISO 4217. Amounts in a currency of neither list are in hundredths. */
const THOUSANDTHS = new Set("BHD IQD JOD KWD LYD OMR TND".split(" "));

/** Converts an amount from the smallest unit of its currency to major units; null for none. */
export function fromMinorUnits(
  amount: number | null | undefined,
  currency: Given,
  /** Currencies that this platform counts in hundredths, contrary to ISO 4217. */
  inHundredths: ReadonlySet<string> = new Set(),
): number | null {
  if (amount === null || amount === undefined) return null;
  const code = currency?.trim().toUpperCase() ?? "";
  if (inHundredths.has(code)) return amount / 100;
  if (WHOLE_UNITS.has(code)) return amount;
  return THOUSANDTHS.has(code) ? amount / 1000 : amount / 100;
}

/** Matches a body that contains an e-mail address, or an amount other than 0. */
const MONEY =
  /"[a-z_]{0,40}email"\s{0,9}:\s{0,9}"[^"@]{1,254}@|"[a-z_]{0,40}(?:amount|total|price)[a-z_]{0,40}"\s{0,9}:\s{0,9}"?-?[0.]{0,12}[1-9]|(?:^|&)[a-z_]{0,40}email=[^&]|(?:^|&)price=0{0,12}[1-9]/i;

/** Whether a body contains a buyer's e-mail address or an amount. */
const namesMoney = (body: Uint8Array) => MONEY.test(new TextDecoder().decode(body));

/** Text; a value of another type counts as missing. */
export const lenientText = z.string().nullish().catch(null);
export const lenientFlag = z.boolean().nullish().catch(null);
/** An id, sent as text or number. */
export const lenientId = z
  .union([z.string(), z.int().transform(String)])
  .nullish()
  .catch(null);
/** A number, sent as a number or its text. */
export const lenientAmount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?[0-9]{1,12}(\.[0-9]{1,9})?$/)
      .transform(Number),
  ])
  .nullish()
  .catch(null);

/** An object with these fields; any other value counts as missing. */
export const lenientObject = <T extends z.ZodRawShape>(shape: T) => z.object(shape).nullish().catch(null);

/**
 * A list of such items, cut after the first 100. Another value, or a list with an invalid item, counts as an empty
 * list.
 */
export const lenientList = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .transform((items) => items.slice(0, 100))
    .catch([]);

/** Parses a JSON body by the platform's schema. Throws 400 `invalid_payload`. */
export function readPlatformJson<T extends z.ZodType>(schema: T, body: Uint8Array): z.output<T> {
  return schema.parse(parseJsonObject(body));
}
