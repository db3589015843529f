import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { apiKeys, subscriptions } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { AppError, invalidField } from "../errors";
import type { IssuedKey } from "./issue-key";
import { newKey } from "./new-key";
import { queueKeyMail } from "./queue-key-mail";

/**
 * Gives a subscription without a working key a new one with the grant of its last, so that its history continues.
 * Two callers at once make one key. Throws validation_failed, not_found, or conflict while a key still works.
 */
export async function issueNextKey(
  database: Database,
  subscriptionId: number,
  expiresAt: Date | null,
  actor: Actor,
  now: Date,
): Promise<IssuedKey> {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidField("body", "expires_at", "must be in the future");
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    // Row 0 is the owner, whose key stands in the environment.
    const [subscription] = await tx
      .select({ id: subscriptions.id, userName: subscriptions.userName, email: subscriptions.email })
      .from(subscriptions)
      .where(eq(subscriptions.id, subscriptionId))
      .for("update");
    if (!subscription || subscriptionId === 0)
      throw new AppError("not_found", { detail: "There is no subscriber with this id." });
    const keys = await tx
      .select({
        planTier: apiKeys.planTier,
        symbolsAllowed: apiKeys.symbolsAllowed,
        tfsAllowed: apiKeys.tfsAllowed,
        rateLimitPerMin: apiKeys.rateLimitPerMin,
        works: sql<boolean>`${apiKeys.revokedAt} is null and ${apiKeys.rotatedAt} is null
          and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`,
      })
      .from(apiKeys)
      .where(eq(apiKeys.subscriptionId, subscriptionId))
      .orderBy(desc(apiKeys.id));
    if (keys.some((key) => key.works))
      throw new AppError("conflict", { detail: "A key of this subscriber still works. Revoke it first." });
    const last = keys[0];
    const [key] = await tx
      .insert(apiKeys)
      .values({
        subscriptionId,
        keyHash,
        hint,
        expiresAt,
        planTier: last?.planTier ?? "basic",
        symbolsAllowed: last?.symbolsAllowed ?? null,
        tfsAllowed: last?.tfsAllowed ?? null,
        rateLimitPerMin: last?.rateLimitPerMin ?? null,
      })
      .returning({ id: apiKeys.id });
    if (!key) throw new Error("the insert returned no key");
    await queueKeyMail(tx, {
      keyId: key.id,
      apiKey,
      planTier: last?.planTier ?? "basic",
      expiresAt,
      owner: { subscriptionId, userName: subscription.userName, email: subscription.email },
    });
    await recordAudit(tx, {
      actor,
      action: "key.issue",
      target: `key/${key.id}`,
      subscriptionId,
      details: { expiresAt: expiresAt?.toISOString() ?? null, next: true },
    });
    return { keyId: key.id, subscriptionId, apiKey };
  });
}
