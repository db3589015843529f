import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { insertKey, updateKey } from "@/db/queries/key-changes";
import { type BuyerKey, findInvoice, insertPaidInvoice, lockKeysByEmail } from "@/db/queries/payments";
import { findNewestSubscription, insertSubscription } from "@/db/queries/subscriptions";
import { newKey } from "@/lib/access/keys/new-key";
import { queueKeyMail } from "@/lib/access/keys/queue-key-mail";
import { higherPlan } from "@/lib/access/plans";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { emailHash } from "@/lib/runtime/log";
import { DAY_MS } from "@/lib/time";
import type { PaymentEffect } from "@/lib/vocabulary";
import { type Catalog, readCatalog } from "./catalog";
import { choosePlan, type Purchase } from "./choose-plan";
import type { Buyer, DeliveryFlag, PaymentDelivery } from "./delivery";
import { ignored, type Outcome } from "./outcome";

/**
 * A paid invoice provisions a key or extends the one in force, once per invoice id. An invoice that ended, or one that
 * was applied and whose access is gone, gives nothing back.
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
    readCatalog(tx),
  ]);
  const live = keys.find((key) => key.expiresAt === null || key.expiresAt > now);

  if (invoice?.state === "ended") return ignored(delivery, "invoice_ended");
  if (invoice)
    return live ? provisionedAlready(live, delivery.flags) : ignored(delivery, "invoice_already_applied");

  const purchase = choosePlan(delivery.firstItem, catalog.products);
  const paid = { ...delivery, buyer, flags: [...delivery.flags, ...purchase.flags] };
  return live
    ? renew(tx, paid, purchase, catalog, live, actor)
    : provision(tx, paid, purchase, { catalog, former, now }, actor);
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
  known: { catalog: Catalog; former: FormerSubscription | null; now: Date },
  actor: Actor,
): Promise<Outcome> {
  const { buyer } = delivery;
  const { catalog, former, now } = known;
  const userName = former?.userName ?? (delivery.buyerName || "Subscriber");
  const subscriptionId = former?.subscriptionId ?? (await insertSubscription(tx, { userName, ...buyer }));

  const period = catalog.periods[purchase.kind];
  const startsAt = delivery.paidAt ?? now;
  const expiresAt = new Date(startsAt.getTime() + (period.days + period.graceDays) * DAY_MS);
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
      // The mail is in the queue, and a transport is always configured: the local outbox when nothing else is.
      email_sent: true,
    },
    flags: expiresAt <= now ? [...delivery.flags, "expired_on_arrival"] : delivery.flags,
  };
}

/** A further payment moves the end of the newest live key and may raise its plan, never lower it. */
async function renew(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  catalog: Catalog,
  key: BuyerKey,
  actor: Actor,
): Promise<Outcome> {
  const planTier = higherPlan(purchase.planTier, key.planTier);
  const expiresAt =
    key.expiresAt && new Date(key.expiresAt.getTime() + catalog.periods[purchase.kind].days * DAY_MS);
  await Promise.all([
    updateKey(tx, key.keyId, { planTier, expiresAt }),
    recordPaid(tx, delivery, purchase, {
      subscriptionId: key.subscriptionId,
      keyId: key.keyId,
      effect: "renewed",
      expiresAt,
    }),
    recordAudit(tx, {
      actor,
      action: "payment.renew",
      target: `key/${key.keyId}`,
      subscriptionId: key.subscriptionId,
      details: {
        invoiceId: delivery.invoiceId,
        planTier,
        formerPlanTier: key.planTier,
        expiresAt: expiresAt?.toISOString() ?? null,
      },
    }),
  ]);
  return provisionedAlready({ ...key, planTier }, delivery.flags);
}

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
    productId: delivery.firstItem.productId?.toWellFormed().slice(0, 100) ?? null,
    kind: purchase.kind,
    paidAt: delivery.paidAt,
    ...effect,
  });
}
