import type { Database } from "@/db/client";
import { endRotatedKey, findKeyEnd, insertSuccessor, lockSubscription } from "@/db/queries/rotation";
import { type Actor, recordAudit } from "../audit";
import { AppError } from "../errors";
import { queueMail } from "../mail/queue-mail";
import { newKey } from "./new-key";

export interface RotatedKey {
  keyId: number;
  apiKey: string;
  rotatedAt: Date;
}

/**
 * Replaces a key by a new one of the same subscription and grant, with its mail, all or nothing. Of two rotations
 * with one key the second finds it ended. Throws key_rotated, key_revoked or key_expired.
 *
 * The subscription is locked first: whoever revokes all keys of a buyer takes the same lock and therefore sees either
 * the old key alive or the new one. Inside of a transaction it becomes part of it.
 */
export async function rotateKey(
  database: Pick<Database, "transaction">,
  key: { keyId: number; subscriptionId: number },
  actor: Actor,
): Promise<RotatedKey> {
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, key.subscriptionId);
    const ended = await endRotatedKey(tx, key.keyId);
    if (!ended) throw new AppError(await findKeyEnd(tx, key.keyId));
    const keyId = await insertSuccessor(tx, ended, { keyHash, hint });
    if (subscription.email !== null) {
      await queueMail(tx, {
        kind: "key-rotated",
        dedupeKey: `key-rotated/${keyId}`,
        subscriptionId: key.subscriptionId,
        recipient: subscription.email,
        props: { userName: subscription.userName, rotatedAt: ended.rotatedAt.toISOString() },
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
    return { keyId, apiKey, rotatedAt: ended.rotatedAt };
  });
}
