import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { insertKey, updateKey } from "@/db/queries/key-changes";
import {
  type BuyerKey,
  findInvoice,
  insertInvoiceNames,
  insertPaidInvoice,
  lockKeysByEmail,
} from "@/db/queries/payments";
import { findNewestSubscription, insertSubscription } from "@/db/queries/subscriptions";
import { newKey } from "@/lib/access/keys/new-key";
import { queueKeyMail } from "@/lib/access/keys/queue-key-mail";
import { higherPlan } from "@/lib/access/plans";
import { mailLeaves } from "@/lib/outbound/mail/mail-leaves";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import { addDays, laterOf } from "@/lib/time";
import type { PaymentEffect } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { readCatalog } from "./catalog";
import { choosePlan, type Purchase } from "./choose-plan";
import type { Buyer, DeliveryFlag, PaymentDelivery } from "./delivery";
import { ignored, type Outcome } from "./outcome";

/**
 * A paid invoice provisions a key, or extends or revives the newest one that was not revoked, once per invoice id. An
 * invoice that ended, or one that was applied and whose keys were all revoked, gives nothing back.
 */
export async function applyPayment(
  tx: Transaction,
  delivery: PaymentDelivery,
  actor: Actor,
): Promise<Outcome> {
  if (delivery.status !== "paid") return ignored(delivery, "status_not_paid");
  if (delivery.buyer === null) return ignored(delivery, "missing_buyer_email");
  const { buyer, invoiceId } = delivery;

  const [now, invoice, keys, former, catalog] = await Promise.all([
    readClock(tx),
    findInvoice(tx, invoiceId),
    lockKeysByEmail(tx, buyer.emailNormalized),
    findNewestSubscription(tx, buyer.emailNormalized),
    readCatalog(tx, delivery.adapter),
  ]);
  const [held] = keys;

  if (invoice?.state === "ended") return ignored(delivery, "invoice_ended");
  if (invoice)
    return held ? provisionedAlready(held, delivery.flags) : ignored(delivery, "invoice_already_applied");

  const purchase = choosePlan(delivery.firstItem, catalog);
  const paid = { ...delivery, buyer, flags: [...delivery.flags, ...purchase.flags] };
  return held
    ? renew(tx, paid, purchase, { key: held, now }, actor)
    : provision(tx, paid, purchase, { former, now }, actor);
}

type FormerSubscription = NonNullable<Awaited<ReturnType<typeof findNewestSubscription>>>;
type PaidDelivery = PaymentDelivery & { buyer: Buyer };

/** The buyer has this key already. */
export function provisionedAlready(
  key: Pick<BuyerKey, "keyId" | "planTier">,
  flags: DeliveryFlag[],
): Outcome {
  return {
    answer: { ok: true, action: "already_provisioned", plan: key.planTier, key_id: key.keyId },
    flags,
  };
}

/** Provisions a first payment, or one of a returning buyer, whose history continues under the former subscription. */
async function provision(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  known: { former: FormerSubscription | null; now: Date },
  actor: Actor,
): Promise<Outcome> {
  const { buyer } = delivery;
  const { former, now } = known;
  const userName = former?.userName ?? (delivery.buyerName || "Subscriber");
  const subscriptionId = former?.subscriptionId ?? (await insertSubscription(tx, { userName, ...buyer }));

  const expiresAt = addDays(delivery.paidAt ?? now, purchase.periodDays + purchase.graceDays);
  const { apiKey, keyHash, hint } = newKey();
  const keyId = await insertKey(tx, {
    subscriptionId,
    keyHash,
    hint,
    planTier: purchase.planTier,
    expiresAt,
  });

  await Promise.all([
    recordPaid(tx, delivery, purchase, { subscriptionId, keyId, effect: "created", expiresAt }),
    recordAudit(tx, {
      actor,
      action: "payment.provision",
      target: `key/${keyId}`,
      subscriptionId,
      details: {
        invoiceId: delivery.invoiceId,
        planTier: purchase.planTier,
        expiresAt: expiresAt.toISOString(),
        returning: former !== null,
      },
    }),
    queueKeyMail(tx, {
      keyId,
      apiKey,
      planTier: purchase.planTier,
      expiresAt,
      owner: { subscriptionId, userName, email: buyer.email },
    }),
  ]);
  return {
    answer: {
      ok: true,
      action: "api_key_created",
      plan: purchase.planTier,
      key_id: keyId,
      expires: expiresAt,
      // The mail is in the queue by now.
      email_sent: mailLeaves(),
    },
    flags: withArrival(delivery.flags, expiresAt, now),
  };
}

/**
 * A further payment moves the end of the newest key and may raise its plan, never lower it. A key that has expired
 * works again for the period from the payment on, without a new grace, so that the buyer's charts go on with it.
 */
async function renew(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  known: { key: BuyerKey; now: Date },
  actor: Actor,
): Promise<Outcome> {
  const { key, now } = known;
  const planTier = higherPlan(purchase.planTier, key.planTier);
  const paidAt = delivery.paidAt ?? now;
  const isExpired = isOver(key.expiresAt, now);
  // A payment of long ago may have bought days that are over: the end moves on, never back.
  const expiresAt = isExpired
    ? laterOf(key.expiresAt, addDays(paidAt, purchase.periodDays))
    : key.expiresAt && addDays(key.expiresAt, purchase.periodDays);
  await Promise.all([
    updateKey(tx, key.keyId, { planTier, expiresAt }),
    recordPaid(tx, delivery, purchase, {
      subscriptionId: key.subscriptionId,
      keyId: key.keyId,
      effect: isExpired ? "revived" : "renewed",
      expiresAt,
    }),
    recordAudit(tx, {
      actor,
      action: isExpired ? "payment.revive" : "payment.renew",
      target: `key/${key.keyId}`,
      subscriptionId: key.subscriptionId,
      details: {
        invoiceId: delivery.invoiceId,
        planTier,
        formerPlanTier: key.planTier,
        expiresAt: expiresAt?.toISOString() ?? null,
      },
    }),
    // Where the days are over on arrival, a person looks at it first.
    !isOver(expiresAt, now) &&
      queueMail(tx, {
        kind: "renewed",
        dedupeKey: `renewed/${delivery.invoiceId}`,
        subscriptionId: key.subscriptionId,
        recipient: delivery.buyer.email,
        props: {
          userName: key.userName,
          planTier,
          amount: delivery.total?.amount ?? null,
          currency: delivery.total?.currency ?? null,
          paidAt: writeInstant(paidAt),
          expiresAt: expiresAt && writeInstant(expiresAt),
          revived: isExpired,
        },
      }),
  ]);
  return provisionedAlready({ ...key, planTier }, withArrival(delivery.flags, expiresAt, now));
}

/** The flags, and one more where the days that were paid for are over already. */
function withArrival(flags: DeliveryFlag[], expiresAt: Date | null, now: Date): DeliveryFlag[] {
  return isOver(expiresAt, now) ? [...flags, "expired_on_arrival"] : flags;
}

const isOver = (expiresAt: Date | null, now: Date) => expiresAt !== null && expiresAt <= now;

async function recordPaid(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  effect: { subscriptionId: number; keyId: number; effect: PaymentEffect; expiresAt: Date | null },
): Promise<void> {
  await insertPaidInvoice(tx, {
    invoiceId: delivery.invoiceId,
    emailHash: emailHash(delivery.buyer.emailNormalized),
    planTier: purchase.planTier,
    adapter: delivery.adapter,
    externalSubscriptionId: delivery.externalSubscriptionId,
    productId: purchase.productId?.toWellFormed().slice(0, 100) ?? null,
    paidAt: delivery.paidAt,
    amount: delivery.total?.amount ?? null,
    currency: delivery.total?.currency ?? null,
    ...effect,
  });
  await insertInvoiceNames(tx, delivery.adapter, delivery.invoiceId, delivery.names);
}
