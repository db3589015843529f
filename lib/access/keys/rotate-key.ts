import type { Database, Transaction } from "@/db/client";
import { findKeyStateTimes, insertKey, markKeyRotated } from "@/db/queries/key-changes";
import { movePaidTime } from "@/db/queries/paid-time";
import { lockSubscription } from "@/db/queries/subscriptions";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { readSignalDelivery } from "@/lib/outbound/mail/signal-delivery";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { newKey } from "./new-key";

export interface KeyRotationResult {
  keyId: number;
  apiKey: string;
  rotatedAt: Date;
}

/**
 * Replaces a key by a new one with the same subscription and grant, and queues its mail, in one transaction. Of
 * two concurrent rotations the second one fails. Throws key_rotated, key_revoked, key_suspended or key_expired.
 *
 * Locks the subscription first. Revoking all keys of a buyer takes the same lock and therefore sees either the
 * old key active or the new one.
 */
export async function rotateKey(
  database: Pick<Database, "transaction">,
  key: { keyId: number; subscriptionId: number },
  actor: Actor,
): Promise<KeyRotationResult> {
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, key.subscriptionId);
    if (!subscription) throw new Error("a key without its subscription");
    const ended = await markKeyRotated(tx, key.keyId);
    if (!ended) throw await endedBefore(tx, key.keyId);
    const { rotatedAt, ...grant } = ended;
    const keyId = await insertKey(tx, { ...grant, keyHash, hint });
    await movePaidTime(tx, key.keyId, keyId);
    if (subscription.email !== null) {
      await queueMail(tx, {
        kind: "key-rotated",
        dedupeKey: `key-rotated/${keyId}`,
        subscriptionId: key.subscriptionId,
        recipient: subscription.email,
        props: {
          userName: subscription.userName,
          rotatedAt: rotatedAt.toISOString(),
          ...(actor.kind !== "subscriber" && { byOperator: true }),
          delivery: await readSignalDelivery(tx, keyId),
        },
        secret: apiKey,
      });
    }
    await recordAudit(tx, {
      actor,
      action: "key.rotate",
      target: `key/${key.keyId}`,
      subscriptionId: key.subscriptionId,
      details: { newKeyId: keyId },
    });
    return { keyId, apiKey, rotatedAt };
  });
}

/** The error for a key that is not live. */
async function endedBefore(tx: Transaction, keyId: number): Promise<AppError> {
  const end = await findKeyStateTimes(tx, keyId);
  if (end?.revokedAt) return new AppError("key_revoked");
  if (end?.suspendedAt && !end.rotatedAt) return new AppError("key_suspended");
  return new AppError(end?.rotatedAt ? "key_rotated" : "key_expired");
}
