import type { Database, Transaction } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { lockKey, updateKey } from "@/db/queries/key-changes";
import { isRevokedOrRotated } from "@/db/queries/key-state";
import { getSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { readSignalDelivery } from "@/lib/outbound/mail/signal-delivery";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";
import { findPaidUntil } from "./paid-time-of-keys";

/**
 * Suspends a key until it is reinstated, and mails its owner. Applies on every instance from the next request on; the
 * key can report closings of known positions for 72 hours. A second call changes nothing. Throws not_found, or conflict
 * for a key that was revoked or rotated out.
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
        props: {
          userName,
          suspendedAt: writeInstant(now),
          delivery: await readSignalDelivery(tx, keyId),
        },
      });
    }
    return { action: "suspended" };
  });
}

/**
 * Reinstates a suspended key with its present end, and mails its owner unless that end has passed. A second call
 * changes nothing. Throws not_found, or conflict for a key that was revoked or rotated out.
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
    // Expired access is not announced.
    if (email !== null && (expiresAt === null || expiresAt > now)) {
      const paidUntil = await findPaidUntil(tx, keyId, now);
      await queueMail(tx, {
        kind: "access-reinstated",
        dedupeKey: `access-reinstated/${keyId}/${suspendedAt.toISOString()}`,
        subscriptionId,
        recipient: email,
        props: {
          userName,
          expiresAt: expiresAt && writeInstant(expiresAt),
          ...(paidUntil && { paidUntil: writeInstant(paidUntil) }),
        },
      });
    }
    return { action: "reinstated" };
  });
}

async function lockUnended(tx: Transaction, keyId: number) {
  const key = await lockKey(tx, keyId);
  if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
  if (isRevokedOrRotated(key))
    throw new AppError("conflict", {
      detail: "This key has ended for good. It can be neither suspended nor reinstated.",
    });
  return key;
}
