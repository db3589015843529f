import { LRUCache } from "lru-cache";
import { processWide } from "@/lib/runtime/process-wide";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";

export const QUOTA_WINDOW_SECONDS = 60;

export interface Quota {
  allowed: boolean;
  limit: number;
  remaining: number;
  /**
   * Whole seconds, at least 1: after a refusal until the next request is allowed, otherwise until the oldest counted
   * request leaves the window.
   */
  resetSeconds: number;
}

/**
 * Exact rolling-window limiter in memory: never more than `limit` requests of an identifier in any window. Only the
 * `maxIdentifiers` identifiers used last are remembered.
 */
export class RollingWindowLimiter {
  /** Times of the requests in the last window, by identifier, oldest first. */
  readonly #times: LRUCache<string, number[]>;

  constructor(
    maxIdentifiers = 200_000,
    readonly windowMs: number = MINUTE_MS,
  ) {
    this.#times = new LRUCache({ max: maxIdentifiers });
  }

  /** Counts one request of `identifier` at `nowMs` (a monotonic clock) if `limit` allows it. */
  take(identifier: string, limit: number, nowMs = performance.now()): Quota {
    const times = this.#recent(identifier, nowMs) ?? [];
    const allowed = times.length < limit;
    if (allowed) times.push(nowMs);
    this.#times.set(identifier, times);
    // If the limit was lowered, more than one request must leave the window before the next one is allowed.
    const frees = times[Math.max(0, times.length - limit)] ?? nowMs;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - times.length),
      resetSeconds: Math.max(1, Math.ceil((frees + this.windowMs - nowMs) / SECOND_MS)),
    };
  }

  /** Whether the next request would be refused. Counts nothing. */
  isExhausted(identifier: string, limit: number, nowMs = performance.now()): boolean {
    return (this.#recent(identifier, nowMs)?.length ?? 0) >= limit;
  }

  get size(): number {
    return this.#times.size;
  }

  #recent(identifier: string, nowMs: number): number[] | undefined {
    const times = this.#times.get(identifier);
    if (times === undefined) return undefined;
    const cutoff = nowMs - this.windowMs;
    const first = times.findIndex((at) => at > cutoff);
    if (first !== 0) times.splice(0, first < 0 ? times.length : first);
    return times;
  }
}

/** This process's limiter for requests, with a window of one minute. */
export function localLimiter(): RollingWindowLimiter {
  return processWide("rate-limiter", () => new RollingWindowLimiter());
}

/** Rate-limit headers for a counted request. */
export function quotaHeaders(quota: Quota): Record<string, string> {
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(quota.limit),
    "X-RateLimit-Remaining": String(quota.remaining),
    "X-RateLimit-Reset": String(quota.resetSeconds),
    "RateLimit-Policy": `"default";q=${quota.limit};w=${QUOTA_WINDOW_SECONDS}`,
    RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
  };
  if (!quota.allowed) headers["Retry-After"] = String(quota.resetSeconds);
  return headers;
}
