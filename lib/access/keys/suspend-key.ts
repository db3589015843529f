import type { Database, Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { lockKey, updateKey } from "@/db/queries/key-changes";
import { hasEnded } from "@/db/queries/key-state";
import { getSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";

/**
 * Holds a key back until it is reinstated, with its mail. The next request sees it, on every instance; closings of
 * known positions are heard for 72 hours. Twice changes nothing. Throws not_found, or conflict for one that has ended.
 */
export async function suspendKey(
  database: Database,
  keyId: number,
  actor: Actor,
): Promise<{ action: "suspended" | "already_suspended" }> {
  return database.transaction(async (tx) => {
    const key = await lockUnended(tx, keyId);
    if (key.suspendedAt !== null) return { action: "already_suspended" };
    const [now, { userName, email }] = await Promise.all([
      readClock(tx),
      getSubscription(tx, key.subscriptionId),
    ]);
    await updateKey(tx, keyId, { suspendedAt: now });
    const { subscriptionId } = key;
    await recordAudit(tx, { actor, action: "key.suspend", target: `key/${keyId}`, subscriptionId });
    if (email !== null) {
      await queueMail(tx, {
        kind: "access-suspended",
        dedupeKey: `access-suspended/${keyId}/${now.toISOString()}`,
        subscriptionId,
        recipient: email,
        props: { userName, suspendedAt: writeInstant(now) },
      });
    }
    return { action: "suspended" };
  });
}

/**
 * Lets a suspended key work again, with its mail: the same key, until the end that it has. Twice changes nothing.
 * Throws not_found, or conflict for one that was revoked or replaced.
 */
export async function reinstateKey(
  database: Database,
  keyId: number,
  actor: Actor,
): Promise<{ action: "reinstated" | "not_suspended" }> {
  return database.transaction(async (tx) => {
    const key = await lockUnended(tx, keyId);
    const { subscriptionId, suspendedAt, expiresAt } = key;
    if (suspendedAt === null) return { action: "not_suspended" };
    const [now, { userName, email }] = await Promise.all([
      readClock(tx),
      getSubscription(tx, subscriptionId),
    ]);
    await updateKey(tx, keyId, { suspendedAt: null });
    await recordAudit(tx, {
      actor,
      action: "key.reinstate",
      target: `key/${keyId}`,
      subscriptionId,
      details: { suspendedAt: suspendedAt.toISOString() },
    });
    // Where access is over by now there is nothing to announce.
    if (email !== null && (expiresAt === null || expiresAt > now)) {
      await queueMail(tx, {
        kind: "access-reinstated",
        dedupeKey: `access-reinstated/${keyId}/${suspendedAt.toISOString()}`,
        subscriptionId,
        recipient: email,
        props: { userName, expiresAt: expiresAt && writeInstant(expiresAt) },
      });
    }
    return { action: "reinstated" };
  });
}

async function lockUnended(tx: Transaction, keyId: number) {
  const key = await lockKey(tx, keyId);
  if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
  if (hasEnded(key))
    throw new AppError("conflict", {
      detail: "This key has ended for good. It can be neither suspended nor reinstated.",
    });
  return key;
}
