import type { Database } from "@/db/client";
import { insertSubscriptionWithKey } from "@/db/queries/key-changes";
import { insertPaidTime } from "@/db/queries/paid-time";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import type { PlanTier } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { newKey } from "./new-key";
import { paidTimeToAddUntil } from "./paid-time-of-keys";
import { queueKeyMail } from "./queue-key-mail";
import { requireFutureEnd } from "./require-future-end";

export interface NewKeyRequest {
  userName: string;
  email: string | null;
  planTier: PlanTier;
  expiresAt: Date | null;
  notes: string | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  rateLimitPerMin: number | null;
  /** Start of the subscription. Default: now. */
  subscribedAt?: Date;
}

export interface IssuedKey {
  keyId: number;
  subscriptionId: number;
  apiKey: string;
}

/**
 * Creates a subscription with its first key. The key is only in the return value and, if there is an address, in the
 * mail that is queued with it. Throws validation_failed for an end that is not after `now`.
 */
export async function issueKey(
  database: Database,
  order: NewKeyRequest,
  actor: Actor,
  now: Date,
): Promise<IssuedKey> {
  const { userName, email, notes, planTier, expiresAt, symbolsAllowed, tfsAllowed, rateLimitPerMin } = order;
  const since = order.subscribedAt === undefined ? {} : { createdAt: order.subscribedAt };
  requireFutureEnd(expiresAt, now);
  const { apiKey, keyHash, hint } = newKey();
  return database.transaction(async (tx) => {
    const { subscriptionId, keyId } = await insertSubscriptionWithKey(
      tx,
      { userName, email, emailNormalized: email === null ? null : normalizeEmail(email), notes, ...since },
      { keyHash, hint, planTier, expiresAt, symbolsAllowed, tfsAllowed, rateLimitPerMin },
    );
    await insertPaidTime(tx, [
      {
        ...paidTimeToAddUntil("gift", planTier, now, expiresAt),
        subscriptionId,
        keyId,
      },
    ]);
    await queueKeyMail(tx, {
      keyId,
      apiKey,
      planTier,
      expiresAt,
      owner: { subscriptionId, userName, email },
    });
    await recordAudit(tx, {
      actor,
      action: "key.issue",
      target: `key/${keyId}`,
      subscriptionId,
      details: { planTier, expiresAt: expiresAt?.toISOString() ?? null },
    });
    return { keyId, subscriptionId, apiKey };
  });
}
