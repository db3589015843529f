import { localLimiter, QUOTA_WINDOW_SECONDS, type Quota } from "@/lib/access/limits/rolling-window";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { serverProcedure } from "@/lib/runtime/server-rpc";
import { connectRedis, connectUpstash } from "./redis-connection";
import { type QuotaStoreState, SharedLimiter } from "./shared-limiter";

/** The limiter in the configured Redis; null when none is configured. */
export function sharedLimiter(): SharedLimiter | null {
  return processWide("shared-limiter", () => {
    const { upstash, redisUrl } = env();
    if (upstash) return new SharedLimiter(connectUpstash(upstash), localLimiter());
    if (redisUrl !== null) return new SharedLimiter(connectRedis(redisUrl), localLimiter());
    return null;
  });
}

/** Number of identifiers (callers of the API, networks that request pages) in the HTTP server's in-memory limiter. */
export const localLimiterSize = serverProcedure("limiter-size", () => localLimiter().size);

/**
 * Counts one request against `limit` in any 60 seconds: over all replicas while a store answers, otherwise in this
 * process.
 */
export function takeQuota(identifier: string, limit: number): Quota | Promise<Quota> {
  const count = () => localLimiter().take(identifier, limit);
  return sharedLimiter()?.take(identifier, limit, QUOTA_WINDOW_SECONDS, count) ?? count();
}

/** State of the store as the HTTP server sees it, or the worker in its process; null if none is configured. */
export const quotaStoreState = serverProcedure(
  "quota-store-state",
  (): QuotaStoreState | null => sharedLimiter()?.state() ?? null,
);
