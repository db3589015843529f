import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { AppError } from "../errors";

export interface RevokedKey {
  action: "revoked" | "already_inactive";
  revokedAt: Date;
}

/** Switches a key off for good. Seen by whatever request comes next, on every instance. Throws not_found. */
export async function revokeKey(database: Database, keyId: number, actor: Actor): Promise<RevokedKey> {
  return database.transaction(async (tx) => {
    const [revoked] = await tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt), isNull(apiKeys.rotatedAt)))
      .returning({ revokedAt: apiKeys.revokedAt, subscriptionId: apiKeys.subscriptionId });
    if (revoked?.revokedAt) {
      await recordAudit(tx, {
        actor,
        action: "key.revoke",
        target: `key/${keyId}`,
        subscriptionId: revoked.subscriptionId,
      });
      return { action: "revoked", revokedAt: revoked.revokedAt };
    }
    const [ended] = await tx
      .select({ revokedAt: apiKeys.revokedAt, rotatedAt: apiKeys.rotatedAt })
      .from(apiKeys)
      .where(eq(apiKeys.id, keyId));
    const endedAt = ended?.revokedAt ?? ended?.rotatedAt;
    if (!endedAt) throw new AppError("not_found", { detail: "There is no key with this id." });
    return { action: "already_inactive", revokedAt: endedAt };
  });
}
