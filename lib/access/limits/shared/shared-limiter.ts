import { Ratelimit } from "@upstash/ratelimit";
import {
  QUOTA_WINDOW_SECONDS,
  type Quota,
  type RollingWindowLimiter,
} from "@/lib/access/limits/rolling-window";
import { errorFacts, log } from "@/lib/runtime/log";
import { DeadlineError } from "@/lib/runtime/unavailable";
import type { RedisConnection } from "./redis-connection";
import { isWindowFull, rollingWindow } from "./rolling-window";

const DEADLINE_MS = 150;
const PROBE_EVERY_MS = 1_000;
const PREFIX = "signal-delivery-service:quota";
const MAX_LIMITS = 1_000;
/**
 * Limit of probes per window: more than all instances send, so that the store allows and therefore writes every
 * probe.
 */
const PROBES_PER_WINDOW = 100_000;

export interface QuotaStoreState {
  healthy: boolean;
  /** Duration in ms of the last counted request or probe that the store answered; null before the first one. */
  latencyMs: number | null;
}

/**
 * One rolling window for all instances, kept in Redis. While Redis fails, each instance counts alone. Requests that are
 * being counted when it fails wait at most 150 ms, later ones not at all: only a background probe tries Redis again.
 * Requests that Redis allowed are also counted in this process, so that the count continues when Redis fails.
 */
export class SharedLimiter {
  readonly #limiters = new Map<string, Ratelimit>();
  #state: QuotaStoreState = { healthy: true, latencyMs: null };
  #probe: NodeJS.Timeout | null = null;

  constructor(
    readonly redis: RedisConnection,
    readonly local: RollingWindowLimiter,
  ) {}

  /**
   * Counts one request if the limit allows it. `takeHere` counts it in this process: in place of the store when the
   * store fails, otherwise in addition, if the store allowed the request.
   */
  async take(
    identifier: string,
    limit: number,
    windowSeconds: number = QUOTA_WINDOW_SECONDS,
    takeHere: () => Quota | Promise<Quota> = () => this.local.take(identifier, limit),
  ): Promise<Quota> {
    if (!this.#state.healthy) return takeHere();
    const startedAt = performance.now();
    try {
      const counted = await answerInTime(this.#limiterFor(limit, windowSeconds).limit(identifier));
      this.#state.latencyMs = performance.now() - startedAt;
      if (counted.success) void takeHere();
      const resetSeconds = Math.max(1, Math.ceil((counted.reset - Date.now()) / 1000));
      return {
        allowed: counted.success,
        limit,
        remaining: counted.remaining,
        resetSeconds: Math.min(resetSeconds, windowSeconds),
      };
    } catch (error) {
      this.#open(error);
      return takeHere();
    }
  }

  /** Whether the next request would be refused, without counting it; null while the store does not answer. */
  async isExhausted(identifier: string, limit: number): Promise<boolean | null> {
    if (!this.#state.healthy) return null;
    try {
      // The Redis key under which @upstash/ratelimit counts an identifier.
      const key = `${PREFIX}:${identifier}`;
      return await answerInTime(isWindowFull(this.redis, key, limit, QUOTA_WINDOW_SECONDS * 1000));
    } catch (error) {
      this.#open(error);
      return null;
    }
  }

  state(): QuotaStoreState {
    return this.#state;
  }

  close(): void {
    if (this.#probe) clearInterval(this.#probe);
    this.redis.close();
  }

  #limiterFor(limit: number, windowSeconds: number): Ratelimit {
    const name = `${limit}/${windowSeconds}`;
    const found = this.#limiters.get(name);
    if (found) return found;
    if (this.#limiters.size >= MAX_LIMITS) this.#limiters.clear();
    const limiter = new Ratelimit({
      // Never called: `rollingWindow` has its own connection, and the features that use this client are switched off.
      redis: UNUSED_CLIENT,
      limiter: rollingWindow(this.redis, limit, windowSeconds * 1000),
      prefix: PREFIX,
      timeout: 0,
      ephemeralCache: false,
      analytics: false,
    });
    this.#limiters.set(name, limiter);
    return limiter;
  }

  #open(error: unknown): void {
    if (!this.#state.healthy) return;
    this.#state.healthy = false;
    log("warn", "the rate-limit store does not answer: each instance counts alone", {
      error: errorFacts(error),
    });
    this.#probe = setInterval(() => void this.#tryAgain(), PROBE_EVERY_MS);
    this.#probe.unref();
  }

  async #tryAgain(): Promise<void> {
    const startedAt = performance.now();
    try {
      // The probe counts like a request, because a store that is read-only or full still replies to a ping.
      await answerInTime(this.#limiterFor(PROBES_PER_WINDOW, QUOTA_WINDOW_SECONDS).limit("probe"));
    } catch {
      return;
    }
    if (this.#probe) clearInterval(this.#probe);
    this.#probe = null;
    this.#state = { healthy: true, latencyMs: performance.now() - startedAt };
    log("info", "the rate-limit store answers again");
  }
}

/**
 * The value of `promise`, or DeadlineError. After this process was busy, its timers fire before replies that have
 * already arrived are read. Those are read first, so that a busy process does not look like a dead store.
 */
function answerInTime<T>(promise: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => setImmediate(() => fail(new DeadlineError())), DEADLINE_MS);
    promise.then(done, fail).finally(() => clearTimeout(timer));
  });
}

const refuse = () => Promise.reject(new Error("this client is not used"));
const UNUSED_CLIENT = { evalsha: refuse, get: refuse, set: refuse };
