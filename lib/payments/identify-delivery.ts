import { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import { findCurrentAddress } from "@/db/queries/accounts";
import {
  findPlatformCustomer,
  findPlatformSubscriptionBuyer,
  findSubscriberFromShopLink,
  findSubscriptionAddress,
  listInvoicesByNames,
} from "@/db/queries/payments";
import { decrypt } from "@/lib/runtime/secrets";
import { verifySubscriberRef } from "@/lib/runtime/subscriber-ref";
import { INVOICE_PAID_EVENT, REVOKING_EVENTS, type RevokingEvent } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { type Buyer, type PaymentDelivery, parseBuyer } from "./delivery";

/** The stored data of a platform's customer. */
export const StoredCustomer = z.object({ email: z.string(), name: z.string() });

export interface IdentifiedDelivery {
  delivery: PaymentDelivery;
  /** The event that ended the invoice under another of its ids, although it counts as paid under this one; null: none. */
  ended: RevokingEvent | null;
  /** Ids of invoices with a known buyer that are the same purchase but arrived separately. */
  twins: readonly string[];
  /** Ids under which single charges were refunded or charged back before it was known that they belong to this invoice. */
  endedApart: readonly string[];
}

/** All ids of a delivery's invoice at its platform. Empty for the generic format, whose invoices have only one id. */
export function platformInvoiceIdsOf({ adapter, invoiceId, names }: PaymentDelivery): string[] {
  return adapter === "generic" ? [] : [...new Set([invoiceId.slice(adapter.length + 1), ...names])];
}

/** Every id under which a delivery of this invoice may be stored. */
export const storedIdsOf = ({ adapter, invoiceId, names }: PaymentDelivery): [string, ...string[]] => [
  invoiceId,
  ...names.map((name) => `${adapter}:${name}`),
];

/**
 * Completes a platform's delivery from earlier ones: its invoice, by any of its ids, and its subscriber. A platform's
 * subscription that was paid for before belongs to the same subscriber, even if the delivery names another address. A first
 * payment belongs to the subscriber whose renewal link was used.
 *
 * Throws 409 `conflict` for a payment of a customer whose address has not arrived yet, so that the platform sends it again.
 */
export async function identifyDelivery(
  handle: DatabaseHandle,
  delivery: PaymentDelivery,
): Promise<IdentifiedDelivery> {
  if (delivery.adapter === "generic" || delivery.means === "customer")
    return { delivery, ended: null, twins: [], endedApart: [] };
  const ids = platformInvoiceIdsOf(delivery);
  const [known, owner] = await Promise.all([
    listInvoicesByNames(handle, delivery.adapter, ids),
    findOwner(handle, delivery),
  ]);
  const knownIds = known.map(({ invoiceId }) => invoiceId.slice(delivery.adapter.length + 1));
  const linked =
    owner !== null || knownIds.length === 0
      ? null
      : await findSubscriberFromShopLink(handle, delivery.adapter, knownIds);
  const [invoice] = known;
  const invoiceId = invoice?.invoiceId ?? delivery.invoiceId;
  const productIds =
    delivery.firstItem.productIds.length === 0 && owner?.productId
      ? [owner.productId]
      : delivery.firstItem.productIds;
  const named = {
    ...delivery,
    invoiceId,
    names: ids.filter((id) => `${delivery.adapter}:${id}` !== invoiceId),
    firstItem: { ...delivery.firstItem, productIds },
  };
  const payer = buyerOf(owner) ?? (isPayment(delivery) ? null : buyerOf(invoice)) ?? buyerOf(linked);
  // A refund of an unknown payment, for example of another product of the seller, must not end access by its
  // address alone.
  const isUnknown = payer === null && REVOKING_EVENTS.some((name) => name === delivery.event);
  const others = known.filter((other) => other !== invoice);
  const endedApart = others.filter(({ waitsForBuyer }) => waitsForBuyer);
  return {
    delivery: isUnknown ? { ...named, buyer: null } : await withBuyer(handle, named, payer),
    ended: invoice?.state === "paid" && invoice.wasPaid ? (endedApart[0]?.endedBy ?? null) : null,
    twins: others
      .filter(({ wasPaid, state, waitsForBuyer }) => wasPaid || (state === "ended" && !waitsForBuyer))
      .map((other) => other.invoiceId),
    endedApart: endedApart.map((other) => other.invoiceId),
  };
}

const isPayment = ({ event, means }: PaymentDelivery) => event === INVOICE_PAID_EVENT || means === "charge";

interface Owner {
  email: string | null;
  emailNormalized: string | null;
  productId?: string | null;
}

/** The subscriber of the platform's subscription, otherwise the one whose renewal link was used. */
async function findOwner(
  handle: DatabaseHandle,
  { adapter, externalSubscriptionId, subscriberRef }: PaymentDelivery,
): Promise<Owner | null> {
  const linked = verifySubscriberRef(subscriberRef);
  const [paid, before, now] = await Promise.all([
    externalSubscriptionId === null
      ? null
      : findPlatformSubscriptionBuyer(handle, adapter, externalSubscriptionId),
    externalSubscriptionId === null
      ? null
      : findSubscriberFromShopLink(handle, adapter, [externalSubscriptionId]),
    linked === null ? null : findSubscriptionAddress(handle, linked),
  ]);
  return paid ?? before ?? now;
}

function buyerOf(owner: Owner | null | undefined): Buyer | null {
  if (!owner?.emailNormalized) return null;
  return { email: owner.email ?? owner.emailNormalized, emailNormalized: owner.emailNormalized };
}

async function withBuyer(
  handle: DatabaseHandle,
  delivery: PaymentDelivery,
  owner: Buyer | null,
): Promise<PaymentDelivery> {
  const { adapter, externalCustomerId } = delivery;
  if (owner !== null) return { ...delivery, buyer: owner };
  if (delivery.buyer !== null || externalCustomerId === null) return delivery;
  const sealed = await findPlatformCustomer(handle, adapter, externalCustomerId);
  if (sealed !== null) {
    const { email, name } = StoredCustomer.parse(JSON.parse(decrypt(sealed)));
    return { ...delivery, buyer: parseBuyer(email), buyerName: name };
  }
  if (!isPayment(delivery)) return delivery;
  throw new AppError("conflict", {
    detail:
      "The address of this payment's customer is not known yet. Deliver it again after the customer's event.",
  });
}

/** The delivery with the buyer's present address: platforms keep sending the one used at the purchase. */
export async function withPresentAddress(
  handle: DatabaseHandle,
  delivery: PaymentDelivery,
): Promise<PaymentDelivery> {
  const { buyer } = delivery;
  const present = buyer && (await findCurrentAddress(handle, buyer.emailNormalized));
  return present ? { ...delivery, buyer: present } : delivery;
}
