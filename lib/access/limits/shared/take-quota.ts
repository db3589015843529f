import {
  localLimiter,
  type Quota,
  RollingWindowLimiter,
  WINDOW_SECONDS,
} from "@/lib/access/limits/rolling-window";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { atFirst } from "@/lib/runtime/processes";
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

/** Counts without a store: in this process, or in the first one for all that serve one port. */
const takeHere = atFirst("take-quota", (identifier: string, limit: number) =>
  localLimiter().take(identifier, limit),
);
const isExhaustedHere = atFirst("is-quota-exhausted", (identifier: string, limit: number) =>
  localLimiter().isExhausted(identifier, limit),
);
/** How many callers are remembered without a store. */
export const rememberedCallers = atFirst("limiter-size", () => localLimiter().size);

/** Counts one request against `limit` in any 60 seconds: over all instances with a store, else on this machine's port. */
export function takeQuota(identifier: string, limit: number): Quota | Promise<Quota> {
  const count = () => takeHere(identifier, limit);
  return sharedLimiter()?.take(identifier, limit, WINDOW_SECONDS, count) ?? count();
}

/** Whether the next one would be refused, without counting it: by the store, and by this process where it is away. */
export async function isQuotaExhausted(identifier: string, limit: number): Promise<boolean> {
  if (await isExhaustedHere(identifier, limit)) return true;
  return (await sharedLimiter()?.isExhausted(identifier, limit)) ?? false;
}

const HOUR_SECONDS = 3_600;

const takeHourHere = atFirst("take-hourly-quota", (identifier: string, limit: number, nowMs?: number) => {
  // The window in memory is one minute of the clock that it is given: on a clock sixty times slower it is an hour.
  const hourly = processWide("hourly-limiter", () => new RollingWindowLimiter(50_000));
  return hourly.take(identifier, limit, (nowMs ?? performance.now()) / (HOUR_SECONDS / WINDOW_SECONDS));
});

/** Counts one request against `limit` in any hour, as `takeQuota` does in a minute. `nowMs`: another clock than the process's. */
export function takeHourlyQuota(identifier: string, limit: number, nowMs?: number): Quota | Promise<Quota> {
  const count = () => takeHourHere(identifier, limit, nowMs);
  return sharedLimiter()?.take(identifier, limit, HOUR_SECONDS, count) ?? count();
}

/** How the store is doing; null when none is configured. */
export function quotaStoreState(): StoreState | null {
  return sharedLimiter()?.state() ?? null;
}
