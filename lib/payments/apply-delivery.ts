import type { Transaction } from "@/db/client";
import { lockPayment } from "@/db/queries/payments";
import type { RevokingEvent } from "@/lib/vocabulary";
import { PAID_EVENT, REVOKING_EVENTS } from "@/lib/vocabulary";
import { applyEnd } from "./apply-end";
import { applyFailure } from "./apply-failure";
import { applyPayment } from "./apply-payment";
import { readPaymentEvents } from "./catalog";
import type { PaymentDelivery } from "./delivery";
import { type ApplyContext, ignored, type Outcome } from "./outcome";

/**
 * Applies a delivery in the caller's transaction: makes or extends a key, or switches keys off, and queues the mail
 * about it. Deliveries of one invoice or of one buyer wait for each other here, in all processes (decision 71).
 */
export async function applyDelivery(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<Outcome> {
  await lockPayment(tx, delivery.invoiceId, delivery.buyer?.emailNormalized ?? null);
  if (delivery.event === PAID_EVENT) return applyPayment(tx, delivery, context.actor);
  if (isRevoking(delivery.event)) return applyEnd(tx, { ...delivery, event: delivery.event }, context);

  // The interface ignores any other event. What some of them tell is used all the same.
  const { failed, chargebackWon, failureGraceDays } = await readPaymentEvents(tx);
  const isNamed = (event: string) => event === delivery.event;
  if (failed.some(isNamed)) await applyFailure(tx, delivery, failureGraceDays, context);
  const answered = ignored(delivery, "unknown_event");
  return chargebackWon.some(isNamed) ? { ...answered, flags: ["chargeback_won"] } : answered;
}

/** Whether an event ends its invoice. */
export function isRevoking(event: string | null): event is RevokingEvent {
  return REVOKING_EVENTS.some((revoking) => revoking === event);
}
