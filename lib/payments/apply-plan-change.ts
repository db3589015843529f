import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { listChangesChargedBy, noteCharge } from "@/db/queries/paid-time";
import { lockEmail, lockKeysByEmail } from "@/db/queries/payments";
import { changePaidTime, storedId, timeRow } from "@/lib/access/keys/paid-time-of-keys";
import { timeLeft } from "@/lib/access/paid-time";
import { planOf, plans } from "@/lib/access/plans";
import { recordAudit } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import { readCatalog } from "./catalog";
import { choosePlan } from "./choose-plan";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";
import type { ApplyContext } from "./outcome";

/** A product's 31 days may be so much more than the month of the platform: they were sold, and stay. */
const SHORT_MONTH_MS = 3 * DAY_MS;

/**
 * The product of a subscription changed within a period. What is left of that subscription's lower plans becomes time of
 * the new plan at once, as many days, at most to the end of the period that the platform names. A lower plan begins with
 * the payment that buys it, when the days of the higher are over. Applied twice it finds nothing left to change. Returns
 * what a person has to look at.
 */
export async function applyPlanChange(
  tx: Transaction,
  delivery: PaymentDelivery,
  context: ApplyContext,
): Promise<DeliveryFlag[]> {
  const { buyer, externalSubscriptionId, firstItem } = delivery;
  if (buyer === null || externalSubscriptionId === null || firstItem.productIds.length === 0)
    return delivery.flags;
  const [now, [key], catalog] = await Promise.all([
    readClock(tx),
    lockKeysByEmail(tx, buyer.emailNormalized),
    readCatalog(tx, delivery.adapter),
  ]);
  if (!key) return delivery.flags;
  const { planTier, flags } = choosePlan(firstItem, catalog);
  // A product outside the table is no plan to guess.
  if (flags.length > 0) return [...delivery.flags, ...flags];
  const { rank } = planOf(planTier);
  // Where the platform tells of the change and of its charge apart, either may come first.
  const chargedBy = delivery.total === null ? null : delivery.invoiceId;
  if (chargedBy !== null)
    await noteCharge(tx, { chargedBy, externalSubscriptionId, planTier, keyId: key.keyId });
  let movedMs = 0;
  const accesses = await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const left = timeLeft(rows, plans(), now);
    // Another interval cuts the period short: what lies beyond its end was credited by the platform.
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
    return {
      end: moved.map(({ row }) => ({ id: row.id, at: now })),
      // A row for each, so that a refund of the payment behind one takes that away alone.
      add: moved.map(({ row, ms }) => ({
        ...timeRow("change", planTier, now, ms),
        externalSubscriptionId,
        graceMs: row.graceMs,
        fromId: storedId(row.id),
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
  return delivery.flags;
}

/**
 * The charge for a change of plan was paid back: what is left of the time that it changed becomes time of the former plan
 * again. Returns whether there was such a change.
 */
export async function undoPlanChange(
  tx: Transaction,
  invoiceId: string,
  context: ApplyContext,
): Promise<boolean> {
  const changes = await listChangesChargedBy(tx, invoiceId);
  const [first] = changes;
  if (!first) return false;
  if (first.email !== null) {
    await lockEmail(tx, first.email);
    await lockKeysByEmail(tx, first.email);
  }
  const now = await readClock(tx);
  const former = new Map(changes.map(({ id, plan_tier }) => [id, plan_tier]));
  await changePaidTime(tx, [...new Set(changes.map(({ key_id }) => key_id))], now, ({ rows }) => {
    const left = timeLeft(rows, plans(), now);
    const undone = rows.flatMap((row, i) => {
      const [planTier, ms] = [former.get(row.id), left[i] ?? 0];
      return planTier !== undefined && ms > 0 && Number.isFinite(ms) ? [{ row, planTier, ms }] : [];
    });
    return {
      end: undone.map(({ row }) => ({ id: row.id, at: now })),
      add: undone.map(({ row, planTier, ms }) => ({
        ...timeRow("change", planTier, now, ms),
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
