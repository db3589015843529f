import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { deletePaidTime, type PaidTimeRow } from "@/db/queries/paid-time";
import {
  type AppliedInvoice,
  deleteInvoice,
  findSubscriptionAddress,
  listAppliedInvoices,
  listProducts,
  lockEmail,
  lockKeysByEmail,
  moveInvoice,
  renameInvoice,
  revokeKeys,
  setInvoiceEffect,
} from "@/db/queries/payments";
import { changePaidTime, isPaidOnly } from "@/lib/access/keys/paid-time-of-keys";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import type { ApplyContext } from "./outcome";

/**
 * Joins paid invoices that arrived separately but are one purchase. `invoiceId` stays, with its paid time only,
 * unless the twin's product is in the table and its own is not. Returns the id that stays. The caller has locked
 * all names.
 */
export async function joinInvoices(
  tx: Transaction,
  invoiceId: string,
  twins: readonly string[],
  context: ApplyContext,
): Promise<string> {
  const found = await listAppliedInvoices(tx, { invoiceIds: [invoiceId, ...twins] });
  const [first] = found;
  if (!first || found.length < 2) return invoiceId;
  const sold = new Set((await listProducts(tx, first.adapter)).map(({ externalId }) => externalId));
  const kept = found.find(({ productId }) => productId !== null && sold.has(productId)) ?? first;
  if (found.some(({ effect }) => effect === "created")) await setInvoiceEffect(tx, kept.invoiceId, "created");
  for (const twin of found.filter((other) => other !== kept)) {
    await takeBack(tx, twin, { address: kept.emailNormalized, words: JOINED }, context);
    await renameInvoice(tx, twin.invoiceId, kept.invoiceId);
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
 * Moves payments to the subscriber that a link of this service named, if they were applied to another subscriber
 * before the link was known. False if that subscriber has no key to extend: the administrator must decide.
 */
export async function movePayments(
  tx: Transaction,
  which: { invoiceId: string } | { adapter: PaymentAdapterName; externalSubscriptionId: string },
  subscriptionId: number,
  context: ApplyContext,
): Promise<boolean> {
  const [wanted, found] = await Promise.all([
    findSubscriptionAddress(tx, subscriptionId),
    listAppliedInvoices(tx, "invoiceId" in which ? { invoiceIds: [which.invoiceId] } : which),
  ]);
  const address = wanted?.emailNormalized ?? null;
  const astray = found.filter(({ emailNormalized }) => emailNormalized !== address);
  if (astray.length === 0) return true;
  if (address === null) return false;
  await lockEmail(tx, address);
  const [key] = await lockKeysByEmail(tx, address);
  if (!key) return false;
  for (const invoice of astray) {
    const rows = await takeBack(tx, invoice, { address, words: MOVED }, context);
    const now = await readClock(tx);
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
    const expiresAt = accesses.get(key.keyId)?.expiresAt ?? null;
    const isRevived = key.expiresAt !== null && key.expiresAt <= now;
    await moveInvoice(tx, invoice.invoiceId, {
      subscriptionId: key.subscriptionId,
      keyId: key.keyId,
      emailHash: emailHash(address),
      effect: isRevived ? "revived" : "renewed",
      expiresAt,
    });
    await recordAudit(tx, {
      actor: context.actor,
      action: "payment.move",
      target: `key/${key.keyId}`,
      subscriptionId: key.subscriptionId,
      details: { invoiceId: invoice.invoiceId, fromSubscriptionId: invoice.subscriptionId },
    });
    await queueMail(tx, {
      kind: "renewed",
      dedupeKey: `renewed/${invoice.invoiceId}/${key.subscriptionId}`,
      subscriptionId: key.subscriptionId,
      recipient: wanted?.email ?? address,
      props: {
        userName: key.userName,
        planTier: accesses.get(key.keyId)?.planTier ?? key.planTier,
        amount: invoice.amount,
        currency: invoice.currency,
        paidAt: writeInstant(invoice.paidAt),
        expiresAt: expiresAt && writeInstant(expiresAt),
        revived: isRevived,
      },
    });
  }
  return true;
}

/**
 * Removes a payment's time from its key, as if it had never been added. A key without other time is revoked and
 * its owner notified. Returns the removed rows.
 */
async function takeBack(
  tx: Transaction,
  invoice: AppliedInvoice,
  /** The payer's address, and the mail to the key's owner if that is another address. */
  { address, words }: { address: string | null; words: { title: string; text: string } },
  context: ApplyContext,
): Promise<PaidTimeRow[]> {
  const { heldBy, emailNormalized } = invoice;
  if (heldBy === null || emailNormalized === null) return [];
  await lockEmail(tx, emailNormalized);
  const working = await lockKeysByEmail(tx, emailNormalized);
  const now = await readClock(tx);
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
  if (!accesses.has(heldBy) && working.some(({ keyId }) => keyId === heldBy)) {
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
        kind: "notice",
        dedupeKey: `payment-moved/${invoice.invoiceId}`,
        subscriptionId: invoice.subscriptionId,
        recipient: invoice.email,
        props: { userName: invoice.userName, ...words },
      });
  }
  return taken;
}

const MOVED = {
  title: "Your payment extends the access you already have",
  text:
    "You paid through the renewal link of an existing subscription, so the payment extends that access. " +
    "The key that we sent to this address for it is switched off. Your trading client keeps the key it has: there is nothing to change.",
};
const JOINED = {
  title: "One purchase has one key",
  text:
    "The payment platform reported your purchase under two e-mail addresses. The key that we sent to this address is " +
    "switched off. Use the key that we sent to your other address.",
};
