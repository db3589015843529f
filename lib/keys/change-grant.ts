import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { AppError } from "../errors";
import type { PlanTier } from "../plans";

export interface NewGrant {
  planTier: PlanTier;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  /** null: the plan's own limit. */
  rateLimitPerMin: number | null;
}

/**
 * Changes what a key may see and how often it may ask, from its next request on. Throws not_found, or conflict for
 * a key that was revoked or rotated out.
 */
export async function changeGrant(
  database: Database,
  keyId: number,
  grant: NewGrant,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [key] = await tx.select().from(apiKeys).where(eq(apiKeys.id, keyId)).for("update");
    if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
    if (key.revokedAt ?? key.rotatedAt)
      throw new AppError("conflict", { detail: "This key has ended for good and cannot be changed." });
    await tx.update(apiKeys).set(grant).where(eq(apiKeys.id, keyId));
    const { planTier, symbolsAllowed, tfsAllowed, rateLimitPerMin } = key;
    await recordAudit(tx, {
      actor,
      action: "key.change_grant",
      target: `key/${keyId}`,
      subscriptionId: key.subscriptionId,
      details: { before: { planTier, symbolsAllowed, tfsAllowed, rateLimitPerMin }, after: grant },
    });
  });
}
