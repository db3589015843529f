import { z } from "zod";
import { sha256 } from "@/lib/runtime/secrets";
import { HOUR_MS, parseIsoInstant } from "@/lib/time";
import {
  INVOICE_PAID_EVENT,
  PAYMENT_ADAPTERS,
  type PaymentAdapterName,
  type RevokingEvent,
} from "@/lib/vocabulary";
import { Email, normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import { readJson, writeNumber } from "@/lib/wire/json";
import { UNPRINTABLE_CHARACTER } from "@/lib/wire/person-name";

export interface Buyer {
  /** The address as the buyer wrote it, used to send mails. */
  email: string;
  /** The normalised address, which identifies the buyer. */
  emailNormalized: string;
}

export interface PurchasedItem {
  /** The platform's ids of the item, the most specific first: a price before its product. */
  productIds: readonly string[];
  name: string;
}

/** An amount as decimal text with at most four decimals. */
export interface Money {
  amount: string;
  /** Three capital letters; null: the delivery states no valid one. */
  currency: string | null;
}

/** An amount that a refund states. The amounts of several refunds add up. */
export interface RefundedAmount extends Money {
  /** Deliveries with the same id report the same refund: the largest amount counts. */
  refundId: string;
}

/**
 * Meanings of events that the generic format lacks: a payment failed, a chargeback was won, an invoice has a further id
 * (`linked`), a customer has an address, a subscription has another product, something was charged within a period, or the
 * administrator must decide (`unclear`).
 */
export type DeliveryMeaning =
  | "failed"
  | "chargeback_won"
  | "linked"
  | "customer"
  | "plan_changed"
  | "charge"
  | "unclear";

/** A period of access as the platform states it. */
export interface StatedPeriod {
  /** null: the platform states only the end. */
  from: Date | null;
  until: Date;
}

/** A delivery of a payment platform, parsed leniently: a missing or unusable field is null. */
export interface PaymentDelivery {
  adapter: PaymentAdapterName;
  /** The platform's name of the event. */
  platformEvent: string | null;
  /** The event's name in the generic format if it has one, otherwise the platform's name. */
  event: string | null;
  /** null: `event` says the meaning, or the event has none. */
  means: DeliveryMeaning | null;
  /** Further ids of the invoice at the platform, such as those of its payment or order. */
  names: readonly string[];
  /** The platform's id of the paid subscription. */
  externalSubscriptionId: string | null;
  /** The platform's id of the customer, for deliveries without an address. */
  externalCustomerId: string | null;
  /** The platform's id of the invoice. Without one, a hash of the body is used, so that equal bytes still count once. */
  invoiceId: string;
  status: string | null;
  firstItem: PurchasedItem;
  buyer: Buyer | null;
  buyerName: string;
  paidAt: Date | null;
  /**
   * The period that the payment bought or, for a trial or an event about a subscription, the present one, as the platform
   * states it; null: the product's days apply.
   */
  period: StatedPeriod | null;
  /** Whether the purchase is a trial. */
  isTrial: boolean;
  /**
   * Whether this is the first payment of a subscription on a platform that does not mark paid trials. It counts as a
   * trial if its product begins with one.
   */
  mayBeTrial: boolean;
  /** Whether a new period begins at once and the platform credited the unused rest of the former period. */
  startsAnew: boolean;
  /** Whether the event is a test, without a real payment. */
  isTest: boolean;
  /** Signed reference to the subscriber, if the purchase began at a renewal link of this service. */
  subscriberRef: string | null;
  /**
   * The total of the items, or the amount that the platform states; null if it is missing, unusable or in several
   * currencies.
   */
  total: Money | null;
  /** The amount that a refund states; null: none. */
  refunded: RefundedAmount | null;
  /** Reasons for the administrator to review the delivery. */
  flags: DeliveryFlag[];
}

/** Whether the delivery states a total above zero. */
export const hasPositiveTotal = ({ total }: Pick<PaymentDelivery, "total">): boolean =>
  total !== null && Number(total.amount) > 0;

export type DeliveryFlag =
  | "unmapped_product"
  | "unknown_plan"
  | "another_paid_invoice"
  | "missing_invoice_id"
  | "unusable_buyer_email"
  | "unusable_paid_at"
  | "unusable_amount"
  | "other_buyer"
  | "expired_on_arrival"
  | "partial_refund"
  | "refund_mismatch"
  | "changed_payment"
  | "chargeback_won"
  | "part_of_a_period"
  | "connected_account"
  | "unknown_invoice"
  | "missing_buyer"
  | "unknown_customer"
  | "several_items"
  | "free_order"
  | "trial_without_end"
  | "another_trial"
  | "inquiry"
  | "refund_failed"
  | "not_understood"
  | "paid_for_another"
  | "test_event";

/** Prefix of a dispute's id in the `names` of its payment. */
export const DISPUTE_NAME_PREFIX = "dispute:";

/** Prefix of a refund id that was made from the amount because the delivery has none: equal amounts count as one refund. */
const AMOUNT = "amount:";
/** Whether the delivery states the id of its refund. Always true for platforms other than `generic`. */
export const hasRefundId = ({ refundId }: RefundedAmount): boolean => !refundId.startsWith(AMOUNT);

export const REFUND_EVENT: RevokingEvent = "payment.invoice_refunded";

const MAX_EVENT_LENGTH = 100;
const MAX_INVOICE_ID_LENGTH = 200;
const MAX_NAME_LENGTH = 120;

const text = z.string().nullable().catch(null);
/** An id, sent as text or number. */
const identifier = z
  .union([z.string(), z.int().transform(String)])
  .transform((id) => id.trim())
  .nullable()
  .catch(null);
const MAX_AMOUNT = 999_999_999;
/** An amount, sent as a number or its text; a negative or implausible one counts as missing. */
const sum = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}(\.\d{1,9})?$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(MAX_AMOUNT))
  .nullable()
  .catch(null);
/** A number of items, sent as a number or its text. */
const Quantity = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number),
]);
const Item = z.object({ productId: identifier.optional(), name: text.optional() });
const Named = z.object({ amount: z.unknown().optional(), quantity: z.unknown().optional() });
const Price = z.object({
  amount: sum.optional(),
  quantity: Quantity.pipe(z.int().min(1).max(1_000_000)).catch(1).optional(),
  currency: text.optional(),
});
const Delivery = z.object({
  event: text.optional(),
  data: z
    .object({
      id: identifier.optional(),
      status: text.optional(),
      items: z.array(z.unknown()).catch([]).optional(),
      buyer: z.object({ name: text.optional(), email: text.optional() }).catch({}).optional(),
      paid_at: text.optional(),
      currency: text.optional(),
      amount_refunded: z.unknown().optional(),
      refunded_amount: z.unknown().optional(),
      refund_id: identifier.optional(),
    })
    .catch({})
    .optional(),
});

/**
 * SHA-256 of the body's bytes, by which equal bytes are recognised. For platforms other than `generic` it covers the
 * platform's name as well.
 */
export function deliveryBodyDigest(body: Uint8Array, adapter: PaymentAdapterName = "generic"): string {
  return sha256(adapter === "generic" ? body : Buffer.concat([Buffer.from(`${adapter}\n`), body]));
}

/**
 * Parses a body of the generic format whose signature has been checked. Throws 400 `invalid_payload` for a body that is not
 * a JSON object, is not valid UTF-8, is nested too deeply or contains a NUL. `receivedAt` limits which `paid_at` is
 * plausible.
 */
export function parseGenericDelivery(body: Uint8Array, receivedAt: Date): PaymentDelivery {
  const value = parseJsonObject(body);
  const { event, data } = Delivery.parse(value);
  const flags: DeliveryFlag[] = [];

  const buyer = parseBuyer(data?.buyer?.email ?? null);
  if (buyer === null && data?.buyer?.email?.trim()) flags.push("unusable_buyer_email");
  const paidAt = parsePaidAt(data?.paid_at ?? null, receivedAt);
  if (paidAt === null && data?.paid_at) flags.push("unusable_paid_at");
  const invoiceId = ownId(storableId(data?.id ?? null));
  if (invoiceId === null) flags.push("missing_invoice_id");
  if (buysSeveral(data?.items ?? [])) flags.push("several_items");
  // Only for payments: refunded amounts may be negative.
  if (event === INVOICE_PAID_EVENT && data?.items?.some(hasUnusableAmount)) flags.push("unusable_amount");

  const written = data?.amount_refunded ?? data?.refunded_amount ?? null;
  const refunded = decimalText(sum.parse(withoutSign(written)));
  if (event === REFUND_EVENT && refunded === null && written !== null && written !== "")
    flags.push("refund_mismatch");
  const total = parseTotal(data?.items ?? [], data?.currency ?? null);

  const named = storableEvent(event ?? null);
  return {
    adapter: "generic",
    platformEvent: named,
    event: named,
    means: null,
    names: [],
    externalSubscriptionId: null,
    externalCustomerId: null,
    invoiceId: invoiceId ?? `body:${deliveryBodyDigest(body)}`,
    status: data?.status ?? null,
    firstItem: parseItem(data?.items?.[0]),
    buyer,
    buyerName: printableName(data?.buyer?.name ?? ""),
    paidAt,
    period: null,
    isTrial: false,
    mayBeTrial: false,
    startsAnew: false,
    isTest: false,
    subscriberRef: null,
    total,
    refunded:
      refunded === null
        ? null
        : {
            amount: refunded,
            currency: parseCurrency(data?.currency ?? null) ?? total?.currency ?? null,
            refundId: data?.refund_id || `${AMOUNT}${refunded}`,
          },
    flags,
  };
}

/** An event's name shortened for storage; well-formed even if cut within a character. */
export function storableEvent(event: string | null): string | null {
  return event?.slice(0, MAX_EVENT_LENGTH).toWellFormed() ?? null;
}

/** Parses a body as a JSON object. Throws 400 `invalid_payload`. */
export function parseJsonObject(body: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = readJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new AppError("invalid_payload");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AppError("invalid_payload");
  return { ...value };
}

function parseItem(item: unknown): PurchasedItem {
  const { productId, name } = Item.catch({}).parse(item);
  return { productIds: productId ? [productId] : [], name: name ?? "" };
}

/**
 * Whether the purchase has several items or a quantity above one: a payment gives access for the first item only.
 */
function buysSeveral(items: readonly unknown[]): boolean {
  const { data: quantity = 1 } = Quantity.safeParse(Named.catch({}).parse(items[0]).quantity);
  return items.length > 1 || quantity > 1;
}

/** Whether an item has an implausible amount or quantity, such as a negative one. */
function hasUnusableAmount(item: unknown): boolean {
  const named = Named.catch({}).parse(item);
  const isNamed = (value: unknown) => value !== undefined && value !== null && value !== "";
  const { amount } = Price.catch({}).parse(item);
  const isAmountUsable = typeof amount === "number" && decimalText(amount) !== null;
  const isQuantityUsable = (Quantity.safeParse(named.quantity).data ?? 0) > 0;
  return (isNamed(named.amount) && !isAmountUsable) || (isNamed(named.quantity) && !isQuantityUsable);
}

/** The amount without a minus sign, because some platforms write refunded amounts below zero. */
const withoutSign = (amount: unknown): unknown =>
  typeof amount === "number"
    ? Math.abs(amount)
    : typeof amount === "string"
      ? amount.replace(/^-/, "")
      : amount;

/**
 * Total of all items: each amount times its quantity; null if an item has no amount, or if the items have several
 * currencies.
 */
function parseTotal(items: readonly unknown[], currency: string | null): Money | null {
  if (items.length === 0) return null;
  const prices = items.map((item) => Price.catch({}).parse(item));
  let total = 0;
  for (const { amount, quantity = 1 } of prices) {
    if (typeof amount !== "number") return null;
    total += amount * quantity;
  }
  const amount = decimalText(total);
  const currencies = new Set(
    prices.flatMap((price) => parseCurrency(currency ?? price.currency ?? null) ?? []),
  );
  // Amounts of several currencies have no total.
  if (amount === null || currencies.size > 1) return null;
  return { amount, currency: [...currencies][0] ?? null };
}

/** An amount as decimal text, rounded to four decimals; null if there is none, or if the database column cannot hold it. */
export function decimalText(value: number | null): string | null {
  return value === null || value > MAX_AMOUNT ? null : writeNumber(Math.round(value * 10_000) / 10_000);
}

/** A currency as three capital letters; null for any other text. */
export function parseCurrency(written: string | null): string | null {
  const code = written?.trim().toUpperCase() ?? "";
  return /^[A-Z]{3}$/.test(code) ? code : null;
}

/** The buyer's address, as written and normalised; null if it is not a valid address. */
export function parseBuyer(email: string | null): Buyer | null {
  const parsed = Email.safeParse(email ?? "");
  if (!parsed.success) return null;
  const spelt = parsed.data.normalize("NFC");
  return { email: spelt, emailNormalized: normalizeEmail(spelt) };
}

const CLOCK_SKEW_MS = 26 * HOUR_MS;
const EARLIEST = Date.UTC(2000, 0, 1);

/**
 * The stated time of a payment; null if it is missing, before the year 2000, or more than 26 hours after `receivedAt`.
 */
export function parsePaidAt(written: string | null, receivedAt: Date): Date | null {
  const at = written === null ? null : parseIsoInstant(written);
  if (at === null || at.getTime() < EARLIEST || at.getTime() > receivedAt.getTime() + CLOCK_SKEW_MS)
    return null;
  return at;
}

/**
 * An id in the form in which it is stored: an id of more than 200 characters is replaced by its hash. null if it is
 * empty.
 */
export function storableId(id: string | null): string | null {
  if (!id) return null;
  const wellFormed = id.toWellFormed();
  return wellFormed.length > MAX_INVOICE_ID_LENGTH ? `sha256:${sha256(wellFormed)}` : wellFormed;
}

/**
 * An id of the generic format. If it begins with a platform's name, it gets a prefix, so that it cannot match an id of
 * that platform.
 */
const ownId = (id: string | null): string | null =>
  id !== null && PAYMENT_ADAPTERS.some((name) => id.startsWith(`${name}:`)) ? `generic:${id}` : id;

/** A name for display: on one line, at most 120 characters. */
export function printableName(name: string): string {
  return name
    .toWellFormed()
    .replace(new RegExp(`${UNPRINTABLE_CHARACTER.source}+`, "gu"), " ")
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}
