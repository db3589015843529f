import type { Database } from "@/db/client";
import { addDeliveryArrivals, findRepeatedDelivery } from "@/db/queries/deliveries";
import { PAID_EVENT } from "@/lib/vocabulary";
import { isRevoking, nothingRevokedOutcome } from "./apply-invoice-end";
import { alreadyProvisionedOutcome } from "./apply-payment";
import type { PaymentDelivery } from "./delivery";
import { type DeliveryOutcome, ignoredDeliveryOutcome } from "./outcome";

export interface RepeatedDeliveryAnswer {
  deliveryId: number;
  outcome: DeliveryOutcome;
}

/**
 * Answers bytes that were received before, and counts the repeats. This needs no lock, because it changes
 * nothing. null: the bytes are new, or had no effect before and might have one by the present rules.
 */
export async function answerRepeated(
  database: Database,
  delivery: PaymentDelivery,
  digest: string,
  nTimes: number,
): Promise<RepeatedDeliveryAnswer | null> {
  const known = await findRepeatedDelivery(database, digest, delivery);
  if (!known) return null;
  const outcome = outcomeOf(delivery, known);
  if (!outcome) return null;
  await addDeliveryArrivals(database, known.deliveryId, nTimes);
  return { deliveryId: known.deliveryId, outcome };
}

function outcomeOf(
  delivery: PaymentDelivery,
  known: NonNullable<Awaited<ReturnType<typeof findRepeatedDelivery>>>,
): DeliveryOutcome | null {
  if (isRevoking(delivery.event)) return nothingRevokedOutcome({ ...delivery, event: delivery.event });
  if (delivery.event !== PAID_EVENT || known.invoiceState === null) return null;
  if (delivery.status !== "paid" || delivery.buyer === null || known.waitsForBuyer) return null;
  if (known.invoiceState === "ended") return ignoredDeliveryOutcome(delivery, "invoice_ended");
  const { keyId, planTier } = known;
  return keyId !== null && planTier !== null
    ? alreadyProvisionedOutcome({ keyId, planTier }, delivery.flags)
    : ignoredDeliveryOutcome(delivery, "invoice_already_applied");
}
