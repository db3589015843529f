import type { Transaction } from "@/db/client";
import { listPaidTime } from "@/db/queries/paid-time";
import {
  findInvoice,
  findOpenGrace,
  insertGrace,
  lockKeysByEmail,
  recordGraceFailure,
} from "@/db/queries/payments";
import { accessOfPaidTime, changePaidTime, paidTimeToAdd } from "@/lib/access/keys/paid-time-of-keys";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { readCatalog } from "./catalog";
import type { PaymentDelivery } from "./delivery";
import type { ApplyContext, DeliveryEffect } from "./outcome";

/** Maximum number of mails about failed payments between two payments of a subscriber. */
const MAX_MAILS = 3;

/**
 * Applies a failed payment to the buyer's newest key, if that key is in force and has an end. The first failure after a
 * payment extends access to at least the grace days from now: those of the product, or `usualGraceDays` for an unknown
 * product. Each of the first three failures mails the buyer. Repeated bytes, and invoices that were paid or have ended,
 * are ignored. Returns the effect, or undefined if there was none.
 */
export async function applyPaymentFailure(
  tx: Transaction,
  delivery: PaymentDelivery,
  usualGraceDays: number,
  context: ApplyContext,
): Promise<DeliveryEffect | undefined> {
  const invoice = await findInvoice(tx, delivery.invoiceId);
  // An invoice that was paid or ended meanwhile needs no grace.
  if (invoice) return undefined;
  const { buyer } = delivery;
  if (buyer === null || context.isRepeated) return undefined;

  // The delivery names its buyer, so the address is locked already.
  const [{ keys, now }, { products }] = await Promise.all([
    lockKeysByEmail(tx, buyer.emailNormalized),
    readCatalog(tx, delivery.adapter),
  ]);
  const [key] = keys;
  if (!key?.expiresAt || key.expiresAt <= now || key.suspendedAt !== null) return undefined;

  const { subscriptionId, keyId } = key;
  const { productIds } = delivery.firstItem;
  const product = products.find(({ externalId }) => productIds.includes(externalId));
  const graceDays = product?.graceDays ?? usualGraceDays;
  const open = await findOpenGrace(tx, subscriptionId);
  const expiresAt = open
    ? key.expiresAt
    : await lengthen(tx, { ...key, expiresAt: key.expiresAt }, now, graceDays);
  const nFailures = (open?.nFailures ?? 0) + 1;
  const graceId =
    open?.graceId ??
    (await insertGrace(tx, { subscriptionId, invoiceId: delivery.invoiceId, endsAt: expiresAt }));
  if (open) await recordGraceFailure(tx, graceId);
  await recordAudit(tx, {
    actor: context.actor,
    action: "payment.fail",
    target: `key/${keyId}`,
    subscriptionId,
    details: { invoiceId: delivery.invoiceId, failure: nFailures, expiresAt: expiresAt.toISOString() },
  });
  const effect = expiresAt > key.expiresAt ? "grace_given" : "payment_failed";
  if (nFailures > MAX_MAILS) return effect;
  const access = accessOfPaidTime(await listPaidTime(tx, [keyId]), now);
  await queueMail(tx, {
    kind: "payment-failed",
    dedupeKey: `payment-failed/${graceId}/${nFailures}`,
    subscriptionId,
    recipient: buyer.email,
    props: {
      userName: key.userName,
      planTier: key.planTier,
      expiresAt: writeInstant(expiresAt),
      ...(access?.paidUntil && { paidUntil: writeInstant(access.paidUntil) }),
      ...(access?.stretches && { stretches: access.stretches }),
    },
  });
  return effect;
}

/** Adds a row of grace time, unless access lasts `graceDays` more days anyway. Returns the new end. */
async function lengthen(
  tx: Transaction,
  { keyId, planTier, expiresAt }: { keyId: number; planTier: PlanTier; expiresAt: Date },
  now: Date,
  graceDays: number,
): Promise<Date> {
  const graceMs = graceDays * DAY_MS;
  if (now.getTime() + graceMs <= expiresAt.getTime()) return expiresAt;
  const accesses = await changePaidTime(tx, [keyId], now, () => ({
    end: [],
    add: [paidTimeToAdd("grace", planTier, now, graceMs)],
  }));
  return accesses.get(keyId)?.expiresAt ?? expiresAt;
}
