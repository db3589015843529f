import { z } from "zod";
import {
  bodyDigest,
  type DeliveryFlag,
  decimalText,
  type Meaning,
  type PaymentDelivery,
  parseBuyer,
  parseCurrency,
  parsePaidAt,
  printableName,
  readObject,
  storableEvent,
  storableId,
} from "@/lib/payments/delivery";
import { PAID_EVENT, type PaymentAdapterName, type RevokingEvent } from "@/lib/vocabulary";

/** What an event of a platform is, in the words of the interface or beside them; null: it changes nothing here. */
export type PlatformMeaning = "paid" | "refunded" | "chargeback" | Meaning;

const EVENTS: Partial<Record<PlatformMeaning, typeof PAID_EVENT | RevokingEvent>> = {
  paid: PAID_EVENT,
  refunded: "payment.invoice_refunded",
  chargeback: "payment.invoice_chargeback",
};

type Given = string | null | undefined;

/** What a platform's event says, as its adapter found it. */
export interface PlatformFacts {
  event: Given;
  means: PlatformMeaning | null;
  /** What the platform calls the invoice, payment or order. */
  invoiceId?: Given;
  /** What else it calls it: recorded with a payment, looked up by everything else. */
  names?: readonly Given[];
  subscriptionId?: Given;
  customerId?: Given;
  productIds?: readonly Given[];
  itemName?: Given;
  email?: Given;
  buyerName?: Given;
  /** ISO 8601, or seconds since 1970. */
  paidAt?: string | number | null | undefined;
  /** In whole units of the currency. */
  amount?: number | null | undefined;
  currency?: Given;
  /** What was given back, where that is a part. */
  refundedPart?: number | null | undefined;
  flags?: DeliveryFlag[];
}

/** A delivery of a platform in the form of the interface. Ids carry the platform's name, so that they meet no other's. */
export function platformDelivery(
  adapter: PaymentAdapterName,
  facts: PlatformFacts,
  body: Uint8Array,
  receivedAt: Date,
): PaymentDelivery {
  const { means } = facts;
  const buyer = parseBuyer(facts.email ?? null);
  const paidAt = parsePaidAt(isoOf(facts.paidAt), receivedAt);
  const invoiceId = storableId(facts.invoiceId?.trim() || null);
  const flags = [...(facts.flags ?? [])];
  if (means !== null && means !== "customer") {
    if (buyer === null && facts.email?.trim()) flags.push("unusable_buyer_email");
    if (invoiceId === null) flags.push("missing_invoice_id");
  }
  const amount = decimalText(notNegative(facts.amount));
  const part = notNegative(facts.refundedPart);
  const event = storableEvent(facts.event ?? null);
  const isPart = facts.refundedPart !== undefined && facts.refundedPart !== null;
  return {
    adapter,
    platformEvent: event,
    event: means === null ? event : (EVENTS[means] ?? event),
    means: means === null || means in EVENTS ? null : toMeaning(means),
    invoiceId: invoiceId === null ? `${adapter}:body:${bodyDigest(body)}` : `${adapter}:${invoiceId}`,
    names: present(facts.names),
    externalSubscriptionId: present([facts.subscriptionId])[0] ?? null,
    externalCustomerId: present([facts.customerId])[0] ?? null,
    status: means === "paid" ? "paid" : isPart ? "partial_refund" : null,
    firstItem: { productIds: present(facts.productIds), name: facts.itemName ?? "" },
    buyer,
    buyerName: printableName(facts.buyerName ?? ""),
    paidAt,
    period: null,
    isTrial: false,
    isTest: false,
    subscriberRef: null,
    total: amount === null ? null : { amount, currency: parseCurrency(facts.currency ?? null) },
    // Some say that a part went back, and not how much.
    refunded: part ? decimalText(part) : null,
    flags,
  };
}

/** A sum; one below zero counts as not told. */
function notNegative(sum: number | null | undefined): number | null {
  return sum !== null && sum !== undefined && sum >= 0 ? sum : null;
}

function toMeaning(means: PlatformMeaning): Meaning | null {
  return means === "paid" || means === "refunded" || means === "chargeback" ? null : means;
}

function present(ids: readonly Given[] | undefined): string[] {
  return (ids ?? []).flatMap((id) => storableId(id?.trim() || null) ?? []);
}

function isoOf(at: string | number | null | undefined): string | null {
  if (typeof at !== "number") return at ?? null;
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Currencies that the platforms count in whole units; every other one in hundredths. */
const WHOLE_UNITS = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF".split(" "));

/** An amount that a platform gives in the smallest unit of its currency, in whole units; null for none. */
export function fromSmallest(amount: number | null | undefined, currency: Given): number | null {
  if (amount === null || amount === undefined) return null;
  return WHOLE_UNITS.has(currency?.trim().toUpperCase() ?? "") ? amount : amount / 100;
}

/** Schemas for what is read leniently: whatever is of another kind counts as not sent. */
export const text = z.string().nullish().catch(null);
export const flag = z.boolean().nullish().catch(null);
/** Ids come as text or as numbers. */
export const id = z
  .union([z.string(), z.int().transform(String)])
  .nullish()
  .catch(null);
/** Numbers come as numbers or as their text. */
export const amount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?[0-9]{1,12}(\.[0-9]{1,9})?$/)
      .transform(Number),
  ])
  .nullish()
  .catch(null);

/** An object with these fields, or one without any where something else stands. */
export const fields = <T extends z.ZodRawShape>(shape: T) => z.object(shape).nullish().catch(null);

/** A list with at most 100 of these, or an empty one. */
export const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .transform((items) => items.slice(0, 100))
    .catch([]);

/** A JSON body by the platform's schema. Throws 400 `invalid_payload`. */
export function readPlatformJson<T extends z.ZodType>(schema: T, body: Uint8Array): z.output<T> {
  return schema.parse(readObject(body));
}
