import { and, eq, isNull } from "drizzle-orm";
import type { Database } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { AppError, invalidField } from "../errors";

/**
 * Moves the end of a key that is neither revoked nor rotated out; null: it never ends. An expired key works again
 * from the next request on, a revoked one stays revoked. Throws validation_failed, not_found or conflict.
 */
export async function extendKey(
  database: Database,
  keyId: number,
  expiresAt: Date | null,
  actor: Actor,
  now: Date,
): Promise<void> {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidField("body", "expires_at", "must be in the future");
  await database.transaction(async (tx) => {
    const [key] = await tx
      .select({
        subscriptionId: apiKeys.subscriptionId,
        expiresAt: apiKeys.expiresAt,
        revokedAt: apiKeys.revokedAt,
        rotatedAt: apiKeys.rotatedAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.id, keyId))
      .for("update");
    if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
    if (key.revokedAt ?? key.rotatedAt)
      throw new AppError("conflict", {
        detail: "This key has ended for good and cannot be extended. Issue a new key instead.",
      });
    await tx
      .update(apiKeys)
      .set({ expiresAt })
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt), isNull(apiKeys.rotatedAt)));
    await recordAudit(tx, {
      actor,
      action: "key.extend",
      target: `key/${keyId}`,
      subscriptionId: key.subscriptionId,
      details: { from: key.expiresAt?.toISOString() ?? null, to: expiresAt?.toISOString() ?? null },
    });
  });
}
