import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { reviewFlagged } from "@/db/queries/deliveries";
import { deletePaidBack, endInvoice, findInvoice, findPlatformSubscriber } from "@/db/queries/payments";
import { PAID_EVENT } from "@/lib/vocabulary";
import { type DeliveryFlag, type PaymentDelivery, REFUND_EVENT } from "./delivery";
import { storedIdsOf } from "./identify-delivery";
import { addRefunds, type RefundSum } from "./refunds";
import type { StoredDelivery } from "./stored-deliveries";

/** Whether a delivery states that its invoice was paid. */
export const saysPaid = ({ event, means, status }: PaymentDelivery) =>
  (event === PAID_EVENT || means === "charge") && status === "paid";

/** The subscription that a payment begins, also if only an event before it named it. */
export const subscriptionOf = (
  { externalSubscriptionId, event }: PaymentDelivery,
  before: readonly StoredDelivery[],
): string | null =>
  externalSubscriptionId ??
  (event === PAID_EVENT
    ? (before.find(({ means, externalSubscriptionId: own }) => means === "linked" && own !== null)
        ?.externalSubscriptionId ?? null)
    : null);

/**
 * The platform says again that an invoice was paid, but with another product, amount, currency or buyer than in the
 * same event before. The first one counts.
 */
export function changedSince(read: PaymentDelivery, before: readonly StoredDelivery[]): DeliveryFlag[] {
  if (!saysPaid(read)) return [];
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
  // What one of the two does not state is no contradiction.
  return is?.some((fact, i) => fact && was?.[i] && fact !== was[i]) ? ["changed_payment"] : [];
}

/**
 * What the refunds with an amount come to that arrived before their payment, or before what links the two. If they
 * come to all of a payment that is new, its invoice ends before it is paid. If they were all of one charge but not of
 * the payment, the end that they brought is taken back. Null: there are none.
 */
export async function sumEarlierRefunds(
  tx: Transaction,
  delivery: PaymentDelivery,
  before: readonly StoredDelivery[],
): Promise<(RefundSum & { isApplied: boolean; isReopened: boolean }) | null> {
  const { adapter, invoiceId, means, total, buyer } = delivery;
  const isCharge = (saysPaid(delivery) && buyer !== null) || (means === "plan_changed" && total !== null);
  if (!before.some(({ refunded }) => refunded !== null) || !(isCharge || means === "linked")) return null;
  const invoice = await findInvoice(tx, invoiceId);
  if (invoice?.state === "ended" && !invoice.waitsForBuyer) return null;
  const isApplied = invoice !== null && invoice.state !== "ended";
  const paid = invoice?.amount
    ? { amount: invoice.amount, currency: invoice.currency }
    : isCharge
      ? total
      : null;
  const sum = paid && addRefunds(before, paid);
  if (!sum) return null;
  if (sum.isWhole && invoice === null) {
    await endInvoice(tx, {
      invoiceId,
      adapter,
      emailHash: null,
      subscriptionId: null,
      endedAt: await readClock(tx),
      endedBy: REFUND_EVENT,
    });
    await reviewFlagged(tx, storedIdsOf(delivery), ["partial_refund"]);
  }
  const isKnown = before.every(({ event, refunded }) => event !== REFUND_EVENT || refunded !== null);
  const isPart = !sum.isWhole && !sum.isMismatch && isKnown;
  const isReopened = isPart && (await deletePaidBack(tx, storedIdsOf(delivery)));
  return { ...sum, isApplied, isReopened };
}

/** Whether changes of plan may have arrived before a delivery, and need it to be applied. */
export const awaitsChanges = (delivery: PaymentDelivery): boolean =>
  delivery.adapter !== "generic" && (saysPaid(delivery) || delivery.means === "linked");

/**
 * Changes of plan that arrived before the payment that they change. Without their own time they count for the first
 * payment of a subscription only, because later payments already have the plan. Those that say when a new period
 * began are safe to repeat.
 */
export async function listEarlierChanges(
  tx: Transaction,
  delivery: PaymentDelivery,
  stored: readonly StoredDelivery[],
): Promise<StoredDelivery[]> {
  const { adapter, externalSubscriptionId: own, invoiceId, means, names } = delivery;
  if (!awaitsChanges(delivery)) return [];
  const changes = stored.filter(
    (other) => other.means === "plan_changed" && (own === null || other.externalSubscriptionId === own),
  );
  if (changes.length === 0) return [];
  const [subscription = own] = means === "linked" ? names : [];
  const [invoice, subscriber] = await Promise.all([
    means === "linked" ? null : findInvoice(tx, invoiceId),
    subscription === null ? null : findPlatformSubscriber(tx, adapter, subscription),
  ]);
  return invoice === null && subscriber === null ? changes : changes.filter(({ startsAnew }) => startsAnew);
}
