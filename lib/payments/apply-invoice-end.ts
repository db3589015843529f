import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { markFlaggedPaymentDeliveriesReviewed } from "@/db/queries/payment-deliveries";
import {
  endInvoice,
  findInvoice,
  hasOtherPaidInvoice,
  lockKeysByEmail,
  lockPayer,
  makeRevocationsFinal,
  recordInvoicePayer,
  recordPartialRefund,
  revokeKeys,
  updateInvoice,
} from "@/db/queries/payments";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { readSignalDelivery } from "@/lib/outbound/mail/signal-delivery";
import { recordAudit, recordAudits } from "@/lib/runtime/audit";
import { shortEmailHash } from "@/lib/runtime/log";
import { REVOKING_EVENTS, type RevokingEvent } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { undoPlanChange } from "./apply-plan-change";
import { type Buyer, type DeliveryFlag, type Money, type PaymentDelivery, REFUND_EVENT } from "./delivery";
import { storedIdsOf } from "./identify-delivery";
import type { ApplyContext, DeliveryOutcome } from "./outcome";
import { type RefundSum, sumRefunds } from "./refunds";

export const CHARGEBACK_EVENT: RevokingEvent = "payment.invoice_chargeback";

/** Whether an event ends its invoice: a cancellation, refund or chargeback. */
export function isRevokingEvent(event: string | null): event is RevokingEvent {
  return REVOKING_EVENTS.some((revoking) => revoking === event);
}

type EndingDelivery = PaymentDelivery & { event: RevokingEvent };

/**
 * Applies a cancellation, refund or chargeback. It ends the invoice and revokes every key of the buyer named in the
 * delivery, or else of the invoice's payer. Only a chargeback's revocation can be undone, if the chargeback is won. A
 * partial refund is only recorded, the refund of a plan change's charge undoes only that change, and without a known
 * buyer only the invoice ends.
 */
export async function applyInvoiceEnd(
  tx: Transaction,
  delivery: EndingDelivery,
  /** Earlier deliveries of the invoice. */
  before: readonly PaymentDelivery[],
  context: ApplyContext,
): Promise<DeliveryOutcome> {
  const { event, adapter, invoiceId } = delivery;
  if (context.isRepeated) return nothingRevokedOutcome(delivery);
  const invoice = await findInvoice(tx, invoiceId);
  // Platforms report one refund in several events, so repeats are recognised by the invoice and not by the bytes.
  const { isPartial, sum } = judgeRefund(delivery, before, paidFor(delivery, invoice, before));
  const mismatch: DeliveryFlag[] = sum?.isMismatch ? ["refund_mismatch"] : [];
  if (adapter !== "generic" && invoice?.state === "ended") {
    // After a refund or cancellation, winning the chargeback must not restore the keys any more.
    if (event !== CHARGEBACK_EVENT && !isPartial) {
      await makeRevocationsFinal(tx, { invoiceId });
      // Without its payment the amount is unknown: only this tells that the chargeback is not all that ended it.
      if (invoice.effect === null && invoice.endedBy === CHARGEBACK_EVENT)
        await updateInvoice(tx, invoiceId, { endedBy: event });
    }
    return nothingRevokedOutcome(delivery);
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
    await markFlaggedPaymentDeliveriesReviewed(tx, storedIdsOf(delivery), ["partial_refund"]);
  const undoesChange = invoice === null && (await undoPlanChange(tx, [invoiceId], context));
  // The address in the delivery is locked already.
  const named = delivery.buyer?.emailNormalized ?? null;
  const address = undoesChange ? null : (named ?? (await lockPayer(tx, invoiceId)));
  if (address === null) {
    // Without a known buyer only the invoice ends. If its payment arrives later, it gives no access, and the keys of the
    // buyer that it names are revoked.
    const endedAt = await readClock(tx);
    await endInvoice(tx, {
      invoiceId,
      adapter: delivery.adapter,
      emailHash: null,
      subscriptionId: null,
      endedAt,
      endedBy: event,
    });
    // The plan change of a refunded charge is undone by now. A chargeback of such a charge needs a review as well.
    return revoked(
      delivery,
      0,
      undoesChange && event !== CHARGEBACK_EVENT
        ? mismatch
        : [...mismatch, ...unknownInvoice(delivery, invoice)],
    );
  }

  const { nRevoked, flags } = await revokeAccess(tx, delivery, address, context);
  const isOther = named !== null && named !== (invoice?.emailNormalized ?? named);
  return revoked(delivery, nRevoked, [
    ...mismatch,
    ...(nRevoked === 0 ? unknownInvoice(delivery, invoice) : flags),
    ...(isOther ? (["other_buyer"] as const) : []),
  ]);
}

/**
 * Revokes the keys of the buyer of an invoice that ended before its buyer was known. The effect is the same as if the
 * payment had arrived before the end. Returns flags for review.
 */
export async function endAccessOfPayer(
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
    emailHash: shortEmailHash(emailNormalized),
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
      emailHash: shortEmailHash(address),
      subscriptionId,
      endedAt: now,
      endedBy: event,
    }),
    // The end also makes earlier revocations final that a won chargeback would otherwise undo.
    makeRevocationsFinal(tx, { emailNormalized: address, butFor: chargedBack }),
  ]);
  const [newest] = keys;
  if (!newest) return { nRevoked: 0, flags: [], now, subscriptionId };

  const recipient = delivery.buyer?.email ?? subscription?.email ?? null;
  const signals = await readSignalDelivery(tx, newest.keyId);
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
          ...(another && { hasOtherPayments: true }),
          delivery: signals,
        },
      }),
  ]);
  return { nRevoked: keys.length, flags: another ? ["another_paid_invoice"] : [], now, subscriptionId };
}

/**
 * The flag for a cancellation, refund or chargeback of an unknown payment, whose buyer the administrator must find. In the
 * generic format it needs a buyer or an amount.
 */
function unknownInvoice(delivery: EndingDelivery, invoice: object | null): DeliveryFlag[] {
  const { adapter, buyer, total, refunded } = delivery;
  const isAboutMoney = adapter !== "generic" || (buyer ?? total ?? refunded) !== null;
  return invoice === null && isAboutMoney ? ["unknown_invoice"] : [];
}

const PARTIAL_STATES: ReadonlySet<string | null> = new Set(["partially_refunded", "partial_refund"]);

/** Whether a delivery is a refund whose status does not say that it is a partial one. */
export const isRefundNotMarkedPartial = ({ event, status }: PaymentDelivery): boolean =>
  event === REFUND_EVENT && !PARTIAL_STATES.has(status);

/**
 * Whether a refund is partial, and the sum of all refunds of the payment. A refund without an amount counts as full unless
 * its status says that it is partial.
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
  const sum = isAmountUsable ? sumRefunds([...before, delivery], paid) : null;
  // If the platform reports a charge as fully refunded, only an amount that can be compared with the payment shows that
  // other charges were not.
  const isComparable = sum !== null && (delivery.adapter === "generic" || saysPartial || !sum.isMismatch);
  return { isPartial: isComparable ? !sum.isWhole : saysPartial, sum };
}

/** The amount that was paid for the refunded invoice; null: unknown. */
function paidFor(
  { total }: EndingDelivery,
  invoice: { amount: string | null; currency: string | null } | null,
  before: readonly PaymentDelivery[],
): Money | null {
  if (invoice?.amount) return { amount: invoice.amount, currency: invoice.currency };
  // The charge for a change of plan is not stored as an invoice, so its amount comes from the deliveries.
  return (
    total ?? before.find((other) => other.total !== null && !isRevokingEvent(other.event))?.total ?? null
  );
}

/**
 * The outcome of a cancellation, refund or chargeback that revokes no key, because its invoice had ended, its bytes had
 * arrived before, or the chargeback was won.
 */
export function nothingRevokedOutcome(delivery: EndingDelivery): DeliveryOutcome {
  return revoked(delivery, 0);
}

function revoked(delivery: EndingDelivery, keysRevoked: number, flags: DeliveryFlag[] = []): DeliveryOutcome {
  return {
    answer: { ok: true, action: "access_revoked", event: delivery.event, keys_revoked: keysRevoked },
    flags: [...delivery.flags, ...flags],
  };
}
