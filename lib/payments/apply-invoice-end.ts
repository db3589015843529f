import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { findDeliveryByDigest, markFlaggedDeliveriesReviewed } from "@/db/queries/deliveries";
import {
  endInvoice,
  findInvoice,
  hasOtherPaidInvoice,
  lockEmail,
  lockKeysByEmail,
  makeRevocationsFinal,
  recordInvoicePayer,
  recordPartialRefund,
  revokeKeys,
} from "@/db/queries/payments";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit, recordAudits } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import { REVOKING_EVENTS, type RevokingEvent } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { undoPlanChange } from "./apply-plan-change";
import { type Buyer, type DeliveryFlag, type Money, type PaymentDelivery, REFUND_EVENT } from "./delivery";
import { storedIdsOf } from "./identify-delivery";
import type { ApplyContext, DeliveryOutcome } from "./outcome";
import { addRefunds, type RefundSum } from "./refunds";

export const CHARGEBACK_EVENT: RevokingEvent = "payment.invoice_chargeback";

/** Whether an event ends its invoice. */
export function isRevoking(event: string | null): event is RevokingEvent {
  return REVOKING_EVENTS.some((revoking) => revoking === event);
}

type EndingDelivery = PaymentDelivery & { event: RevokingEvent };

/**
 * A cancellation, refund or chargeback ends its invoice and revokes every key of the buyer: for good, unless a
 * chargeback is won later. The buyer is the one named in the delivery, otherwise the payer of the invoice.
 */
export async function applyInvoiceEnd(
  tx: Transaction,
  delivery: EndingDelivery,
  /** Earlier deliveries of the invoice. */
  before: readonly PaymentDelivery[],
  context: ApplyContext,
): Promise<DeliveryOutcome> {
  const { event, adapter, invoiceId } = delivery;
  const [invoice, former] = await Promise.all([
    findInvoice(tx, invoiceId),
    context.bodyDigest === null ? null : findDeliveryByDigest(tx, context.bodyDigest),
  ]);
  if (former) return revokedNothing(delivery);
  // Platforms report one refund in several events, so repeats are recognised by the invoice and not by the bytes.
  const { isPartial, sum } = judgeRefund(delivery, before, paidFor(delivery, invoice, before));
  const mismatch: DeliveryFlag[] = sum?.isMismatch ? ["refund_mismatch"] : [];
  if (adapter !== "generic" && invoice?.state === "ended") {
    // After a refund or cancellation no chargeback can be won any more.
    if (event !== CHARGEBACK_EVENT && !isPartial) await makeRevocationsFinal(tx, { invoiceId });
    return revokedNothing(delivery);
  }
  if (isPartial) {
    if (sum !== null) await recordPartialRefund(tx, invoiceId, sum.amount);
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.partial_refund",
      target: `invoice/${invoiceId}`,
      subscriptionId: invoice?.subscriptionId ?? null,
      details: { refunded: delivery.refunded?.amount ?? null, currency: delivery.refunded?.currency ?? null },
    });
    return revoked(delivery, 0, ["partial_refund", ...mismatch]);
  }
  // Nothing is left of the payment, so its earlier partial refunds need no review.
  if (event === REFUND_EVENT)
    await markFlaggedDeliveriesReviewed(tx, storedIdsOf(delivery), ["partial_refund"]);
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
      undoesChange && event !== CHARGEBACK_EVENT
        ? mismatch
        : [...mismatch, ...unknownInvoice(delivery, invoice)],
    );
  }

  // The address in the delivery is locked already.
  if (delivery.buyer === null) await lockEmail(tx, address);
  const { nRevoked, flags } = await revokeAccess(tx, delivery, address, context);
  const payer = invoice?.emailNormalized ?? address;
  return revoked(delivery, nRevoked, [
    ...mismatch,
    ...(nRevoked === 0 ? unknownInvoice(delivery, invoice) : flags),
    ...(payer === address ? [] : (["other_buyer"] as const)),
  ]);
}

/**
 * Ends the access of the buyer of an ended invoice, because only now it is known whose payment it was. The buyer
 * loses the same keys as in the other order. Returns flags for review.
 */
export async function endAccessOf(
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
  await recordInvoicePayer(tx, payment.invoiceId, {
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
  const [{ keys, now }, subscription, another] = await Promise.all([
    lockKeysByEmail(tx, address),
    findNewestSubscription(tx, address),
    hasOtherPaidInvoice(tx, address, invoiceId),
  ]);
  const subscriptionId = subscription?.subscriptionId ?? null;
  const chargedBack = event === CHARGEBACK_EVENT ? invoiceId : null;
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

/** Whether a delivery is a refund that its platform does not call a partial one. */
export const isFullRefund = ({ event, status }: PaymentDelivery): boolean =>
  event === REFUND_EVENT && !PARTIAL_STATES.has(status);

/**
 * Whether a refund leaves a part of the payment, and what all refunds of the payment come to. A refund without an
 * amount, or of the whole, ends access as the interface specifies.
 */
function judgeRefund(
  delivery: EndingDelivery,
  before: readonly PaymentDelivery[],
  paid: Money | null,
): { isPartial: boolean; sum: RefundSum | null } {
  const { event, status, refunded } = delivery;
  if (event !== REFUND_EVENT) return { isPartial: false, sum: null };
  const saysPartial = PARTIAL_STATES.has(status);
  const isAmountUsable = refunded !== null && paid !== null && (saysPartial || Number(refunded.amount) > 0);
  const sum = isAmountUsable ? addRefunds([...before, delivery], paid) : null;
  // Of a platform that says that a charge was refunded as a whole, only comparable amounts say that others paid, too.
  const isComparable = sum !== null && (delivery.adapter === "generic" || saysPartial || !sum.isMismatch);
  return { isPartial: isComparable ? !sum.isWhole : saysPartial, sum };
}

/** What was paid for the refunded invoice; null: unknown. */
function paidFor(
  { total }: EndingDelivery,
  invoice: { amount: string | null; currency: string | null } | null,
  before: readonly PaymentDelivery[],
): Money | null {
  if (invoice?.amount) return { amount: invoice.amount, currency: invoice.currency };
  // The charge for a change of plan is no invoice here.
  return total ?? before.find((other) => other.total !== null && !isRevoking(other.event))?.total ?? null;
}

/** The invoice had ended before: this delivery revoked no key. */
export function revokedNothing(delivery: EndingDelivery): DeliveryOutcome {
  return revoked(delivery, 0);
}

function revoked(delivery: EndingDelivery, keysRevoked: number, flags: DeliveryFlag[] = []): DeliveryOutcome {
  return {
    answer: { ok: true, action: "access_revoked", event: delivery.event, keys_revoked: keysRevoked },
    flags: [...delivery.flags, ...flags],
  };
}
