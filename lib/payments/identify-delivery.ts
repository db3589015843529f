import { z } from "zod";
import type { Handle } from "@/db/client";
import { findPresentAddress } from "@/db/queries/accounts";
import { findInvoiceByName, findPlatformCustomer, findPlatformSubscriber } from "@/db/queries/payments";
import { decrypt } from "@/lib/runtime/secrets";
import { PAID_EVENT } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import type { PaymentDelivery } from "./delivery";

/** What is kept of a customer of a platform. */
export const KnownCustomer = z.object({ email: z.string(), name: z.string() });

/**
 * Completes a delivery of a platform with what was told before: which invoice a payment or an order belongs to, and whose
 * it is. A subscription of the platform that was paid for before belongs to the same subscriber, whatever address is
 * named now.
 *
 * Throws 409 `conflict` for a payment of a customer whose address is still to come, so that the platform sends it again.
 */
export async function identifyDelivery(handle: Handle, delivery: PaymentDelivery): Promise<PaymentDelivery> {
  return withPresentAddress(handle, await identify(handle, delivery));
}

/** The delivery of who has another address by now: a platform goes on naming the one that was paid with. */
export async function withPresentAddress(
  handle: Handle,
  delivery: PaymentDelivery,
): Promise<PaymentDelivery> {
  const { buyer } = delivery;
  const present = buyer && (await findPresentAddress(handle, buyer.emailNormalized));
  return present ? { ...delivery, buyer: present } : delivery;
}

async function identify(handle: Handle, delivery: PaymentDelivery): Promise<PaymentDelivery> {
  const { adapter, externalSubscriptionId, externalCustomerId } = delivery;
  if (adapter === "generic" || delivery.means === "customer" || delivery.means === "linked") return delivery;
  const isPayment = delivery.event === PAID_EVENT;
  const [named, subscriber] = await Promise.all([
    isPayment ? null : findInvoiceByName(handle, adapter, delivery.names),
    externalSubscriptionId === null ? null : findPlatformSubscriber(handle, adapter, externalSubscriptionId),
  ]);
  const productIds =
    delivery.firstItem.productIds.length === 0 && subscriber?.productId
      ? [subscriber.productId]
      : delivery.firstItem.productIds;
  const known = {
    ...delivery,
    invoiceId: named ?? delivery.invoiceId,
    firstItem: { ...delivery.firstItem, productIds },
  };
  if (subscriber?.emailNormalized) {
    const { email, emailNormalized } = subscriber;
    return { ...known, buyer: { email: email ?? emailNormalized, emailNormalized } };
  }
  if (known.buyer !== null || externalCustomerId === null) return known;
  const sealed = await findPlatformCustomer(handle, adapter, externalCustomerId);
  if (sealed !== null) {
    const { email, name } = KnownCustomer.parse(JSON.parse(decrypt(sealed)));
    return { ...known, buyer: { email, emailNormalized: normalizeEmail(email) }, buyerName: name };
  }
  if (!isPayment) return known;
  throw new AppError("conflict", {
    detail:
      "The address of this payment's customer is not known yet. Deliver it again after the customer's event.",
  });
}
