import type { Transaction } from "@/db/client";
import { convertTryOutKey, insertKey, insertSubscriptionWithKey } from "@/db/queries/key-changes";
import { findKeyPlans } from "@/db/queries/mail";
import { hadTrial, insertPaidTime, type PaidTimeRow } from "@/db/queries/paid-time";
import { type BuyerKey, findInvoice, insertPaidInvoice, lockKeysByEmail } from "@/db/queries/payments";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { newKey } from "@/lib/access/keys/new-key";
import { changePaidTime, isPaidOnly, type KeyAccess } from "@/lib/access/keys/paid-time-of-keys";
import { queueKeyMail } from "@/lib/access/keys/queue-key-mail";
import { remainingMsPerRow } from "@/lib/access/paid-time";
import { plans } from "@/lib/access/plans";
import { canMailReachPeople } from "@/lib/outbound/mail/can-mail-reach-people";
import type { MailPropsByKind } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { newWayAfter } from "@/lib/outbound/mail/signal-delivery";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { shortEmailHash } from "@/lib/runtime/log";
import type { PlansOfKey } from "@/lib/runtime/plan-features";
import { DAY_MS } from "@/lib/time";
import { type PaymentEffect, PLACEHOLDER_NAMES, type PlanTier } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { endAccessOfPayer } from "./apply-invoice-end";
import { isCreditedRemainder } from "./apply-plan-change";
import { readCatalog } from "./catalog";
import { choosePlan, type Purchase } from "./choose-plan";
import type { Buyer, DeliveryFlag, PaymentDelivery } from "./delivery";
import { followProduct } from "./follow-product";
import { type ApplyContext, type DeliveryOutcome, ignoredDeliveryOutcome } from "./outcome";

/**
 * A paid invoice creates a key, or extends or revives the newest key that was not revoked, once per invoice id.
 * An invoice that has ended, or whose keys were all revoked after it was applied, restores no access.
 */
export async function applyPayment(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<DeliveryOutcome> {
  if (delivery.status !== "paid") return ignoredDeliveryOutcome(delivery, "status_not_paid");
  if (delivery.buyer === null) return ignoredDeliveryOutcome(delivery, "missing_buyer_email");
  const { buyer, invoiceId } = delivery;

  const [{ keys, now }, invoice, former, catalog] = await Promise.all([
    lockKeysByEmail(tx, buyer.emailNormalized),
    findInvoice(tx, invoiceId),
    findNewestSubscription(tx, buyer.emailNormalized),
    readCatalog(tx, delivery.adapter),
  ]);
  const [held] = keys;

  if (invoice?.state === "ended") {
    const added = await flagsOfEnded(tx, invoice, { ...delivery, buyer }, context);
    return ignoredDeliveryOutcome({ ...delivery, flags: [...delivery.flags, ...added] }, "invoice_ended");
  }
  const purchase = choosePlan(delivery.firstItem, catalog);
  if (invoice) {
    const again = await applyKnown(tx, { ...delivery, buyer }, purchase, { invoice, keys, now }, context);
    if (!held) return ignoredDeliveryOutcome({ ...delivery, flags: again.flags }, "invoice_already_applied");
    const [key = held] =
      again.planChange === null ? keys : (await lockKeysByEmail(tx, buyer.emailNormalized)).keys;
    return { ...alreadyProvisionedOutcome(key, again.flags), planChange: again.planChange };
  }

  const subscriptionId = held?.subscriptionId ?? former?.subscriptionId ?? null;
  const paid = asTrial({ ...delivery, buyer, flags: [...delivery.flags, ...purchase.flags] }, purchase, now);
  if (paid === null)
    return {
      ...ignoredDeliveryOutcome(delivery, "unknown_event"),
      flags: [...delivery.flags, "trial_without_end"],
    };
  if (paid.isTrial && subscriptionId !== null && (await hadTrial(tx, subscriptionId)))
    paid.flags.push("another_trial");
  return held
    ? renew(tx, paid, purchase, { key: held, now }, context.actor)
    : provision(tx, paid, purchase, { former, now }, context.actor);
}

/**
 * Flags for a payment whose invoice has ended. If the end came first and named no buyer, this also revokes the keys of the
 * payment's buyer.
 */
async function flagsOfEnded(
  tx: Transaction,
  {
    waitsForBuyer,
    endedBy,
    effect,
    emailHash: endedFor,
  }: NonNullable<Awaited<ReturnType<typeof findInvoice>>>,
  payment: PaidDelivery,
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  if (waitsForBuyer && endedBy !== null) return endAccessOfPayer(tx, payment, endedBy, context);
  const isOther =
    effect === null && endedFor !== null && endedFor !== shortEmailHash(payment.buyer.emailNormalized);
  return isOther ? ["other_buyer"] : [];
}

/** Flags of a payment's first application. They stay for review if applying it again does not settle them. */
const FIRST_FLAGS: readonly DeliveryFlag[] = [
  "unmapped_product",
  "unknown_plan",
  "expired_on_arrival",
  "another_trial",
];
const GUESSED: readonly DeliveryFlag[] = ["unmapped_product", "unknown_plan"];

/**
 * A payment whose invoice was applied before. If an administrator applies it again and its product, which was not in the
 * table, is there by now, its plan and days follow the table. Returns the flags for review and the changed plan.
 */
async function applyKnown(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  known: { invoice: NonNullable<Awaited<ReturnType<typeof findInvoice>>>; keys: BuyerKey[]; now: Date },
  context: ApplyContext,
): Promise<{ flags: DeliveryFlag[]; planChange: string | null }> {
  const open = FIRST_FLAGS.filter((flag) => context.formerFlags?.includes(flag));
  const unchanged = { flags: [...delivery.flags, ...open], planChange: null };
  if (!open.some((flag) => GUESSED.includes(flag)) || purchase.flags.length > 0) return unchanged;
  const paid = asTrial(delivery, purchase, known.now);
  if (paid === null) return unchanged;
  const { productId } = purchase;
  // A revived key has used its grace.
  const graceMs = known.invoice.effect === "revived" ? 0 : graceOf(paid, purchase);
  const bought = { ...timePaid(paid, purchase, known.now), productId, graceMs };
  const { isSettled, planChange } = await followProduct(tx, bought, known, context);
  const flags = open.filter((flag) => !isSettled || !GUESSED.includes(flag));
  return { flags: [...delivery.flags, ...flags], planChange };
}

type FormerSubscription = NonNullable<Awaited<ReturnType<typeof findNewestSubscription>>>;
type PaidDelivery = PaymentDelivery & { buyer: Buyer };

/**
 * The payment, marked as a trial if it begins the product's trial. Null for a trial without a known end, because
 * its length would be a guess.
 */
function asTrial(delivery: PaidDelivery, { trialDays }: Purchase, now: Date): PaidDelivery | null {
  if (!delivery.isTrial && !(delivery.mayBeTrial && trialDays !== null)) return delivery;
  if (namedMs(delivery, delivery.paidAt ?? now) === null && trialDays === null) return null;
  // A platform that does not mark trials sends the price that applies after the trial.
  const total =
    delivery.isTrial || delivery.total === null ? delivery.total : { ...delivery.total, amount: "0" };
  return { ...delivery, isTrial: true, total };
}

/** The result of a payment whose buyer had this key before, whether or not the payment extended the key. */
export function alreadyProvisionedOutcome(
  key: Pick<BuyerKey, "keyId" | "planTier">,
  flags: DeliveryFlag[],
): DeliveryOutcome {
  return {
    answer: { ok: true, action: "already_provisioned", plan: key.planTier, key_id: key.keyId },
    flags,
  };
}

/**
 * Creates a key for a first payment, or for a returning buyer, whose history continues under the former
 * subscription.
 */
async function provision(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  known: { former: FormerSubscription | null; now: Date },
  actor: Actor,
): Promise<DeliveryOutcome> {
  const { buyer } = delivery;
  const { former, now } = known;
  const userName = former?.userName ?? (delivery.buyerName || PLACEHOLDER_NAMES.buyer);
  const time = { ...timePaid(delivery, purchase, now), graceMs: graceOf(delivery, purchase) };
  const { planTier } = purchase;
  const startsAt = time.startsAt.getTime();
  const paidUntil = new Date(startsAt + time.durationMs);
  const expiresAt = new Date(paidUntil.getTime() + time.graceMs);
  const isLate = isOver(expiresAt, now);
  const { apiKey, keyHash, hint } = newKey();
  const key = { keyHash, hint, planTier, expiresAt };
  const { subscriptionId, keyId } =
    former === null
      ? await insertSubscriptionWithKey(tx, { userName, ...buyer }, key)
      : { ...former, keyId: await insertKey(tx, { ...key, subscriptionId: former.subscriptionId }) };

  await Promise.all([
    insertPaidTime(tx, [{ ...time, subscriptionId, keyId }]),
    recordPaid(tx, delivery, purchase, { subscriptionId, keyId, effect: "created", expiresAt }),
    recordAudit(tx, {
      actor,
      action: "payment.provision",
      target: `key/${keyId}`,
      subscriptionId,
      details: {
        invoiceId: delivery.invoiceId,
        planTier,
        expiresAt: expiresAt.toISOString(),
        returning: former !== null,
      },
    }),
    queueKeyMail(tx, {
      keyId,
      apiKey,
      planTier,
      expiresAt,
      paidUntil: time.graceMs > 0 ? paidUntil : null,
      isLate,
      owner: { subscriptionId, userName, email: buyer.email },
    }),
  ]);
  return {
    answer: {
      ok: true,
      action: "api_key_created",
      plan: planTier,
      key_id: keyId,
      expires: expiresAt,
      // The mail is queued above. Whether it can reach the buyer depends on the transport.
      email_sent: canMailReachPeople(),
    },
    flags: isLate ? [...delivery.flags, "expired_on_arrival"] : delivery.flags,
  };
}

/**
 * A further payment adds a row of time to the newest key. The key's plans and end are computed from all its rows. An
 * expired key works again from the payment on, without a new grace, so that the buyer need not change the key in their
 * charts.
 */
async function renew(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  known: { key: BuyerKey; now: Date },
  actor: Actor,
): Promise<DeliveryOutcome> {
  const { key, now } = known;
  const paidAt = delivery.paidAt ?? now;
  const isExpired = isOver(key.expiresAt, now);
  const time = timePaid(delivery, purchase, now);
  // The try-out key becomes a paid one: its try-out time ends and its delay is removed.
  const isTryOut = key.delayCandles !== null;
  const before = await findKeyPlans(tx, key.keyId);
  if (isTryOut) await convertTryOutKey(tx, key.keyId, now);
  let isUsedUp = false;
  const accesses = await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const credited = rows.filter((row) => isCreditedRemainder(row, delivery, paidAt));
    const startsAnew = delivery.startsAnew || credited.length > 0;
    // A key without rows expired before paid time was stored in rows, and has used its grace.
    const hasGrace = isTryOut || (rows.length > 0 && isPaidOnly(rows)) || startsAnew;
    const added = { ...time, graceMs: hasGrace ? graceOf(delivery, purchase) : 0 };
    isUsedUp = remainingMsPerRow([...rows, { ...added, endedAt: null }], plans(), now).at(-1) === 0;
    const replaced = [
      ...(delivery.startsAnew ? ofSubscription(rows, delivery) : credited),
      ...(isAnother(rows, delivery)
        ? rows.filter(({ kind, endedAt }) => kind === "grace" && endedAt === null)
        : []),
    ];
    const at = paidAt < now ? paidAt : now;
    return { add: [added], end: replaced.map(({ id }) => ({ id, at })) };
  });
  const access = accesses.get(key.keyId);
  if (!access) throw new Error("a payment without any time");
  const { planTier, expiresAt, paidUntil, stretches } = access;
  const isEnded = isOver(expiresAt, now);
  const isLate = isEnded || isUsedUp;
  await Promise.all([
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
        paidPlanTier: purchase.planTier,
        ...(isTryOut && { wasTryOut: true }),
        formerPlanTier: key.planTier,
        expiresAt: expiresAt?.toISOString() ?? null,
      },
    }),
    // Days that are over on arrival are flagged for review. They are announced only if the buyer has no access.
    (isEnded || !isUsedUp) &&
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
          paidUntil: paidUntil && writeInstant(paidUntil),
          bought: boughtBy(time),
          ...(stretches && { stretches }),
          revived: isExpired,
          ...wayAndLateness(before, access, now),
        },
      }),
  ]);
  const flags: DeliveryFlag[] = isLate ? [...delivery.flags, "expired_on_arrival"] : delivery.flags;
  return alreadyProvisionedOutcome({ ...key, planTier }, flags);
}

/**
 * What the mail about a renewal says of the plans before and after the payment, and whether access has ended in spite of
 * it.
 */
export function wayAndLateness(
  before: PlansOfKey,
  { planTier, stretches, expiresAt }: Pick<KeyAccess, "planTier" | "stretches" | "expiresAt">,
  now: Date,
): Pick<MailPropsByKind["renewed"], "newWay" | "isLate"> {
  if (isOver(expiresAt, now)) return { isLate: true };
  const newWay = newWayAfter(before, { planTier, plans: stretches?.[0]?.plans ?? null });
  return newWay === undefined ? {} : { newWay };
}

/** Whether this is the first payment of its platform subscription, and the key has time of another one. */
const isAnother = (rows: readonly PaidTimeRow[], { externalSubscriptionId: own }: PaymentDelivery): boolean =>
  own !== null &&
  rows.some(({ externalSubscriptionId }) => externalSubscriptionId !== null) &&
  !rows.some(({ externalSubscriptionId }) => externalSubscriptionId === own);

/** Rows of the platform's subscription that were not ended. */
const ofSubscription = (rows: readonly PaidTimeRow[], { externalSubscriptionId }: PaymentDelivery) =>
  rows.filter(
    (row) =>
      row.endedAt === null &&
      externalSubscriptionId !== null &&
      row.externalSubscriptionId === externalSubscriptionId,
  );

/**
 * The time that a payment buys: the period that the platform states, otherwise the product's days or trial from the payment
 * on.
 */
function timePaid(delivery: PaymentDelivery, purchase: Purchase, now: Date) {
  const paidAt = delivery.paidAt ?? now;
  const named = namedMs(delivery, paidAt);
  const from = named === null ? null : (delivery.period?.from ?? null);
  const days = delivery.isTrial ? (purchase.trialDays ?? 0) : purchase.periodDays;
  // A period that begins later can be used from the payment on.
  const startsAt = from !== null && from < paidAt ? from : paidAt;
  return {
    kind: delivery.isTrial ? ("trial" as const) : ("payment" as const),
    invoiceId: delivery.invoiceId,
    externalSubscriptionId: delivery.externalSubscriptionId,
    planTier: purchase.planTier,
    startsAt,
    durationMs: named ?? days * DAY_MS,
  };
}

/** The plan and the whole days of a row of time, as a mail names them. */
export const boughtBy = ({ planTier, durationMs }: { planTier: PlanTier; durationMs: number }) => ({
  planTier,
  days: Math.max(1, Math.round(durationMs / DAY_MS)),
});

/** Length of the period that the platform states, in ms; null if it states none or an implausible one. */
function namedMs({ period }: PaymentDelivery, paidAt: Date): number | null {
  const ms = period ? period.until.getTime() - (period.from ?? paidAt).getTime() : 0;
  return ms > 0 && ms <= LONGEST_PERIOD_MS ? ms : null;
}

/** About ten years. A product's period cannot be longer either. */
const LONGEST_PERIOD_MS = 3660 * DAY_MS;

/** Grace that a payment adds, in ms. Trials have none. */
const graceOf = ({ isTrial }: PaymentDelivery, { graceDays }: Purchase): number =>
  isTrial ? 0 : graceDays * DAY_MS;

const isOver = (expiresAt: Date | null, now: Date) => expiresAt !== null && expiresAt <= now;

async function recordPaid(
  tx: Transaction,
  delivery: PaidDelivery,
  purchase: Purchase,
  effect: { subscriptionId: number; keyId: number; effect: PaymentEffect; expiresAt: Date | null },
): Promise<void> {
  await insertPaidInvoice(tx, {
    invoiceId: delivery.invoiceId,
    emailHash: shortEmailHash(delivery.buyer.emailNormalized),
    planTier: purchase.planTier,
    adapter: delivery.adapter,
    externalSubscriptionId: delivery.externalSubscriptionId,
    productId: purchase.productId?.toWellFormed().slice(0, 100) ?? null,
    paidAt: delivery.paidAt,
    amount: delivery.total?.amount ?? null,
    currency: delivery.total?.currency ?? null,
    ...effect,
  });
}
