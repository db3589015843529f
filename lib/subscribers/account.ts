import type { z } from "zod";
import { db } from "@/db/client";
import { findHeartbeat } from "@/db/queries/heartbeats";
import { getSubscription } from "@/db/queries/subscriptions";
import type { ApiKey } from "@/lib/access/api-key";
import { DAY_MS, laterInstant } from "@/lib/time";
import type { AccountMe } from "@/lib/wire/contracts/account";
import { eaStateAt } from "./ea-state";
import { newestUnwrittenCall } from "./heartbeat";

/** Whole days left, rounded down, never negative; null when access never ends. */
export function daysRemaining(expiresAt: Date | null, now: Date): number | null {
  if (expiresAt === null) return null;
  return Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS));
}

/**
 * Time of the last call of the subscription's trading client with any key, including calls that the HTTP server has not
 * written yet; null: none. Calls of AI agents do not count.
 */
export async function readLastSeenAt(subscriptionId: number): Promise<Date | null> {
  const [stored, unwritten] = await Promise.all([
    findHeartbeat(db(), subscriptionId),
    newestUnwrittenCall(subscriptionId),
  ]);
  return laterInstant(stored?.lastSeenAt ?? null, unwritten);
}

/** Account data of the key's subscription. */
export async function describeAccount(key: ApiKey, now: Date): Promise<z.output<typeof AccountMe>> {
  const [subscription, lastSeenAt] = await Promise.all([
    getSubscription(db(), key.subscriptionId),
    readLastSeenAt(key.subscriptionId),
  ]);
  return {
    plan_tier: key.planTier,
    user_name: subscription.userName,
    email: subscription.email,
    expires_at: key.expiresAt,
    days_remaining: daysRemaining(key.expiresAt, now),
    symbols_allowed: key.symbolsAllowed,
    tfs_allowed: key.tfsAllowed,
    rate_limit_per_min: key.rateLimitPerMin,
    last_seen_at: lastSeenAt,
    ea_status: eaStateAt(lastSeenAt, now),
    api_key_hint: key.hint,
    is_owner_env: key.isOwnerEnv,
    created_at: key.createdAt ?? subscription.createdAt,
  };
}
