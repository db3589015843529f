import type { Transaction } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { lockKeysByEmail } from "@/db/queries/payments";
import { changePaidTime, timeRow } from "@/lib/access/keys/paid-time-of-keys";
import { timeLeft } from "@/lib/access/paid-time";
import { planOf, plans } from "@/lib/access/plans";
import { recordAudit } from "@/lib/runtime/audit";
import { readCatalog } from "./catalog";
import { choosePlan } from "./choose-plan";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";
import type { ApplyContext } from "./outcome";

/**
 * The product of a subscription changed within a period. What is left of that subscription's lower plans becomes time of
 * the new plan at once, as many days. A lower plan begins with the payment that buys it, when the days of the higher are
 * over. Applied twice it finds nothing left to change. Returns what a person has to look at.
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
  let movedMs = 0;
  const accesses = await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const left = timeLeft(rows, plans(), now);
    const moved = rows.flatMap((row, i) => {
      const ms = left[i] ?? 0;
      const isOf = row.externalSubscriptionId === externalSubscriptionId && planOf(row.planTier).rank < rank;
      return isOf && ms > 0 && Number.isFinite(ms) ? [{ row, ms }] : [];
    });
    movedMs = moved.reduce((sum, { ms }) => sum + ms, 0);
    if (movedMs === 0) return { add: [], end: [] };
    const graceMs = Math.max(...moved.map(({ row }) => row.graceMs));
    return {
      end: moved.map(({ row }) => ({ id: row.id, at: now })),
      add: [{ ...timeRow("change", planTier, now, movedMs), externalSubscriptionId, graceMs }],
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
