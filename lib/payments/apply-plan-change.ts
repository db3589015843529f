import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import {
  isPlanChangeUndone,
  listPlanChangesChargedBy,
  type PaidTimeRow,
  recordPlanChangeCharge,
  renameChargingInvoice,
} from "@/db/queries/paid-time";
import { type BuyerKey, lockBuyerAddress, lockKeysByEmail } from "@/db/queries/payments";
import { changePaidTime, idIfStored, paidTimeToAdd } from "@/lib/access/keys/paid-time-of-keys";
import { remainingMsPerRow } from "@/lib/access/paid-time";
import { planOf, plans } from "@/lib/access/plans";
import { recordAudit } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import { readCatalog } from "./catalog";
import { choosePlan } from "./choose-plan";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";
import type { ApplyContext } from "./outcome";

/** Flags for review, and the former and the new plan of time that changed its plan; null: none did. */
export interface PlanChangeOutcome {
  flags: DeliveryFlag[];
  planChange: string | null;
}

/**
 * Tolerance when the time of a new plan is limited to the platform's period: the 31 days of a product can exceed the
 * platform's month by three days, which the buyer keeps.
 */
const SHORT_MONTH_MS = 3 * DAY_MS;

/**
 * Applies a change of a subscription's product within a period. Remaining time of its lower plans becomes the same
 * number of days of the new plan at once, at most until three days after the platform's period. A lower plan begins
 * with the payment that buys it, after the days of the higher one. A second call changes nothing.
 */
export async function applyPlanChange(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<PlanChangeOutcome> {
  const { buyer, externalSubscriptionId, firstItem } = delivery;
  const unchanged = { flags: delivery.flags, planChange: null };
  if (buyer === null || externalSubscriptionId === null || firstItem.productIds.length === 0)
    return unchanged;
  const [{ keys, now }, catalog] = await Promise.all([
    lockKeysByEmail(tx, buyer.emailNormalized),
    readCatalog(tx, delivery.adapter),
  ]);
  const [key] = keys;
  if (!key) return unchanged;
  const { planTier, flags } = choosePlan(firstItem, catalog);
  if (delivery.startsAnew && delivery.paidAt !== null) {
    const known = { key, planTier: flags.length > 0 ? null : planTier, now };
    return { ...unchanged, planChange: await creditRest(tx, delivery, known, context) };
  }
  // The plan of a product that is not in the table would be a guess.
  if (flags.length > 0) return { ...unchanged, flags: [...delivery.flags, ...flags] };
  const { rank } = planOf(planTier);
  // The charge's id, if this delivery is a charge. A plan change and its charge can be two deliveries, in either order.
  const chargedBy = delivery.total === null ? null : delivery.invoiceId;
  const change = { externalSubscriptionId, planTier, keyId: key.keyId };
  if (chargedBy !== null) await recordPlanChangeCharge(tx, { ...change, chargedBy });
  // After a refund of the charge the platform still reports the new plan: the change must not be applied again.
  else if (await isPlanChangeUndone(tx, change)) return unchanged;
  let movedMs = 0;
  let formerPlans: PlanTier[] = [];
  const accesses = await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const left = remainingMsPerRow(rows, plans(), now);
    // A change of the billing interval shortens the period: the platform has credited the time after its end.
    const end = delivery.period?.until ?? null;
    let mostMs =
      end !== null && end > now ? end.getTime() - now.getTime() + SHORT_MONTH_MS : Number.POSITIVE_INFINITY;
    const moved = rows.flatMap((row, i) => {
      const isOf = row.externalSubscriptionId === externalSubscriptionId && planOf(row.planTier).rank < rank;
      const ms = isOf && Number.isFinite(left[i]) ? Math.min(left[i] ?? 0, mostMs) : 0;
      mostMs -= ms;
      return ms > 0 ? [{ row, ms }] : [];
    });
    movedMs = moved.reduce((sum, { ms }) => sum + ms, 0);
    formerPlans = moved.map(({ row }) => row.planTier);
    return {
      end: moved.map(({ row }) => ({ id: row.id, at: now })),
      // One new row per payment, so that a refund removes only that payment's days.
      add: moved.map(({ row, ms }) => ({
        ...paidTimeToAdd("change", planTier, now, ms),
        externalSubscriptionId,
        graceMs: row.graceMs,
        fromId: idIfStored(row.id),
        chargedBy,
      })),
    };
  });
  await recordAudit(tx, {
    actor: context.actor,
    action: "payment.change_plan",
    target: `key/${key.keyId}`,
    subscriptionId: key.subscriptionId,
    details: {
      planTier,
      movedMs,
      expiresAt: accesses.get(key.keyId)?.expiresAt?.toISOString() ?? null,
    },
  });
  return { ...unchanged, planChange: planChangeText(formerPlans, planTier) };
}

/** `from Basic to Pro`; null: the time of no other plan changed. */
export function planChangeText(former: readonly PlanTier[], next: PlanTier): string | null {
  const others = [...new Set(former)].filter((name) => name !== next).map((name) => planOf(name).title);
  return others.length === 0 ? null : `from ${others.join(" and ")} to ${planOf(next).title}`;
}

/**
 * Applies a change whose charge begins a new period, and for which the platform credited the rest of the former period. If
 * the payment of the new period is stored already, the rest ends when that period begins. Otherwise the rest becomes time
 * of the new plan, with a `chargedBy` by which the payment finds it (`isCreditedRemainder`). The rest keeps its plan if the new
 * product is not in the table. Returns the changed plan.
 */
async function creditRest(
  tx: Transaction,
  { invoiceId, externalSubscriptionId, paidAt }: PaymentDelivery,
  known: { key: BuyerKey; planTier: PlanTier | null; now: Date },
  context: ApplyContext,
): Promise<string | null> {
  const { key, now } = known;
  let formerPlans: PlanTier[] = [];
  const at = paidAt === null || paidAt > now ? now : paidAt;
  await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const own = rows.filter(
      (row) => row.endedAt === null && row.externalSubscriptionId === externalSubscriptionId,
    );
    const charge = own.find((row) => row.invoiceId !== null && row.startsAt >= at);
    const left = remainingMsPerRow(rows, plans(), at);
    const rest = rows.flatMap((row, i) => {
      const ms = left[i] ?? 0;
      const isRest = own.includes(row) && row.startsAt < at && row.kind !== "grace" && ms > 0;
      return isRest && row.chargedBy !== invoiceId && Number.isFinite(ms) ? [{ row, ms }] : [];
    });
    formerPlans = rest.map(({ row }) => row.planTier);
    return {
      end: rest.map(({ row }) => ({ id: row.id, at: charge?.startsAt ?? at })),
      add: charge
        ? []
        : rest.map(({ row, ms }) => ({
            ...paidTimeToAdd("change", known.planTier ?? row.planTier, at, ms),
            externalSubscriptionId,
            graceMs: row.graceMs,
            fromId: idIfStored(row.id),
            chargedBy: invoiceId,
          })),
    };
  });
  await recordAudit(tx, {
    actor: context.actor,
    action: "payment.change_plan",
    target: `key/${key.keyId}`,
    subscriptionId: key.subscriptionId,
    details: { planTier: known.planTier, effectiveAt: at.toISOString() },
  });
  return known.planTier === null ? null : planChangeText(formerPlans, known.planTier);
}

/** Whether a row is the credited rest of a former period, which this payment's new period replaces. */
export const isCreditedRemainder = (
  { chargedBy, startsAt, endedAt }: PaidTimeRow,
  { adapter, externalSubscriptionId }: PaymentDelivery,
  paidAt: Date,
): boolean =>
  externalSubscriptionId !== null &&
  chargedBy === `${adapter}:${externalSubscriptionId}` &&
  startsAt <= paidAt &&
  endedAt === null;

/**
 * Undoes a plan change whose charge was refunded, charged back or cancelled: its remaining time becomes time of the
 * former plan again. Returns whether there was such a change.
 */
export async function undoPlanChange(
  tx: Transaction,
  /** The id of the charge, and its further ids. */
  [invoiceId, ...names]: readonly [string, ...string[]],
  context: ApplyContext,
): Promise<boolean> {
  await renameChargingInvoice(tx, names, invoiceId);
  let changes = await listPlanChangesChargedBy(tx, invoiceId);
  // While this waits, the key can be rotated and its owner's address change.
  let held: string | null = null;
  while (changes[0]?.email && changes[0].email !== held) {
    held = changes[0].email;
    await lockBuyerAddress(tx, held);
    await lockKeysByEmail(tx, held);
    changes = await listPlanChangesChargedBy(tx, invoiceId);
  }
  const [first] = changes;
  if (!first) return false;
  const now = await readClock(tx);
  const former = new Map(changes.map(({ id, plan_tier }) => [id, plan_tier]));
  await changePaidTime(tx, [...new Set(changes.map(({ key_id }) => key_id))], now, ({ rows }) => {
    const left = remainingMsPerRow(rows, plans(), now);
    const undone = rows.flatMap((row, i) => {
      const [planTier, ms] = [former.get(row.id), left[i] ?? 0];
      return planTier !== undefined && ms > 0 && Number.isFinite(ms) ? [{ row, planTier, ms }] : [];
    });
    return {
      end: undone.map(({ row }) => ({ id: row.id, at: now })),
      add: undone.map(({ row, planTier, ms }) => ({
        ...paidTimeToAdd("change", planTier, now, ms),
        externalSubscriptionId: row.externalSubscriptionId,
        graceMs: row.graceMs,
        fromId: row.id,
      })),
    };
  });
  await recordAudit(tx, {
    actor: context.actor,
    action: "payment.undo_plan_change",
    target: `key/${first.key_id}`,
    details: { invoiceId },
  });
  return true;
}
