import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { findKeyPlans } from "@/db/queries/mail";
import { deletePaidTime, type PaidTimeRow } from "@/db/queries/paid-time";
import { markFlaggedPaymentDeliveriesReviewed } from "@/db/queries/payment-deliveries";
import {
  type BuyerKey,
  deleteInvoice,
  findKeyOfInvoice,
  findSubscriberFromShopLink,
  findSubscriptionAddress,
  hasKeyNeitherRevokedNorRotated,
  insertInvoiceNames,
  listPayersInvoices,
  listProducts,
  lockBuyerAddress,
  lockKeysByEmail,
  moveInvoiceNames,
  type PayersInvoice,
  reopenInvoice,
  revokeKeys,
  unrevokeKeys,
  updateInvoice,
} from "@/db/queries/payments";
import { changePaidTime, isPaidOnly } from "@/lib/access/keys/paid-time-of-keys";
import type { MailPropsByKind } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { shortEmailHash } from "@/lib/runtime/log";
import { verifySubscriberRef } from "@/lib/runtime/subscriber-ref";
import type { RevokingEvent } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { endAccessOfPayer } from "./apply-invoice-end";
import { boughtBy, wayAndLateness } from "./apply-payment";
import { announceReinstated } from "./apply-won-chargeback";
import type { Buyer, DeliveryFlag, PaymentDelivery } from "./delivery";
import type { ApplyContext } from "./outcome";

/**
 * Joins invoices that arrived separately but are one purchase. The one that stays is an ended one, because the whole
 * purchase has ended; otherwise the first with a product from the product table; otherwise the first. Removes the paid time
 * of the others. Returns the id that stays. The caller has locked all ids.
 */
export async function joinInvoices(
  tx: Transaction,
  { adapter, invoiceId }: Pick<PaymentDelivery, "adapter" | "invoiceId">,
  twins: readonly string[],
  context: ApplyContext,
): Promise<string> {
  const found = await listPayersInvoices(tx, { invoiceIds: [invoiceId, ...twins], adapter });
  const [first] = found;
  if (!first || found.length < 2) return invoiceId;
  const sold = new Set((await listProducts(tx, adapter)).map(({ externalId }) => externalId));
  const kept =
    found.find(({ endedBy }) => endedBy !== null) ??
    found.find(({ productId }) => productId !== null && sold.has(productId)) ??
    first;
  if (kept.effect !== null && found.some(({ effect }) => effect === "created"))
    await updateInvoice(tx, kept.invoiceId, { effect: "created" });
  for (const twin of found.filter((other) => other !== kept)) {
    await takeBack(tx, twin, { address: kept.emailNormalized, reason: "two_addresses" }, context);
    await moveInvoiceNames(tx, twin.invoiceId, kept.invoiceId);
    await deleteInvoice(tx, twin.invoiceId);
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.join",
      target: `invoice/${kept.invoiceId}`,
      subscriptionId: kept.subscriptionId,
      details: { joined: twin.invoiceId },
    });
  }
  return kept.invoiceId;
}

/**
 * Joins an ended charge (`ended`) to the invoice that the charge belongs to. Its payer is not known, so no paid time moves.
 */
export async function joinEndedCharge(
  tx: Transaction,
  ended: string,
  { adapter, invoiceId }: PaymentDelivery,
): Promise<void> {
  await moveInvoiceNames(tx, ended, invoiceId);
  await deleteInvoice(tx, ended);
  await insertInvoiceNames(tx, adapter, invoiceId, [ended.slice(adapter.length + 1)]);
}

/**
 * The normalised e-mail addresses of everyone besides the buyer whose access a delivery with a renewal link or with
 * twins may change. The buyer's address can be among them. Empty for every other delivery.
 */
export async function listAffectedAddresses(
  tx: Transaction,
  delivery: PaymentDelivery,
  twins: readonly string[],
): Promise<string[]> {
  const { adapter, invoiceId, subscriberRef } = delivery;
  const named = verifySubscriberRef(subscriberRef);
  if (named === null && twins.length === 0) return [];
  const parties = await Promise.all([
    named === null ? null : findSubscriptionAddress(tx, named),
    findSubscriberFromShopLink(
      tx,
      adapter,
      [invoiceId, ...twins].map((id) => id.slice(adapter.length + 1)),
    ),
    listPayersInvoices(tx, { ...ofPurchase(delivery), invoiceIds: [invoiceId, ...twins] }),
  ]);
  return parties.flat().flatMap((party) => party?.emailNormalized ?? []);
}

/** The invoices of a delivery's purchase: its own, and those of its subscription. */
const ofPurchase = ({ adapter, invoiceId, externalSubscriptionId }: PaymentDelivery) => ({
  adapter,
  invoiceIds: [invoiceId],
  ...(externalSubscriptionId !== null && { ofSubscription: externalSubscriptionId }),
});

/**
 * Moves the payments of a purchase to the subscriber whose renewal link was used, if they were applied to another
 * subscriber before the link was known. If a payment has ended (cancellation, refund or chargeback), the other
 * subscriber gets their access back, and the subscriber of the link loses access instead. Returns flags for review: a
 * payment that has not ended is not moved if the subscriber of the link has no key to extend.
 */
export async function movePayments(
  tx: Transaction,
  delivery: PaymentDelivery,
  subscriptionId: number,
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  const [wanted, found] = await Promise.all([
    findSubscriptionAddress(tx, subscriptionId),
    listPayersInvoices(tx, ofPurchase(delivery)),
  ]);
  const address = wanted?.emailNormalized ?? null;
  const astray = found.filter(({ emailNormalized, emailHash: payer }) =>
    emailNormalized === null
      ? address === null || payer !== shortEmailHash(address)
      : emailNormalized !== address,
  );
  if (astray.length === 0) return [];
  if (address === null) return ["paid_for_another"];
  await lockBuyerAddress(tx, address);
  const buyer = { email: wanted?.email ?? address, emailNormalized: address };
  const flags: DeliveryFlag[] = [];
  for (const invoice of astray) {
    const { endedBy } = invoice;
    const [key] = (await lockKeysByEmail(tx, address)).keys;
    if (!key && endedBy === null) return [...flags, "paid_for_another"];
    const rows =
      endedBy === null
        ? (await takeBack(tx, invoice, { address, reason: "renewal_link" }, context)).rows
        : await undoEnd(tx, { ...invoice, endedBy }, context);
    if (key) await addMoved(tx, invoice, rows, { key, buyer }, context);
    else
      await updateInvoice(tx, invoice.invoiceId, {
        subscriptionId,
        keyId: null,
        emailHash: shortEmailHash(address),
      });
    if (endedBy !== null)
      flags.push(
        ...(await endAccessOfPayer(
          tx,
          { ...delivery, invoiceId: invoice.invoiceId, buyer },
          endedBy,
          context,
        )),
      );
  }
  return flags;
}

/** Adds the time of a payment that was applied to another subscriber to the key of the subscriber whose renewal link was used. */
async function addMoved(
  tx: Transaction,
  invoice: PayersInvoice,
  rows: readonly PaidTimeRow[],
  { key, buyer }: { key: BuyerKey; buyer: Buyer },
  context: ApplyContext,
): Promise<void> {
  const [now, before] = await Promise.all([readClock(tx), findKeyPlans(tx, key.keyId)]);
  const accesses = await changePaidTime(tx, [key.keyId], now, (ledger) => {
    const isPaid = isPaidOnly(ledger.rows);
    return {
      end: [],
      add: rows.map(({ id: _, keyId: __, endedAt: ___, fromId: ____, ...row }) => ({
        ...row,
        graceMs: isPaid ? row.graceMs : 0,
      })),
    };
  });
  // A refunded payment can leave the key without any rows of time.
  const { planTier, expiresAt, paidUntil, stretches } = accesses.get(key.keyId) ?? {
    ...key,
    paidUntil: null,
    stretches: null,
  };
  const [moved] = rows;
  const isRevived = key.expiresAt !== null && key.expiresAt <= now;
  await updateInvoice(tx, invoice.invoiceId, {
    subscriptionId: key.subscriptionId,
    keyId: key.keyId,
    emailHash: shortEmailHash(buyer.emailNormalized),
    ...(invoice.effect !== null && { effect: isRevived ? "revived" : "renewed", expiresAt }),
  });
  await recordAudit(tx, {
    actor: context.actor,
    action: "payment.move",
    target: `key/${key.keyId}`,
    subscriptionId: key.subscriptionId,
    details: { invoiceId: invoice.invoiceId, fromSubscriptionId: invoice.subscriptionId },
  });
  // A payment that was refunded extends nothing.
  if (invoice.endedBy !== null) return;
  await queueMail(tx, {
    kind: "renewed",
    dedupeKey: `renewed/${invoice.invoiceId}/${key.subscriptionId}`,
    subscriptionId: key.subscriptionId,
    recipient: buyer.email,
    props: {
      userName: key.userName,
      planTier,
      amount: invoice.amount,
      currency: invoice.currency,
      paidAt: writeInstant(invoice.paidAt),
      expiresAt: expiresAt && writeInstant(expiresAt),
      paidUntil: paidUntil && writeInstant(paidUntil),
      ...(moved?.durationMs && { bought: boughtBy({ ...moved, durationMs: moved.durationMs }) }),
      ...(stretches && { stretches }),
      revived: isRevived,
      ...wayAndLateness(before, { planTier, stretches, expiresAt }, now),
    },
  });
}

/**
 * Undoes the end of an invoice for a subscriber who had not made the payment: removes the payment's time, and
 * reinstates the keys that the end revoked, unless no time is left on them, the subscriber has another key by now, or
 * another invoice of the subscriber has ended since. Returns the removed rows.
 */
async function undoEnd(
  tx: Transaction,
  invoice: PayersInvoice & { endedBy: RevokingEvent },
  context: ApplyContext,
): Promise<PaidTimeRow[]> {
  const { invoiceId, endedBy, endedAt, emailNormalized } = invoice;
  if (emailNormalized === null || endedAt === null) return [];
  await lockBuyerAddress(tx, emailNormalized);
  await reopenInvoice(tx, invoiceId, endedBy);
  const { rows, emptied } = await takeBack(
    tx,
    invoice,
    { address: emailNormalized, reason: "renewal_link" },
    context,
  );
  if (await hasKeyNeitherRevokedNorRotated(tx, emailNormalized)) return rows;
  const keys = await unrevokeKeys(tx, {
    endedWith: invoiceId,
    endedAt,
    emailNormalized,
    butFor: emptied,
  });
  await announceReinstated(tx, keys, { invoiceId, after: "other_payment" }, context);
  await markFlaggedPaymentDeliveriesReviewed(tx, [invoiceId], ["another_paid_invoice"]);
  return rows;
}

/**
 * Removes a payment's time from its key, as if it had never been added. A key without other time is revoked, and its
 * owner is mailed unless `address` is the owner's. Returns the removed rows, and the key if it has no other time.
 */
async function takeBack(
  tx: Transaction,
  invoice: PayersInvoice,
  /** The address that keeps the payment, and the reason for the mail to the key's owner if that is another address. */
  { address, reason }: { address: string | null; reason: MailPropsByKind["payment-moved"]["reason"] },
  context: ApplyContext,
): Promise<{ rows: PaidTimeRow[]; emptied: number | null }> {
  const { emailNormalized } = invoice;
  if (emailNormalized === null) return { rows: [], emptied: null };
  await lockBuyerAddress(tx, emailNormalized);
  const { keys: working, now } = await lockKeysByEmail(tx, emailNormalized);
  // Only now: a rotation moves the time to another key.
  const heldBy = await findKeyOfInvoice(tx, invoice.invoiceId);
  if (heldBy === null) return { rows: [], emptied: null };
  let taken: PaidTimeRow[] = [];
  const accesses = await changePaidTime(tx, [heldBy], now, ({ rows }) => {
    const own = new Set(rows.filter((row) => row.invoiceId === invoice.invoiceId).map(({ id }) => id));
    for (const row of rows) if (row.fromId !== null && own.has(row.fromId)) own.add(row.id);
    taken = rows.filter(({ id, endedAt }) => own.has(id) && endedAt === null);
    return { add: [], end: taken.map(({ id, startsAt }) => ({ id, at: startsAt })) };
  });
  await deletePaidTime(
    tx,
    taken.map(({ id }) => id),
  );
  const isEmpty = !accesses.has(heldBy);
  if (isEmpty && working.some(({ keyId }) => keyId === heldBy)) {
    await revokeKeys(tx, [heldBy], { at: now, chargedBack: null });
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.take_back",
      target: `key/${heldBy}`,
      subscriptionId: invoice.subscriptionId,
      details: { invoiceId: invoice.invoiceId },
    });
    if (invoice.email !== null && emailNormalized !== address)
      await queueMail(tx, {
        kind: "payment-moved",
        dedupeKey: `payment-moved/${invoice.invoiceId}`,
        subscriptionId: invoice.subscriptionId,
        recipient: invoice.email,
        props: { userName: invoice.userName, reason },
      });
  }
  return { rows: taken, emptied: isEmpty ? heldBy : null };
}
