import type { Transaction } from "@/db/client";
import { insertInvoiceNames, lockEmail, lockPayment, writePlatformCustomer } from "@/db/queries/payments";
import { emailHash } from "@/lib/runtime/log";
import { encrypt } from "@/lib/runtime/secrets";
import type { RevokingEvent } from "@/lib/vocabulary";
import { PAID_EVENT, REVOKING_EVENTS } from "@/lib/vocabulary";
import { applyEnd } from "./apply-end";
import { applyFailure } from "./apply-failure";
import { applyPayment } from "./apply-payment";
import { applyPlanChange } from "./apply-plan-change";
import { applyWonChargeback } from "./apply-won-chargeback";
import { readPaymentEvents } from "./catalog";
import type { DeliveryFlag, Meaning, PaymentDelivery } from "./delivery";
import { withPresentAddress } from "./identify-delivery";
import { type ApplyContext, ignored, type Outcome } from "./outcome";

/**
 * Applies a delivery in the caller's transaction: makes or extends a key, or switches keys off, and queues the mail
 * about it. Deliveries of one invoice or of one buyer wait for each other here, in all processes.
 */
export async function applyDelivery(
  tx: Transaction,
  named: PaymentDelivery,
  context: ApplyContext,
): Promise<Outcome> {
  await lockPayment(tx, named.invoiceId, named.buyer?.emailNormalized ?? null);
  // The address may have been changed a moment ago, while this one was waiting.
  const delivery = await withPresentAddress(tx, named);
  if (delivery.buyer && delivery.buyer !== named.buyer) await lockEmail(tx, delivery.buyer.emailNormalized);
  if (delivery.event === PAID_EVENT) return applyPayment(tx, delivery, context.actor);
  if (isRevoking(delivery.event)) return applyEnd(tx, { ...delivery, event: delivery.event }, context);

  // The interface ignores any other event. What some of them tell is used all the same.
  const { means, failureGraceDays } = await readMeaning(tx, delivery);
  const flags: DeliveryFlag[] = [];
  switch (means) {
    case "failed":
      await applyFailure(tx, delivery, failureGraceDays, context);
      break;
    case "chargeback_won":
      if ((await applyWonChargeback(tx, delivery, context)) === "for_a_person") flags.push("chargeback_won");
      break;
    case "linked":
      await insertInvoiceNames(tx, delivery.adapter, delivery.invoiceId, delivery.names);
      break;
    case "customer":
      await keepCustomer(tx, delivery);
      break;
    case "plan_changed":
      flags.push(...(await applyPlanChange(tx, delivery, context)));
      break;
    case "unclear":
      flags.push(...delivery.flags);
      break;
    case null:
      break;
  }
  return { ...ignored(delivery, "unknown_event"), flags };
}

/** What an event means: its adapter knows, or a setting says it of the platform of the interface. */
async function readMeaning(
  tx: Transaction,
  { means, adapter, event }: PaymentDelivery,
): Promise<{ means: Meaning | null; failureGraceDays: number }> {
  const { failed, chargebackWon, failureGraceDays } = await readPaymentEvents(tx);
  if (means !== null || adapter !== "generic") return { means, failureGraceDays };
  const isNamed = (name: string) => name === event;
  if (failed.some(isNamed)) return { means: "failed", failureGraceDays };
  return { means: chargebackWon.some(isNamed) ? "chargeback_won" : null, failureGraceDays };
}

async function keepCustomer(
  tx: Transaction,
  { adapter, externalCustomerId, buyer, buyerName }: PaymentDelivery,
) {
  if (externalCustomerId === null || buyer === null) return;
  await writePlatformCustomer(tx, {
    adapter,
    externalId: externalCustomerId,
    emailHash: emailHash(buyer.emailNormalized),
    buyerEncrypted: encrypt(JSON.stringify({ email: buyer.email, name: buyerName })),
  });
}

/** Whether an event ends its invoice. */
export function isRevoking(event: string | null): event is RevokingEvent {
  return REVOKING_EVENTS.some((revoking) => revoking === event);
}
