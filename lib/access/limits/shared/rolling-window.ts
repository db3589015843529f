import { createHash } from "node:crypto";
import type { Ratelimit } from "@upstash/ratelimit";
import type { RedisConnection } from "./redis-connection";

/**
 * Lua script: one request against an exact rolling window, by the store's clock.
 *
 * KEYS[1] is a list with the time (ms) of every request that passed in the last window, oldest first. ARGV: limit,
 * window in ms, 1 to count or 0 to check only. Returns {allowed 0/1, remaining, ms}: the ms after a refusal until the
 * next request is allowed, after a counted request until the oldest one leaves the window, after an allowed check 0.
 * One millisecond is added to the window, because times are truncated.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2]) + 1
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local count = redis.call('LLEN', KEYS[1])
local allowed = 0
if count < limit and ARGV[3] == '0' then
  return { 1, limit - count, 0 }
end
if count < limit then
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], window)
  count = count + 1
  allowed = 1
end
local frees = tonumber(redis.call('LINDEX', KEYS[1], math.max(0, count - limit)))
return { allowed, math.max(0, limit - count), frees + window - now }
`;
const SHA = createHash("sha1").update(SCRIPT).digest("hex");

/** Whether the next request would be refused. Counts nothing. */
export async function isWindowFull(
  redis: RedisConnection,
  key: string,
  limit: number,
  windowMs: number,
): Promise<boolean> {
  const [allowed] = await ask(redis, key, [limit, windowMs, 0]);
  return allowed !== 1;
}

type Algorithm = ConstructorParameters<typeof Ratelimit>[0]["limiter"];

/**
 * An exact rolling window as an algorithm for @upstash/ratelimit. The library's own sliding window assumes an even
 * spread over the previous window, and with bursts allows almost twice the limit within one window's length.
 */
export function rollingWindow(redis: RedisConnection, limit: number, windowMs: number): Algorithm {
  return () => ({
    limit: async (_context, identifier) => {
      const [allowed, remaining, waitMs] = await ask(redis, identifier, [limit, windowMs, 1]);
      return {
        success: allowed === 1,
        limit,
        remaining,
        reset: Date.now() + waitMs,
        pending: Promise.resolve(),
      };
    },
    getRemaining: () => Promise.reject(new Error("not supported")),
    resetTokens: () => Promise.reject(new Error("not supported: counts expire")),
  });
}

type Counted = [allowed: number, remaining: number, waitMs: number];

async function ask(redis: RedisConnection, key: string, args: number[]): Promise<Counted> {
  try {
    return readCounted(await redis.evalsha(SHA, [key], args));
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("NOSCRIPT"))) throw error;
    return readCounted(await redis.eval(SCRIPT, [key], args));
  }
}

function readCounted(reply: unknown): Counted {
  if (Array.isArray(reply) && reply.length === 3) {
    const [allowed, remaining, waitMs] = reply.map(Number);
    if (Number.isFinite(allowed) && Number.isFinite(remaining) && Number.isFinite(waitMs))
      return [Number(allowed), Number(remaining), Number(waitMs)];
  }
  throw new Error("unexpected answer of the store");
}
