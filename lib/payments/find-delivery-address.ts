import type { DatabaseHandle } from "@/db/client";
import { findPaymentDeliveryPayload } from "@/db/queries/payment-deliveries";
import { AppError } from "@/lib/wire/errors";
import { identifyDelivery, withPresentAddress } from "./identify-delivery";
import { readStoredDelivery } from "./stored-deliveries";

/**
 * The present normalised address of a delivery's buyer, apart from its stored invoice: by the platform's subscription, the
 * renewal link, the payment's other ids or the address that the delivery names. Null if there is no such delivery, it cannot
 * be read, or none of these leads to an address.
 */
export async function findDeliveryAddress(
  handle: DatabaseHandle,
  deliveryId: number,
): Promise<string | null> {
  const row = await findPaymentDeliveryPayload(handle, deliveryId);
  const read = row && readStoredDelivery(row);
  if (!read) return null;
  const { delivery } = await identifyDelivery(handle, read).catch((error: unknown) => {
    // Thrown for a payment of a customer whose address has not arrived yet.
    if (error instanceof AppError) return { delivery: read };
    throw error;
  });
  const buyer = delivery.buyer ?? read.buyer;
  return (await withPresentAddress(handle, { ...read, buyer })).buyer?.emailNormalized ?? null;
}
