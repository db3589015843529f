import type { Database } from "@/db/client";
import { insertKey, listKeyGrants } from "@/db/queries/key-changes";
import { insertPaidTime } from "@/db/queries/paid-time";
import { lockSubscription } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import type { IssuedKey } from "./issue-key";
import { newKey } from "./new-key";
import { paidTimeToAddUntil } from "./paid-time-of-keys";
import { queueKeyMail } from "./queue-key-mail";
import { requireFutureEnd } from "./require-future-end";

/**
 * Gives a subscription without a working key a new key with the grant of its last one; the history continues.
 * Concurrent calls make one key. Throws validation_failed for an end that is not after `now`, not_found, and conflict
 * while a key works or is suspended.
 */
export async function issueNextKey(
  database: Database,
  subscriptionId: number,
  expiresAt: Date | null,
  actor: Actor,
  now: Date,
): Promise<IssuedKey> {
  requireFutureEnd(expiresAt, now);
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, subscriptionId);
    // Subscription 0 is the owner, whose key is in the environment.
    if (!subscription || subscriptionId === 0)
      throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    const keys = await listKeyGrants(tx, subscriptionId);
    if (keys.some((key) => key.works))
      throw new AppError("conflict", { detail: "A key of this subscriber still works. Revoke it first." });
    if (keys.some((key) => key.isSuspended))
      throw new AppError("conflict", {
        detail: "A key of this subscriber is suspended. Reinstate it, or revoke it first.",
      });
    const grant = keys[0]?.grant ?? { planTier: "basic" };
    const keyId = await insertKey(tx, { ...grant, subscriptionId, keyHash, hint, expiresAt });
    const { userName, email } = subscription;
    await insertPaidTime(tx, [
      {
        ...paidTimeToAddUntil("gift", grant.planTier, now, expiresAt),
        subscriptionId,
        keyId,
      },
    ]);
    await queueKeyMail(tx, {
      keyId,
      apiKey,
      planTier: grant.planTier,
      expiresAt,
      owner: { subscriptionId, userName, email },
    });
    await recordAudit(tx, {
      actor,
      action: "key.issue",
      target: `key/${keyId}`,
      subscriptionId,
      details: { expiresAt: expiresAt?.toISOString() ?? null, next: true },
    });
    return { keyId, subscriptionId, apiKey };
  });
}
