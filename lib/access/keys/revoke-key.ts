import type { Database } from "@/db/client";
import { findKeyStateTimes, markKeyRevoked } from "@/db/queries/key-changes";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";

export interface KeyRevocationResult {
  action: "revoked" | "already_inactive";
  revokedAt: Date;
}

/**
 * Revokes a key for good, on every instance from the next request on. A key that was revoked or rotated out before
 * stays unchanged. Throws not_found.
 */
export async function revokeKey(
  database: Database,
  keyId: number,
  actor: Actor,
): Promise<KeyRevocationResult> {
  return database.transaction(async (tx) => {
    const revoked = await markKeyRevoked(tx, keyId);
    if (revoked) {
      await recordAudit(tx, {
        actor,
        action: "key.revoke",
        target: `key/${keyId}`,
        subscriptionId: revoked.subscriptionId,
      });
      return { action: "revoked", revokedAt: revoked.revokedAt };
    }
    const end = await findKeyStateTimes(tx, keyId);
    const endedAt = end?.revokedAt ?? end?.rotatedAt;
    if (!endedAt) throw new AppError("not_found", { detail: "There is no key with this id." });
    return { action: "already_inactive", revokedAt: endedAt };
  });
}
