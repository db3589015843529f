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
 * Exact rolling-window limiter in memory: never more than `limit` requests of an identifier in any window. At most
 * `maxIdentifiers` identifiers are remembered, and each for at most two windows after its last request; beyond that number,
 * at least the half of them used last.
 */
export class RollingWindowLimiter {
  /** Times of the requests in the last window, oldest first, by identifier used since `#startedMs`. */
  #recent = new Map<string, number[]>();
  /** The same by identifier used only before `#startedMs`. */
  #former = new Map<string, number[]>();
  #startedMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly maxIdentifiers = 200_000,
    readonly windowMs: number = MINUTE_MS,
  ) {}

  /** Counts one request of `identifier` at `nowMs` (a monotonic clock) if `limit` allows it. */
  take(identifier: string, limit: number, nowMs = performance.now()): Quota {
    this.#forget(nowMs);
    const times = this.#timesOf(identifier, nowMs) ?? [];
    const allowed = times.length < limit;
    if (allowed) times.push(nowMs);
    this.#former.delete(identifier);
    this.#recent.set(identifier, times);
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
    return (this.#timesOf(identifier, nowMs)?.length ?? 0) >= limit;
  }

  get size(): number {
    return this.#recent.size + this.#former.size;
  }

  /** Drops the identifiers used only before `#startedMs`, if a window has passed since or there are too many. */
  #forget(nowMs: number): void {
    const isOver = nowMs - this.#startedMs >= this.windowMs;
    if (!isOver && this.#recent.size < this.maxIdentifiers / 2) return;
    this.#former = this.#recent;
    this.#recent = new Map();
    this.#startedMs = nowMs;
  }

  #timesOf(identifier: string, nowMs: number): number[] | undefined {
    const times = this.#recent.get(identifier) ?? this.#former.get(identifier);
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
