import type { Transaction } from "@/db/client";
import type { PaidTimeRow } from "@/db/queries/paid-time";
import { type BuyerKey, findKeyOfInvoice, updateInvoice } from "@/db/queries/payments";
import { changePaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { recordAudit } from "@/lib/runtime/audit";
import type { PaidTimeKind, PlanTier } from "@/lib/vocabulary";
import { planChangeText } from "./apply-plan-change";
import type { ApplyContext } from "./outcome";

/** What a payment buys by the product table. */
interface Bought {
  kind: PaidTimeKind;
  invoiceId: string;
  productId: string | null;
  planTier: PlanTier;
  durationMs: number;
  graceMs: number;
}

/**
 * Gives a payment whose plan was guessed the plan and the days that its product has in the table by now, from the payment's
 * start on. A new row replaces the payment's row and refers to it, so that a refund ends this time, too. A second call finds
 * the row replaced. `isSettled` is false, and nothing changes, if the time was changed or ended since, its key is none of
 * `keys`, or the bought days would be over by now.
 */
export async function followProduct(
  tx: Transaction,
  { invoiceId, productId, kind, planTier, durationMs, graceMs }: Bought,
  { keys, now }: { keys: readonly BuyerKey[]; now: Date },
  { actor }: ApplyContext,
): Promise<{ isSettled: boolean; planChange: string | null }> {
  const keyId = await findKeyOfInvoice(tx, invoiceId);
  const key = keys.find((other) => other.keyId === keyId);
  if (!key) return { isSettled: false, planChange: null };
  let isSettled = false;
  const replaced: PaidTimeRow[] = [];
  const accesses = await changePaidTime(tx, [key.keyId], now, ({ rows }) => {
    const own = rows.find((row) => row.invoiceId === invoiceId);
    isSettled = rows.some(
      (row) =>
        (row === own || row.fromId === own?.id) &&
        row.endedAt === null &&
        row.planTier === planTier &&
        row.durationMs === durationMs,
    );
    const isOver = own !== undefined && own.startsAt.getTime() + durationMs <= now.getTime();
    if (!own || isSettled || own.endedAt !== null || own.kind !== kind || isOver) return { end: [], add: [] };
    replaced.push(own);
    const { startsAt, externalSubscriptionId } = own;
    return {
      end: [{ id: own.id, at: startsAt }],
      add: [
        { kind: "change", planTier, startsAt, durationMs, graceMs, externalSubscriptionId, fromId: own.id },
      ],
    };
  });
  const [former] = replaced;
  if (!former) return { isSettled, planChange: null };
  await updateInvoice(tx, invoiceId, {
    planTier,
    productId,
    expiresAt: accesses.get(key.keyId)?.expiresAt ?? null,
  });
  await recordAudit(tx, {
    actor,
    action: "payment.follow_product",
    target: `key/${key.keyId}`,
    subscriptionId: key.subscriptionId,
    details: {
      invoiceId,
      planTier,
      formerPlanTier: former.planTier,
      durationMs,
      formerDurationMs: former.durationMs,
    },
  });
  return { isSettled: true, planChange: planChangeText([former.planTier], planTier) };
}
