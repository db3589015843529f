import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { markFlaggedPaymentDeliveriesReviewed } from "@/db/queries/payment-deliveries";
import {
  deleteRefundsWithoutBuyer,
  endInvoice,
  findInvoice,
  findPlatformSubscriptionBuyer,
} from "@/db/queries/payments";
import { INVOICE_PAID_EVENT, type RevokingEvent } from "@/lib/vocabulary";
import { CHARGEBACK_EVENT, isRefundNotMarkedPartial } from "./apply-invoice-end";
import { type DeliveryFlag, DISPUTE_NAME_PREFIX, type PaymentDelivery, REFUND_EVENT } from "./delivery";
import { storedIdsOf } from "./identify-delivery";
import { type RefundSum, sumRefunds } from "./refunds";
import type { StoredDelivery } from "./stored-deliveries";

/** Whether a delivery states that its invoice was paid. */
export const statesInvoicePaid = ({ event, means, status }: PaymentDelivery) =>
  (event === INVOICE_PAID_EVENT || means === "charge") && status === "paid";

/**
 * The platform's subscription of a delivery. For a payment that names none it comes from an earlier `linked` delivery. This
 * subscription is not locked, but the link is stored as a name of the invoice, so that a change of plan or a refund of the
 * subscription waits for the invoice, which is locked.
 */
export const externalSubscriptionIdOf = (
  { externalSubscriptionId, event }: PaymentDelivery,
  before: readonly StoredDelivery[],
): string | null =>
  externalSubscriptionId ??
  (event === INVOICE_PAID_EVENT
    ? (before.find(({ means, externalSubscriptionId: own }) => means === "linked" && own !== null)
        ?.externalSubscriptionId ?? null)
    : null);

/**
 * Flags a report of a payment that states another product, amount, currency or buyer than an earlier report by the same
 * event. The first report counts.
 */
export function flagChangedPayment(read: PaymentDelivery, before: readonly StoredDelivery[]): DeliveryFlag[] {
  if (!statesInvoicePaid(read)) return [];
  const first = before.find(
    ({ platformEvent, action }) =>
      platformEvent === read.platformEvent &&
      (action === "api_key_created" || action === "already_provisioned"),
  );
  const [is, was] = [read, first].map((delivery) => [
    delivery?.firstItem.productIds.join() || delivery?.firstItem.name,
    delivery?.total?.amount,
    delivery?.total?.currency,
    delivery?.buyer?.emailNormalized ?? delivery?.externalCustomerId,
  ]);
  // A fact that only one of the two reports states is no contradiction.
  return is?.some((fact, i) => fact && was?.[i] && fact !== was[i]) ? ["changed_payment"] : [];
}

/**
 * Adds up refunds that arrived before their payment, or before the delivery that links them to it. If they come to the
 * whole of a payment that is not stored yet, the invoice is ended before the payment is applied. If they come to a
 * part of it only, an end that they caused before is undone (`isReopened`), unless a chargeback is open. Null if
 * nothing is added up, as for an invoice that has ended with a known buyer.
 */
export async function applyEarlierRefunds(
  tx: Transaction,
  delivery: PaymentDelivery,
  before: readonly StoredDelivery[],
  /** The event that ended the invoice under another of its ids. */
  ended: RevokingEvent | null,
): Promise<(RefundSum & { isApplied: boolean; isReopened: boolean; isChargedBack: boolean }) | null> {
  const { invoiceId, means, total, buyer } = delivery;
  const isCharge =
    (statesInvoicePaid(delivery) && buyer !== null) || (means === "plan_changed" && total !== null);
  if (!before.some(({ refunded }) => refunded !== null) || !(isCharge || means === "linked")) return null;
  const invoice = await findInvoice(tx, invoiceId);
  if (invoice?.state === "ended" && !invoice.waitsForBuyer) return null;
  const isApplied = invoice !== null && invoice.state !== "ended";
  const paid = invoice?.amount
    ? { amount: invoice.amount, currency: invoice.currency }
    : isCharge
      ? total
      : null;
  const sum = paid && sumRefunds(before, paid);
  if (!sum) return null;
  if (sum.isWhole && invoice === null) {
    await endUnpaid(tx, delivery, REFUND_EVENT);
    await markFlaggedPaymentDeliveriesReviewed(tx, storedIdsOf(delivery), ["partial_refund"]);
  }
  const isKnown = before.every(({ event, refunded }) => event !== REFUND_EVENT || refunded !== null);
  const isPart = !sum.isWhole && !sum.isMismatch && isKnown;
  const wasPaidBack =
    isPart && (ended === REFUND_EVENT || (await deleteRefundsWithoutBuyer(tx, storedIdsOf(delivery))));
  const isChargedBack = wasPaidBack && hasOpenChargeback(before);
  if (isChargedBack && !isApplied) await endUnpaid(tx, delivery, CHARGEBACK_EVENT);
  return { ...sum, isApplied, isReopened: wasPaidBack && !isChargedBack, isChargedBack };
}

/** Ends an invoice before its payment is applied. The payment will name the buyer. */
async function endUnpaid(
  tx: Transaction,
  { invoiceId, adapter }: PaymentDelivery,
  endedBy: RevokingEvent,
): Promise<void> {
  const endedAt = await readClock(tx);
  await endInvoice(tx, { invoiceId, adapter, emailHash: null, subscriptionId: null, endedAt, endedBy });
}

/**
 * Whether a chargeback of an invoice was not won. If the platform states no dispute ids, one win counts for all
 * chargebacks.
 */
function hasOpenChargeback(deliveries: readonly PaymentDelivery[]): boolean {
  const disputes = (these: readonly PaymentDelivery[]) =>
    these.flatMap(({ names }) => names.filter((name) => name.startsWith(DISPUTE_NAME_PREFIX)));
  const won = deliveries.filter(({ means }) => means === "chargeback_won");
  const wonDisputes = disputes(won);
  return deliveries.some((delivery) => {
    if (delivery.event !== CHARGEBACK_EVENT) return false;
    const [dispute] = disputes([delivery]);
    return dispute === undefined ? won.length === 0 : !wonDisputes.includes(dispute);
  });
}

/**
 * Whether an invoice stays ended although one of its chargebacks was won: because of another chargeback, or of a refund.
 */
export function invoiceStaysEnded(
  deliveries: readonly PaymentDelivery[],
  { amount, currency }: { amount: string | null; currency: string | null },
): boolean {
  const isPaidBack =
    deliveries.some((delivery) => delivery.refunded === null && isRefundNotMarkedPartial(delivery)) ||
    (amount !== null && sumRefunds(deliveries, { amount, currency })?.isWhole === true);
  return isPaidBack || hasOpenChargeback(deliveries);
}

/** Whether a delivery is one that plan changes may have waited for: a payment, or a link between ids of a purchase. */
export const mayHaveEarlierPlanChanges = (delivery: PaymentDelivery): boolean =>
  delivery.adapter !== "generic" && (statesInvoicePaid(delivery) || delivery.means === "linked");

/**
 * Plan changes that arrived before the payment that they change, and can be applied now. They count only for the first
 * payment of a subscription, because later payments are for the new plan already. Changes that state when a new period
 * began (`startsAnew`) always count, because applying them twice changes nothing.
 */
export async function listEarlierPlanChanges(
  tx: Transaction,
  delivery: PaymentDelivery,
  stored: readonly StoredDelivery[],
): Promise<StoredDelivery[]> {
  const { adapter, externalSubscriptionId: own, invoiceId, means, names } = delivery;
  if (!mayHaveEarlierPlanChanges(delivery)) return [];
  const changes = stored.filter(
    (other) => other.means === "plan_changed" && (own === null || other.externalSubscriptionId === own),
  );
  if (changes.length === 0) return [];
  const [subscription = own] = means === "linked" ? names : [];
  const [invoice, subscriber] = await Promise.all([
    means === "linked" ? null : findInvoice(tx, invoiceId),
    subscription === null ? null : findPlatformSubscriptionBuyer(tx, adapter, subscription),
  ]);
  return invoice === null && subscriber === null ? changes : changes.filter(({ startsAnew }) => startsAnew);
}
