import type { Transaction } from "@/db/client";
import { hasChargedPlanChange } from "@/db/queries/paid-time";
import {
  markExplainedDeliveriesReviewed,
  markFlaggedPaymentDeliveriesReviewed,
  recordPaymentDeliveryEffect,
  wasPaymentDeliveryApplied,
} from "@/db/queries/payment-deliveries";
import {
  deleteInvoice,
  findInvoice,
  findInvoiceByName,
  findPlatformSubscriptionBuyer,
  findSubscriberFromShopLink,
  findSubscriptionAddress,
  hasOtherPaidInvoice,
  insertInvoiceNames,
  insertPlatformSubscriber,
  lockBuyerAddress,
  lockBuyerAddresses,
  lockInvoiceNames,
  lockInvoicesAndAddresses,
  recordInvoiceSubscription,
  recordPartialRefund,
  writePlatformCustomer,
} from "@/db/queries/payments";
import { shortEmailHash } from "@/lib/runtime/log";
import { encrypt } from "@/lib/runtime/secrets";
import { verifySubscriberRef } from "@/lib/runtime/subscriber-ref";
import { settingInForce } from "@/lib/settings/registry";
import type { RevokingEvent } from "@/lib/vocabulary";
import { INVOICE_PAID_EVENT } from "@/lib/vocabulary";
import {
  applyInvoiceEnd,
  CHARGEBACK_EVENT,
  isRevokingEvent,
  nothingRevokedOutcome,
} from "./apply-invoice-end";
import { applyPayment } from "./apply-payment";
import { applyPaymentFailure } from "./apply-payment-failure";
import { applyPlanChange, type PlanChangeOutcome, undoPlanChange } from "./apply-plan-change";
import { applyWonChargeback } from "./apply-won-chargeback";
import { readCatalog, readPaymentEventsSetting } from "./catalog";
import {
  type DeliveryFlag,
  type DeliveryMeaning,
  DISPUTE_NAME_PREFIX,
  hasPositiveTotal,
  type PaymentDelivery,
  REFUND_EVENT,
} from "./delivery";
import {
  applyEarlierRefunds,
  externalSubscriptionIdOf,
  flagChangedPayment,
  invoiceStaysEnded,
  listEarlierPlanChanges,
  mayHaveEarlierPlanChanges,
  statesInvoicePaid,
} from "./earlier-deliveries";
import {
  type IdentifiedDelivery,
  identifyDelivery,
  platformInvoiceIdsOf,
  storedIdsOf,
  withPresentAddress,
} from "./identify-delivery";
import {
  type ApplyContext,
  type DeliveryEffect,
  type DeliveryOutcome,
  ignoredDeliveryOutcome,
} from "./outcome";
import { joinEndedCharge, joinInvoices, listAffectedAddresses, movePayments } from "./regroup-invoices";
import { listStoredDeliveries, type StoredDelivery } from "./stored-deliveries";

/** A delivery, with the invoice and buyer that earlier deliveries gave it, and its result. */
export interface AppliedDelivery {
  delivery: PaymentDelivery;
  outcome: DeliveryOutcome;
}

/**
 * Applies a delivery in the caller's transaction, with its effects on keys and paid time, and queues the mails.
 * Deliveries of the same invoice (under any of its ids) or of the same buyer are applied one after the other, over all
 * processes. Lock order: the subscription, the delivery's platform ids, the invoices with these ids, the invoices that
 * the ids belong to, then the addresses of the buyer and of others; each kind sorted.
 */
export async function applyDelivery(
  tx: Transaction,
  read: PaymentDelivery,
  {
    bodyDigest,
    ...by
  }: Pick<ApplyContext, "actor" | "formerFlags"> & {
    /** null: an administrator applies the delivery again. */
    bodyDigest: string | null;
  },
): Promise<AppliedDelivery> {
  if (read.isTest && !(await settingInForce(tx, "payment_tests")).giveAccess)
    return {
      delivery: read,
      outcome: { ...ignoredDeliveryOutcome(read, "unknown_event"), flags: ["test_event"] },
    };
  let isRepeated = false;
  // Statements that start together are executed in this order, the ones after a lock when it is held.
  const [, found] = await Promise.all([
    // Also locks the subscription, so that a plan change and a payment of the same subscription do not run at once.
    lockInvoiceNames(tx, read.adapter, platformInvoiceIdsOf(read), read.externalSubscriptionId),
    lockIdentified(tx, read, async ({ invoiceIds, addresses }) => {
      [, isRepeated] = await Promise.all([
        lockInvoicesAndAddresses(tx, invoiceIds, addresses),
        bodyDigest !== null && wasPaymentDeliveryApplied(tx, bodyDigest),
      ]);
    }),
  ]);
  const context = { ...by, isRepeated };
  const { delivery: named, ended, twins } = found;
  for (const id of found.endedApart) await joinEndedCharge(tx, id, named);
  const joint = twins.length === 0 ? named : await joined(tx, named, twins, context);
  const [known, stored] = await Promise.all([
    // The buyer's address may have changed while this transaction waited.
    withPresentAddress(tx, joint),
    listStoredDeliveries(tx, {
      ...read,
      invoiceIds: storedIdsOf(joint),
      subscriptionId: mayHaveEarlierPlanChanges(joint) ? joint.externalSubscriptionId : null,
    }),
  ]);
  if (known.buyer && known.buyer !== named.buyer) await lockBuyerAddress(tx, known.buyer.emailNormalized);

  const repeated = isRepeated && (await answerRepeated(tx, known, context));
  if (repeated) return { delivery: known, outcome: repeated };

  const before = stored.filter(({ isOfInvoice }) => isOfInvoice);
  const delivery = { ...known, externalSubscriptionId: externalSubscriptionIdOf(known, before) };
  const linked = await followLink(tx, delivery, context);
  const changes = await listEarlierPlanChanges(tx, delivery, stored);
  const refunds = await applyEarlierRefunds(tx, delivery, before, ended);
  const endedUnderName = ended !== null && refunds?.isChargedBack ? CHARGEBACK_EVENT : ended;
  // The event that ended the invoice before: under another of its ids, or because partial refunds add up to the payment.
  const endedBy =
    (refunds?.isReopened ? null : endedUnderName) ??
    (refunds?.isWhole && refunds.isApplied ? REFUND_EVENT : null);
  const late = isRevokingEvent(delivery.event) ? null : endedBy;
  const outcome =
    late !== null
      ? await applyInvoiceEnd(tx, { ...delivery, ...WHOLE, event: late }, before, context)
      : await apply(tx, withFlags(delivery, flagChangedPayment(read, before)), before, context);
  await Promise.all([
    storesNames(delivery) && insertInvoiceNames(tx, delivery.adapter, delivery.invoiceId, delivery.names),
    refunds && !refunds.isWhole && recordPartialRefund(tx, delivery.invoiceId, refunds.amount),
    before.length > 0 &&
      isUnderstood(outcome) &&
      markExplainedDeliveriesReviewed(tx, [delivery.invoiceId, ...before.map(({ invoiceId }) => invoiceId)]),
  ]);
  if (late !== null || twins.length > 0) await reviewExplained(tx, delivery, outcome.flags);
  const flags = [
    ...linked,
    ...outcome.flags,
    ...(refunds?.isReopened ? (["partial_refund"] as const) : []),
    ...(refunds?.isMismatch && !refunds.isApplied ? (["refund_mismatch"] as const) : []),
    ...(await applyEarlierChanges(tx, changes, context)),
    ...(read.isTest ? (["test_event"] as const) : []),
  ];
  return { delivery, outcome: { ...outcome, flags } };
}

/**
 * The result of bytes that were received before and not rejected: without effect, even if an administrator has restored
 * access since. null: they had no effect and might have one by the present rules.
 */
async function answerRepeated(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<DeliveryOutcome | null> {
  const { event, status, buyer, invoiceId } = delivery;
  if (isRevokingEvent(event)) return nothingRevokedOutcome({ ...delivery, event });
  if (event !== INVOICE_PAID_EVENT || status !== "paid" || buyer === null) return null;
  const invoice = await findInvoice(tx, invoiceId);
  return invoice === null || invoice.waitsForBuyer ? null : applyPayment(tx, delivery, context);
}

/** The invoices of an identified delivery, and the addresses of everyone whose access it may change. */
interface Concerned {
  invoiceIds: string[];
  addresses: string[];
}

/**
 * Identifies a delivery whose platform ids are locked, and locks the invoices and addresses that it concerns. While
 * this transaction waits for the locks, another delivery can move the invoice to another subscriber or join it with
 * another invoice. The delivery is therefore identified again until it concerns nothing that was not locked before. One
 * identification is enough if the delivery concerns only the invoice and the buyer that it names itself, because that
 * invoice was locked with the ids.
 */
async function lockIdentified(
  tx: Transaction,
  read: PaymentDelivery,
  lock: (concerned: Concerned) => Promise<void>,
): Promise<IdentifiedDelivery> {
  let locked: string[] = [];
  for (;;) {
    const found = await identifyDelivery(tx, read);
    const concerned = await listConcerned(tx, found);
    const wanted = [...concerned.invoiceIds, ...concerned.addresses];
    const isIn = (these: readonly string[]) => wanted.every((one) => these.includes(one));
    if (isIn(locked)) return found;
    await lock(concerned);
    const own = [...storedIdsOf(read), ...addressOf(read)];
    if (found.delivery.buyer === read.buyer && isIn(own)) return found;
    locked = [...locked, ...wanted];
  }
}

async function listConcerned(
  tx: Transaction,
  { delivery, twins, endedApart }: IdentifiedDelivery,
): Promise<Concerned> {
  return {
    invoiceIds: [delivery.invoiceId, ...twins, ...endedApart],
    addresses: [...addressOf(delivery), ...(await listAffectedAddresses(tx, delivery, twins))],
  };
}

const addressOf = ({ buyer }: PaymentDelivery): string[] => (buyer === null ? [] : [buyer.emailNormalized]);

/**
 * Fields that replace those of a delivery whose invoice has ended already, under another id or by partial refunds: the
 * whole invoice ends, and its payer loses access.
 */
const WHOLE = { buyer: null, means: null, status: null, refunded: null } as const;

const withFlags = (delivery: PaymentDelivery, flags: readonly DeliveryFlag[]): PaymentDelivery => ({
  ...delivery,
  flags: [...delivery.flags, ...flags],
});

/**
 * Whether the outcome shows that the payment's invoice is known now: the payment gave access, or gave none because its
 * refund came first.
 */
const isUnderstood = ({ answer }: DeliveryOutcome): boolean =>
  answer.action === "api_key_created" ||
  answer.action === "already_provisioned" ||
  (answer.action === "ignored" && answer.reason === "invoice_ended");

/**
 * Joins the invoices `twins` with the delivery's invoice, because they are one purchase that arrived in separate
 * deliveries. Returns the delivery with the id of the invoice that stays.
 */
async function joined(
  tx: Transaction,
  delivery: PaymentDelivery,
  twins: readonly string[],
  context: ApplyContext,
): Promise<PaymentDelivery> {
  const ids = platformInvoiceIdsOf(delivery);
  const { adapter } = delivery;
  const invoiceId = await joinInvoices(tx, delivery, twins, context);
  const joint = { ...delivery, invoiceId, names: ids.filter((id) => `${adapter}:${id}` !== invoiceId) };
  const linked = await findSubscriberFromShopLink(
    tx,
    adapter,
    [delivery.invoiceId, ...twins].map((id) => id.slice(adapter.length + 1)),
  );
  return linked ? withFlags(joint, await movePayments(tx, joint, linked.subscriptionId, context)) : joint;
}

/**
 * Marks the refund of an ended invoice as reviewed, because its payment is known now. A flag that the buyer has another
 * paid invoice stays open while that is true, unless the present delivery carries the same flag.
 */
async function reviewExplained(
  tx: Transaction,
  delivery: PaymentDelivery,
  present: readonly DeliveryFlag[],
): Promise<void> {
  const invoice = await findInvoice(tx, delivery.invoiceId);
  if (invoice?.state !== "ended" || !invoice.subscriptionId) return;
  const ids = storedIdsOf(delivery);
  await markExplainedDeliveriesReviewed(tx, ids);
  const address = invoice.emailNormalized;
  const isSettled =
    present.includes("another_paid_invoice") ||
    (address !== null && !(await hasOtherPaidInvoice(tx, address, delivery.invoiceId)));
  if (isSettled) await markFlaggedPaymentDeliveriesReviewed(tx, ids, ["another_paid_invoice"]);
}

/** Applies earlier plan changes whose subscriber is known only now. Returns flags for review. */
async function applyEarlierChanges(
  tx: Transaction,
  changes: readonly StoredDelivery[],
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  const flags: DeliveryFlag[] = [];
  for (const change of changes) {
    // Locks the charge of the plan change. A refund of the charge waits for this, or has ended the invoice already.
    if (change.total !== null) await lockInvoiceNames(tx, change.adapter, platformInvoiceIdsOf(change));
    // The delivery that links a charge to its payment names no buyer, so the buyer's address is not locked yet.
    const { delivery } = await lockIdentified(tx, change, ({ addresses }) =>
      lockBuyerAddresses(tx, addresses),
    );
    if (delivery.buyer === null) continue;
    const { flags: added, planChange } = await applyChange(
      tx,
      await withPresentAddress(tx, delivery),
      context,
    );
    if (planChange !== null)
      await recordPaymentDeliveryEffect(tx, change.id, { action: "plan_changed", reason: planChange });
    // The plan change is still unexplained, and carries this flag since it arrived.
    if (added.includes("part_of_a_period")) continue;
    await markExplainedDeliveriesReviewed(tx, storedIdsOf(delivery));
    flags.push(...added);
  }
  return flags;
}

/** Whether the ids in `names` are stored, so that later deliveries find the invoice by them. */
const storesNames = ({ event, means, names }: PaymentDelivery) =>
  names.length > 0 &&
  (event === INVOICE_PAID_EVENT ||
    means === "charge" ||
    means === "linked" ||
    means === "plan_changed" ||
    isRevokingEvent(event));

async function apply(
  tx: Transaction,
  delivery: PaymentDelivery,
  before: readonly StoredDelivery[],
  context: ApplyContext,
): Promise<DeliveryOutcome> {
  if (delivery.event === INVOICE_PAID_EVENT) return applyPaid(tx, delivery, context);
  if (isRevokingEvent(delivery.event)) {
    const ending = { ...delivery, event: delivery.event };
    if (ending.event === CHARGEBACK_EVENT && (await wasWon(tx, ending))) return nothingRevokedOutcome(ending);
    return applyInvoiceEnd(tx, ending, before, context);
  }

  // Any other event is answered as ignored, but can still have an effect.
  const { means, failureGraceDays } = await readMeaning(tx, delivery);
  const flags: DeliveryFlag[] = [];
  let effect: DeliveryEffect | undefined;
  let planChange: string | null = null;
  switch (means) {
    case "failed":
      effect = await applyPaymentFailure(tx, delivery, failureGraceDays, context);
      break;
    case "chargeback_won": {
      const won = await applyWon(tx, delivery, before, context);
      flags.push(...won.flags);
      if (won.isReinstated) effect = "key_reinstated";
      break;
    }
    case "linked": {
      const { externalSubscriptionId } = delivery;
      if (externalSubscriptionId !== null)
        await recordInvoiceSubscription(tx, delivery.invoiceId, externalSubscriptionId);
      const invoice = await findInvoice(tx, delivery.invoiceId);
      if (invoice?.waitsForBuyer === false) await markExplainedDeliveriesReviewed(tx, storedIdsOf(delivery));
      if (invoice?.state === "ended") await undoPaidBack(tx, delivery, invoice.endedBy, context);
      break;
    }
    case "customer":
      await keepCustomer(tx, delivery);
      break;
    case "charge":
      // A charge counts as a payment if its invoice was applied before, or if its product is in the product table.
      if (
        ((await findInvoice(tx, delivery.invoiceId))?.effect ?? null) !== null ||
        (await isForSale(tx, delivery))
      ) {
        const ofSold = delivery.flags.filter((flag) => flag !== "connected_account");
        return applyPaid(tx, { ...delivery, flags: ofSold, event: INVOICE_PAID_EVENT }, context);
      }
      flags.push(...delivery.flags);
      if (!flags.includes("connected_account")) flags.push("part_of_a_period");
      break;
    case "plan_changed": {
      const changed = await applyChange(tx, delivery, context);
      flags.push(...changed.flags);
      planChange = changed.planChange;
      if (planChange !== null) effect = "plan_changed";
      break;
    }
    case "unclear":
      flags.push(...(await flagUnclear(tx, delivery)));
      break;
    case null:
      if (movedMoney(delivery)) flags.push("not_understood");
      break;
  }
  return { ...ignoredDeliveryOutcome(delivery, "unknown_event"), flags, effect, planChange };
}

/** Applies a payment. Without a usable e-mail address it gives no access, and the administrator must find the buyer. */
async function applyPaid(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<DeliveryOutcome> {
  if (delivery.status !== "paid" || delivery.buyer !== null) return applyPayment(tx, delivery, context);
  const flags: DeliveryFlag[] = delivery.flags.includes("unusable_buyer_email")
    ? delivery.flags
    : [...delivery.flags, "missing_buyer"];
  return ignoredDeliveryOutcome({ ...delivery, flags }, "missing_buyer_email");
}

/** Applies a change of plan. A charge that changed no plan, for example for another seat, needs a review. */
async function applyChange(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<PlanChangeOutcome> {
  const changed = await changePlan(tx, delivery, context);
  return hasPositiveTotal(delivery) && !(await hasChargedPlanChange(tx, delivery.invoiceId))
    ? { ...changed, flags: [...changed.flags, "part_of_a_period"] }
    : changed;
}

/** Changes the plan, unless its charge was refunded before or the new product is the one last paid for. */
async function changePlan(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<PlanChangeOutcome> {
  const { invoiceId, startsAnew, total } = delivery;
  const unchanged = { flags: [], planChange: null };
  const charge = total === null ? null : await findInvoice(tx, invoiceId);
  if (charge?.state === "ended" && (await hasChargedPlanChange(tx, invoiceId))) return unchanged;
  if (!startsAnew && (await isPaidProduct(tx, delivery))) return unchanged;
  const changed = await applyPlanChange(tx, delivery, context);
  if (charge?.state !== "ended") return changed;
  await undoPaidBack(tx, delivery, charge.endedBy, context);
  return { ...changed, planChange: null };
}

/**
 * Undoes a plan change whose charge was refunded or charged back before it was known to be the charge of a plan change.
 */
async function undoPaidBack(
  tx: Transaction,
  delivery: PaymentDelivery,
  endedBy: RevokingEvent | null,
  context: ApplyContext,
): Promise<void> {
  const isUndone = await undoPlanChange(tx, storedIdsOf(delivery), context);
  if (isUndone && endedBy !== CHARGEBACK_EVENT)
    await markExplainedDeliveriesReviewed(tx, [delivery.invoiceId]);
}

/** Whether the product of a charge within a period is in the product table. */
async function isForSale(tx: Transaction, { adapter, firstItem }: PaymentDelivery): Promise<boolean> {
  const { products } = await readCatalog(tx, adapter);
  return products.some(({ externalId }) => firstItem.productIds.includes(externalId));
}

/** Whether the subscription's present product is the one that was last paid for. */
async function isPaidProduct(
  tx: Transaction,
  { adapter, externalSubscriptionId, firstItem }: PaymentDelivery,
): Promise<boolean> {
  if (externalSubscriptionId === null) return false;
  const subscriber = await findPlatformSubscriptionBuyer(tx, adapter, externalSubscriptionId);
  return Boolean(subscriber?.productId && firstItem.productIds.includes(subscriber.productId));
}

/** The delivery's flags for review. A free order needs none once its trial is known. */
async function flagUnclear(tx: Transaction, { flags, invoiceId }: PaymentDelivery): Promise<DeliveryFlag[]> {
  return flags.includes("free_order") && (await findInvoice(tx, invoiceId)) ? [] : flags;
}

/** Whether an unknown event of the generic format has the status `paid` and an amount above zero. */
const movedMoney = (delivery: PaymentDelivery) =>
  delivery.adapter === "generic" && delivery.status === "paid" && hasPositiveTotal(delivery);

/**
 * Applies a won chargeback and stores the dispute's id as won, so that a report of this chargeback that arrives later
 * has no effect. On platforms other than `generic`, nothing is reinstated while another chargeback of the invoice is
 * open, or after a full refund; and the end of an invoice that was charged back before its payment arrived is deleted,
 * so that the payment gives access. Returns flags for review, and whether keys were reinstated.
 */
async function applyWon(
  tx: Transaction,
  delivery: PaymentDelivery,
  before: readonly StoredDelivery[],
  context: ApplyContext,
): Promise<{ flags: DeliveryFlag[]; isReinstated: boolean }> {
  const unchanged = (...flags: DeliveryFlag[]) => ({ flags, isReinstated: false });
  const { adapter, invoiceId } = delivery;
  const won = wonNames(delivery);
  const invoice = await findInvoice(tx, invoiceId);
  await insertInvoiceNames(tx, adapter, invoiceId, won);
  const isOfPlatform = adapter !== "generic";
  if (isOfPlatform && invoice?.state === "ended" && invoiceStaysEnded([...before, delivery], invoice))
    return unchanged("chargeback_won");
  const result = await applyWonChargeback(tx, delivery, context);
  if (result === "repeated") return unchanged();
  if (isOfPlatform && invoice?.endedBy === CHARGEBACK_EVENT && invoice.effect === null) {
    await deleteInvoice(tx, invoiceId);
    await markExplainedDeliveriesReviewed(tx, [invoiceId]);
    // A payment that arrived between the chargeback and its win was not applied: the administrator must apply it again.
    return invoice.waitsForBuyer ? unchanged() : unchanged("chargeback_won");
  }
  if (result === "reinstated") {
    // An earlier delivery may carry this flag because another chargeback of the invoice was won first.
    await markFlaggedPaymentDeliveriesReviewed(tx, storedIdsOf(delivery), ["chargeback_won"]);
    return { flags: [], isReinstated: true };
  }
  return won.length === 0 || invoice?.state === "ended" ? unchanged("chargeback_won") : unchanged();
}

async function wasWon(tx: Transaction, delivery: PaymentDelivery): Promise<boolean> {
  return (await findInvoiceByName(tx, delivery.adapter, wonNames(delivery))) !== null;
}

const wonNames = ({ names }: PaymentDelivery) =>
  names.filter((name) => name.startsWith(DISPUTE_NAME_PREFIX)).map((name) => `won:${name}`);

/**
 * Assigns a purchase to the subscriber whose renewal link was used. The platform's subscription, or the single purchase,
 * belongs to that subscriber from its start: payments that were applied to another subscriber before the link was known are
 * moved. Of several links the first one counts. Returns flags for review.
 */
async function followLink(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  const { adapter, externalSubscriptionId, subscriberRef, means, buyer } = delivery;
  const subscriptionId = verifySubscriberRef(subscriberRef);
  const isPurchase = statesInvoicePaid(delivery) && buyer !== null && externalSubscriptionId === null;
  const isSubscription = means === "linked" && externalSubscriptionId !== null;
  if (subscriptionId === null || !(isPurchase || isSubscription)) return [];
  const wanted = await findSubscriptionAddress(tx, subscriptionId);
  if (!wanted) return [];
  const [purchase = ""] = platformInvoiceIdsOf(delivery);
  const linkedId = externalSubscriptionId ?? purchase;
  await insertPlatformSubscriber(tx, { adapter, externalSubscriptionId: linkedId, subscriptionId });
  const linked = await findSubscriberFromShopLink(tx, adapter, [linkedId]);
  if (linked?.emailNormalized !== wanted.emailNormalized) return ["paid_for_another"];
  return movePayments(tx, delivery, subscriptionId, context);
}

/**
 * The meaning of an event: from its adapter, or for the generic format from the setting `payment_events`. Also returns
 * the setting's days of grace after a failed payment.
 */
async function readMeaning(
  tx: Transaction,
  { means, adapter, event }: PaymentDelivery,
): Promise<{ means: DeliveryMeaning | null; failureGraceDays: number }> {
  const { failed, chargebackWon, failureGraceDays } = await readPaymentEventsSetting(tx);
  if (means !== null || adapter !== "generic") return { means, failureGraceDays };
  const isNamed = (name: string) => name === event;
  if (failed.some(isNamed)) return { means: "failed", failureGraceDays };
  return { means: chargebackWon.some(isNamed) ? "chargeback_won" : null, failureGraceDays };
}

async function keepCustomer(
  tx: Transaction,
  { adapter, externalCustomerId, buyer, buyerName }: PaymentDelivery,
) {
  if (externalCustomerId === null || buyer === null) return;
  await writePlatformCustomer(tx, {
    adapter,
    externalId: externalCustomerId,
    emailHash: shortEmailHash(buyer.emailNormalized),
    buyerEncrypted: encrypt(JSON.stringify({ email: buyer.email, name: buyerName })),
  });
}
