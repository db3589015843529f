import { Redis as UpstashRedis } from "@upstash/redis";
import type { Redis } from "ioredis";

/** The Redis commands that the shared limiter needs, over either protocol. */
export interface RedisConnection {
  eval(script: string, keys: string[], args: (string | number)[]): Promise<unknown>;
  evalsha(sha: string, keys: string[], args: (string | number)[]): Promise<unknown>;
  close(): void;
}

/** Upstash over its REST protocol. Without retries, because the caller has a deadline. */
export function connectUpstash(upstash: { url: string; token: string }): RedisConnection {
  const redis = new UpstashRedis({
    ...upstash,
    retry: false,
    enableTelemetry: false,
    enableAutoPipelining: false,
    signal: () => AbortSignal.timeout(2_000),
  });
  return {
    eval: (script, keys, args) => redis.eval(script, keys, args),
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys, args),
    close: () => undefined,
  };
}

/** Any Redis (5 or newer) over its native protocol. Reconnects in the background without a limit. */
export function connectRedis(url: string): RedisConnection {
  const connected = openRedis(url);
  return {
    eval: async (script, keys, args) => (await connected).eval(script, keys.length, ...keys, ...args),
    evalsha: async (sha, keys, args) => (await connected).evalsha(sha, keys.length, ...keys, ...args),
    close: () => void connected.then((redis) => redis.disconnect()),
  };
}

async function openRedis(url: string): Promise<Redis> {
  // The library takes 10 MB: load it only when a Redis is configured.
  const { Redis } = await import("ioredis");
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    // A command fails at once when the connection is lost, instead of being sent again later.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
  });
  // Callers and the breaker handle every failure. Without a listener the library would also print it.
  redis.on("error", () => undefined);
  return redis;
}
