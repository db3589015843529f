import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { findDeliveryByDigest } from "@/db/queries/deliveries";
import {
  endInvoice,
  enterPayer,
  findInvoice,
  hasOtherPaidInvoice,
  lockEmail,
  lockKeysByEmail,
  makeRevocationsFinal,
  recordPartialRefund,
  revokeKeys,
} from "@/db/queries/payments";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit, recordAudits } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import type { RevokingEvent } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { undoPlanChange } from "./apply-plan-change";
import type { Buyer, DeliveryFlag, PaymentDelivery } from "./delivery";
import type { ApplyContext, Outcome } from "./outcome";

export const CHARGEBACK: RevokingEvent = "payment.invoice_chargeback";

type EndingDelivery = PaymentDelivery & { event: RevokingEvent };

/**
 * A cancellation, refund or chargeback ends its invoice and revokes every key of the buyer: for good, unless a
 * chargeback is won later. The buyer is the one named in the delivery, otherwise the payer of the invoice.
 */
export async function applyEnd(
  tx: Transaction,
  delivery: EndingDelivery,
  context: ApplyContext,
): Promise<Outcome> {
  const { event, invoiceId } = delivery;
  const [invoice, former] = await Promise.all([
    findInvoice(tx, invoiceId),
    context.bodyDigest === null ? null : findDeliveryByDigest(tx, context.bodyDigest),
  ]);
  if (former) return revokedNothing(delivery);
  // Platforms report one refund in several events, so repeats are recognised by the invoice and not by the bytes.
  const isPartial = isPartialRefund(delivery, invoice?.amount ?? delivery.total?.amount ?? null);
  if (delivery.adapter !== "generic" && invoice?.state === "ended") {
    // After a refund or cancellation no chargeback can be won any more.
    if (event !== CHARGEBACK && !isPartial) await makeRevocationsFinal(tx, { invoiceId });
    return revokedNothing(delivery);
  }
  if (isPartial) {
    if (delivery.refunded !== null) await recordPartialRefund(tx, invoiceId, delivery.refunded);
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.partial_refund",
      target: `invoice/${invoiceId}`,
      subscriptionId: invoice?.subscriptionId ?? null,
      details: { refunded: delivery.refunded, currency: delivery.total?.currency ?? null },
    });
    return revoked(delivery, 0, ["partial_refund"]);
  }
  const undoesChange = invoice === null && (await undoPlanChange(tx, [invoiceId], context));
  const address = undoesChange ? null : (delivery.buyer?.emailNormalized ?? invoice?.emailNormalized ?? null);
  if (address === null) {
    // Without a known buyer only the invoice ends. Its payment, if it arrives later, gives no access and names
    // the buyer.
    const endedAt = await readClock(tx);
    await endInvoice(tx, {
      invoiceId,
      adapter: delivery.adapter,
      emailHash: null,
      subscriptionId: null,
      endedAt,
      endedBy: event,
    });
    // A refunded change of plan is undone; a chargeback of it needs a review.
    return revoked(
      delivery,
      0,
      undoesChange && event !== CHARGEBACK ? [] : unknownInvoice(delivery, invoice),
    );
  }

  // The address in the delivery is locked already.
  if (delivery.buyer === null) await lockEmail(tx, address);
  const { nRevoked, flags } = await revokeAccess(tx, delivery, address, context);
  const payer = invoice?.emailNormalized ?? address;
  return revoked(delivery, nRevoked, [
    ...(nRevoked === 0 ? unknownInvoice(delivery, invoice) : flags),
    ...(payer === address ? [] : (["other_buyer"] as const)),
  ]);
}

/**
 * The payment of an invoice that ended before it arrived: the buyer is known only now, and loses the same keys as
 * in the other order. Returns flags for review.
 */
export async function applyWaitingEnd(
  tx: Transaction,
  payment: PaymentDelivery & { buyer: Buyer },
  event: RevokingEvent,
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  const { emailNormalized } = payment.buyer;
  const { flags, now, subscriptionId } = await revokeAccess(
    tx,
    { ...payment, event },
    emailNormalized,
    context,
  );
  await enterPayer(tx, payment.invoiceId, {
    emailHash: emailHash(emailNormalized),
    subscriptionId,
    endedAt: now,
  });
  return flags;
}

/** Ends the invoice and revokes every key of an address that the caller has locked. */
async function revokeAccess(
  tx: Transaction,
  delivery: EndingDelivery,
  address: string,
  context: ApplyContext,
): Promise<{ nRevoked: number; flags: DeliveryFlag[]; now: Date; subscriptionId: number | null }> {
  const { event, invoiceId } = delivery;
  const [now, keys, subscription, another] = await Promise.all([
    readClock(tx),
    lockKeysByEmail(tx, address),
    findNewestSubscription(tx, address),
    hasOtherPaidInvoice(tx, address, invoiceId),
  ]);
  const subscriptionId = subscription?.subscriptionId ?? null;
  const chargedBack = event === CHARGEBACK ? invoiceId : null;
  await Promise.all([
    endInvoice(tx, {
      invoiceId,
      adapter: delivery.adapter,
      emailHash: emailHash(address),
      subscriptionId,
      endedAt: now,
      endedBy: event,
    }),
    // A later end also makes final what a won chargeback would have restored.
    makeRevocationsFinal(tx, { emailNormalized: address, butFor: chargedBack }),
  ]);
  const [newest] = keys;
  if (!newest) return { nRevoked: 0, flags: [], now, subscriptionId };

  const recipient = delivery.buyer?.email ?? subscription?.email ?? null;
  await Promise.all([
    revokeKeys(
      tx,
      keys.map((key) => key.keyId),
      { at: now, chargedBack },
    ),
    recordAudits(
      tx,
      keys.map((key) => ({
        actor: context.actor,
        action: "payment.revoke",
        target: `key/${key.keyId}`,
        subscriptionId: key.subscriptionId,
        details: { invoiceId, event },
      })),
    ),
    recipient !== null &&
      queueMail(tx, {
        kind: "access-revoked",
        dedupeKey: `access-revoked/${newest.keyId}/${now.toISOString()}`,
        subscriptionId: newest.subscriptionId,
        recipient,
        props: {
          userName: subscription?.userName ?? delivery.buyerName,
          event,
          revokedAt: writeInstant(now),
          keysRevoked: keys.length,
        },
      }),
  ]);
  return { nRevoked: keys.length, flags: another ? ["another_paid_invoice"] : [], now, subscriptionId };
}

/** Money was refunded for an unknown payment: the administrator must find out whose access it was. */
function unknownInvoice({ adapter }: EndingDelivery, invoice: object | null): DeliveryFlag[] {
  return adapter !== "generic" && invoice === null ? ["unknown_invoice"] : [];
}

const PARTIAL_STATES: ReadonlySet<string | null> = new Set(["partially_refunded", "partial_refund"]);

/**
 * Whether a refund states that it is partial. A refund without an amount, or of the whole, ends access as the
 * interface specifies.
 */
function isPartialRefund({ event, status, refunded }: EndingDelivery, paid: string | null): boolean {
  if (event !== "payment.invoice_refunded") return false;
  const saysPartial = PARTIAL_STATES.has(status);
  if (refunded === null || paid === null) return saysPartial;
  return Number(refunded) < Number(paid) && (saysPartial || Number(refunded) > 0);
}

/** The invoice had ended before: this delivery revoked no key. */
export function revokedNothing(delivery: EndingDelivery): Outcome {
  return revoked(delivery, 0);
}

function revoked(delivery: EndingDelivery, keysRevoked: number, flags: DeliveryFlag[] = []): Outcome {
  return {
    answer: { ok: true, action: "access_revoked", event: delivery.event, keys_revoked: keysRevoked },
    flags: [...delivery.flags, ...flags],
  };
}
