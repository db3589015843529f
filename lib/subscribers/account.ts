import type { z } from "zod";
import { db } from "@/db/client";
import { findHeartbeat } from "@/db/queries/keys";
import { getSubscription } from "@/db/queries/subscriptions";
import type { ApiKey } from "@/lib/api/require-api-key";
import type { AccountMe, EaState } from "@/lib/wire/contracts/account";
import { heartbeats, laterOf } from "./heartbeat";

const ONLINE_MINUTES = 5;
const DELAYED_MINUTES = 30;
const DAY_MS = 86_400_000;

/** State of a trading client from the time of its last call. */
export function eaStateAt(lastSeenAt: Date | null, now: Date): z.output<typeof EaState> {
  if (lastSeenAt === null)
    return { status: "never", label: "No call received yet", online: false, mins_since: null };
  const minsSince = Math.max(0, Math.round(((now.getTime() - lastSeenAt.getTime()) / 60_000) * 100) / 100);
  if (minsSince <= ONLINE_MINUTES)
    return { status: "online", label: "Online", online: true, mins_since: minsSince };
  if (minsSince <= DELAYED_MINUTES)
    return { status: "delayed", label: "Delayed", online: false, mins_since: minsSince };
  return { status: "offline", label: "Offline", online: false, mins_since: minsSince };
}

/** Whole days left, rounded down, never negative; null when access never ends. */
export function daysRemaining(expiresAt: Date | null, now: Date): number | null {
  if (expiresAt === null) return null;
  return Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS));
}

/** When any key of the subscription last called, the call being answered included. */
export async function lastSeen(subscriptionId: number): Promise<Date | null> {
  const stored = await findHeartbeat(db(), subscriptionId);
  return laterOf(stored?.lastSeenAt ?? null, heartbeats().newestOf(subscriptionId));
}

/** Account metadata of the key's subscription. */
export async function describeAccount(key: ApiKey, now: Date): Promise<z.output<typeof AccountMe>> {
  const [subscription, lastSeenAt] = await Promise.all([
    getSubscription(db(), key.subscriptionId),
    lastSeen(key.subscriptionId),
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
