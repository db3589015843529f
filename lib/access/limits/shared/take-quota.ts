import {
  localLimiter,
  type Quota,
  RollingWindowLimiter,
  WINDOW_SECONDS,
} from "@/lib/access/limits/rolling-window";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { connectRedis, connectUpstash } from "./redis-connection";
import { SharedLimiter, type StoreState } from "./shared-limiter";

/** The limiter over the configured store; null when none is configured. */
export function sharedLimiter(): SharedLimiter | null {
  return processWide("shared-limiter", () => {
    const { upstash, redisUrl } = env();
    if (upstash) return new SharedLimiter(connectUpstash(upstash), localLimiter());
    if (redisUrl !== null) return new SharedLimiter(connectRedis(redisUrl), localLimiter());
    return null;
  });
}

/** Counts one request against `limit` in any 60 seconds: over all instances with a store, else in this process. */
export function takeQuota(identifier: string, limit: number): Quota | Promise<Quota> {
  const shared = sharedLimiter();
  return shared ? shared.take(identifier, limit) : localLimiter().take(identifier, limit);
}

/** Whether the next one would be refused, without counting it: by the store, and by this process where it is away. */
export async function isQuotaExhausted(identifier: string, limit: number): Promise<boolean> {
  if (localLimiter().isExhausted(identifier, limit)) return true;
  return (await sharedLimiter()?.isExhausted(identifier, limit)) ?? false;
}

const HOUR_SECONDS = 3_600;

/** Counts one request against `limit` in any hour, as `takeQuota` does in a minute. `nowMs` is this process's clock. */
export function takeHourlyQuota(
  identifier: string,
  limit: number,
  nowMs = performance.now(),
): Quota | Promise<Quota> {
  // The window in memory is one minute of the clock that it is given: on a clock sixty times slower it is an hour.
  const hourly = processWide("hourly-limiter", () => new RollingWindowLimiter(50_000));
  const takeHere = () => hourly.take(identifier, limit, nowMs / (HOUR_SECONDS / WINDOW_SECONDS));
  return sharedLimiter()?.take(identifier, limit, HOUR_SECONDS, takeHere) ?? takeHere();
}

/** How the store is doing; null when none is configured. */
export function quotaStoreState(): StoreState | null {
  return sharedLimiter()?.state() ?? null;
}
