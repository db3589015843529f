import type { Database, Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { lockKey, updateKey } from "@/db/queries/key-changes";
import { isRevokedOrRotated } from "@/db/queries/key-state";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { changePaidTime, paidTimeReplacement } from "./paid-time-of-keys";

/**
 * Expires a try-out key now: requests get key_expired, and a payment makes the same key valid again. Throws not_found,
 * or conflict for a key that has expired, was revoked or rotated out, or is no try-out.
 */
export async function stopTryOut(database: Database, keyId: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const { subscriptionId, expiresAt, planTier } = await lockTryOut(tx, keyId);
    const now = await readClock(tx);
    if (expiresAt !== null && expiresAt <= now)
      throw new AppError("conflict", { detail: "This try-out is over." });
    await changePaidTime(tx, [keyId], now, (ledger) =>
      paidTimeReplacement(ledger, { planTier, expiresAt: now }, "gift", now),
    );
    await recordAudit(tx, {
      actor,
      action: "key.stop_try_out",
      target: `key/${keyId}`,
      subscriptionId,
      details: { from: expiresAt?.toISOString() ?? null, to: now.toISOString() },
    });
  });
}

/**
 * Turns a try-out key into a full key: its signals are no longer delayed, and its end stays. Throws not_found, or
 * conflict for a key that was revoked or rotated out, or is no try-out.
 */
export async function convertToFullKey(database: Database, keyId: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const { subscriptionId, delayCandles } = await lockTryOut(tx, keyId);
    await updateKey(tx, keyId, { delayCandles: null });
    await recordAudit(tx, {
      actor,
      action: "key.make_full",
      target: `key/${keyId}`,
      subscriptionId,
      details: { delayCandles },
    });
  });
}

async function lockTryOut(tx: Transaction, keyId: number) {
  const key = await lockKey(tx, keyId);
  if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
  if (isRevokedOrRotated(key) || key.delayCandles === null)
    throw new AppError("conflict", { detail: "This key is not a try-out key, or it has ended for good." });
  return key;
}
