import { processWide } from "@/lib/runtime/process-wide";

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;
const FIRST_LENGTH = 8;

export interface Quota {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the next place is free; at least 1 when refused. */
  resetSeconds: number;
}

/**
 * Times of the requests of the last window, in a ring that grows up to the limit. An array of doubles, not a typed one: that
 * is an object, a buffer and memory outside of the heap for each of the many short ones.
 */
interface Ring {
  times: number[];
  head: number;
  count: number;
  touchedAt: number;
}

/**
 * Exact rolling-window limiter in memory: never more than `limit` in any 60 seconds, at constant cost.
 * It remembers at most `maxIdentifiers`; past that the longest untouched ones are forgotten first.
 */
export class RollingWindowLimiter {
  readonly #rings = new Map<string, Ring>();

  constructor(readonly maxIdentifiers = 200_000) {}

  /** Counts one request of `identifier` at `nowMs` (a monotonic clock) if `limit` allows it. */
  take(identifier: string, limit: number, nowMs = performance.now()): Quota {
    const ring = this.#ring(identifier, nowMs);
    this.#forgetBefore(ring, nowMs - WINDOW_MS);
    const allowed = ring.count < limit;
    if (allowed) push(ring, nowMs, limit);
    ring.touchedAt = nowMs;
    const oldest = ring.count > 0 ? (ring.times[ring.head] ?? nowMs) : nowMs;
    // After a lowered limit more than one place must clear before the next request passes.
    const surplus = Math.max(0, ring.count - limit);
    const frees = surplus > 0 ? (ring.times[(ring.head + surplus) % ring.times.length] ?? oldest) : oldest;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - ring.count),
      resetSeconds: Math.max(1, Math.ceil((frees + WINDOW_MS - nowMs) / 1000)),
    };
  }

  /** Whether the next request would be refused, without counting one. */
  isExhausted(identifier: string, limit: number, nowMs = performance.now()): boolean {
    const ring = this.#rings.get(identifier);
    if (!ring) return false;
    this.#forgetBefore(ring, nowMs - WINDOW_MS);
    return ring.count >= limit;
  }

  get size(): number {
    return this.#rings.size;
  }

  #ring(identifier: string, nowMs: number): Ring {
    const found = this.#rings.get(identifier);
    if (found) return found;
    if (this.#rings.size >= this.maxIdentifiers) this.#makeRoom(nowMs);
    const fresh = { times: emptyTimes(FIRST_LENGTH), head: 0, count: 0, touchedAt: nowMs };
    this.#rings.set(identifier, fresh);
    return fresh;
  }

  /** Forgets everything idle for a window; if that is not enough, the tenth that was untouched for longest. */
  #makeRoom(nowMs: number): void {
    for (const [identifier, ring] of this.#rings) {
      if (ring.touchedAt < nowMs - WINDOW_MS) this.#rings.delete(identifier);
    }
    let surplus = this.#rings.size - Math.floor(this.maxIdentifiers * 0.9);
    if (surplus <= 0) return;
    const touched = Float64Array.from(this.#rings.values(), (ring) => ring.touchedAt).sort();
    const newestToGo = touched[surplus - 1] ?? nowMs;
    for (const [identifier, ring] of this.#rings) {
      if (surplus <= 0) break;
      if (ring.touchedAt > newestToGo) continue;
      this.#rings.delete(identifier);
      surplus--;
    }
  }

  #forgetBefore(ring: Ring, cutoffMs: number): void {
    while (ring.count > 0 && (ring.times[ring.head] ?? 0) <= cutoffMs) {
      ring.head = (ring.head + 1) % ring.times.length;
      ring.count--;
    }
  }
}

/** Filled with what is no whole number, so that the engine keeps doubles in place and not objects. */
function emptyTimes(length: number): number[] {
  return new Array<number>(length).fill(Number.EPSILON);
}

function push(ring: Ring, nowMs: number, limit: number): void {
  if (ring.count === ring.times.length) {
    const grown = emptyTimes(Math.min(Math.max(limit, ring.count + 1), ring.times.length * 2));
    for (let i = 0; i < ring.count; i++) grown[i] = ring.times[(ring.head + i) % ring.times.length] ?? 0;
    ring.times = grown;
    ring.head = 0;
  }
  ring.times[(ring.head + ring.count) % ring.times.length] = nowMs;
  ring.count++;
}

/** The limiter of this process. */
export function localLimiter(): RollingWindowLimiter {
  return processWide("rate-limiter", () => new RollingWindowLimiter());
}

/** Headers of an answer to a request that was counted. */
export function quotaHeaders(quota: Quota): Record<string, string> {
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(quota.limit),
    "X-RateLimit-Remaining": String(quota.remaining),
    "X-RateLimit-Reset": String(quota.resetSeconds),
    "RateLimit-Policy": `"default";q=${quota.limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
  };
  if (!quota.allowed) headers["Retry-After"] = String(quota.resetSeconds);
  return headers;
}
