import type { Database } from "@/db/client";
import { apiKeys, subscriptions } from "@/db/schema";
import { type Actor, recordAudit } from "../audit";
import { normalizeEmail } from "../email";
import type { PlanTier } from "../plans";
import { newKey } from "./new-key";
import { queueKeyMail } from "./queue-key-mail";

export interface KeyOrder {
  userName: string;
  email: string | null;
  planTier: PlanTier;
  expiresAt: Date | null;
  notes: string | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  rateLimitPerMin: number | null;
}

export interface IssuedKey {
  keyId: number;
  subscriptionId: number;
  apiKey: string;
}

/**
 * Opens a subscription with its first key. The key is in the answer and, when there is an address, in the mail that is
 * queued with it; nowhere else.
 */
export async function issueKey(database: Database, order: KeyOrder, actor: Actor): Promise<IssuedKey> {
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    const [subscription] = await tx
      .insert(subscriptions)
      .values({
        userName: order.userName,
        email: order.email,
        emailNormalized: order.email === null ? null : normalizeEmail(order.email),
        notes: order.notes,
      })
      .returning({ id: subscriptions.id });
    if (!subscription) throw new Error("the insert returned no subscription");
    const [key] = await tx
      .insert(apiKeys)
      .values({
        subscriptionId: subscription.id,
        keyHash,
        hint,
        planTier: order.planTier,
        expiresAt: order.expiresAt,
        symbolsAllowed: order.symbolsAllowed,
        tfsAllowed: order.tfsAllowed,
        rateLimitPerMin: order.rateLimitPerMin,
      })
      .returning({ id: apiKeys.id });
    if (!key) throw new Error("the insert returned no key");
    await queueKeyMail(tx, {
      keyId: key.id,
      apiKey,
      planTier: order.planTier,
      expiresAt: order.expiresAt,
      owner: { subscriptionId: subscription.id, userName: order.userName, email: order.email },
    });
    await recordAudit(tx, {
      actor,
      action: "key.issue",
      target: `key/${key.id}`,
      subscriptionId: subscription.id,
      details: { planTier: order.planTier, expiresAt: order.expiresAt?.toISOString() ?? null },
    });
    return { keyId: key.id, subscriptionId: subscription.id, apiKey };
  });
}
