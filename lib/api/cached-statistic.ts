import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { KeyedMutex } from "@/lib/runtime/keyed-mutex";
import { processWide } from "@/lib/runtime/process-wide";
import { isStatementTimeout } from "@/lib/runtime/unavailable";
import { type ExpiringValue, windowCache } from "@/lib/runtime/window-cache";
import { AppError } from "@/lib/wire/errors";
import { type BodyCacheKey, cachedBody } from "./cached-body";
import type { BodyWithEtag } from "./conditional";

interface StatisticUnder extends BodyCacheKey {
  /** The window in days. `key` contains all other parameters. */
  days: number;
}

/** Longest time in ms that a statistic waits while another one of the same subscription is computed. */
const WAIT_MS = 2_000;
const REMEMBERED_MS = 60_000;
/** Maximum number of remembered slow statistics. A further one replaces the least recently used. */
const MAX_REMEMBERED = 1_000;

const subscriptions = () =>
  processWide(
    "statistics",
    () =>
      new KeyedMutex(
        () =>
          new AppError("rate_limited", {
            detail: "Another statistic is still being computed for you. Request one at a time.",
            headers: { "Retry-After": "2" },
          }),
      ),
  );

interface TooSlow {
  days: number;
  untilMs: number;
}
const tooSlow = () =>
  processWide("too-slow-statistics", () => new LRUCache<string, TooSlow>({ max: MAX_REMEMBERED }));

/**
 * `cachedBody` for statistics over long windows. Each subscription computes one at a time; another one waits up to two
 * seconds and then gets 429. After a statistic has hit the statement timeout, it gets 503 `figures_too_slow` for a
 * minute, for the same or a longer window.
 */
export async function cachedStatistic<S extends z.ZodType>(
  subscriptionId: number,
  schema: S,
  { days, ...statistic }: StatisticUnder,
  compute: () => Promise<ExpiringValue<z.output<S>>>,
): Promise<BodyWithEtag> {
  const under: BodyCacheKey = { ...statistic, key: `${statistic.key}|${days}` };
  const question = `${statistic.name}|${statistic.key}`;
  const read = async () => {
    try {
      return await cachedBody(schema, under, compute);
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      tooSlow().set(question, { days, untilMs: performance.now() + REMEMBERED_MS });
      throw tooSlowError(days, REMEMBERED_MS);
    }
  };
  // A statistic that is cached or being computed is returned without queueing.
  if (windowCache<BodyWithEtag>(under.name).holds(under.key, under.version, under.now)) return read();
  refuseTooSlow(question, days);
  return subscriptions().run(String(subscriptionId), WAIT_MS, async () => {
    refuseTooSlow(question, days);
    return read();
  });
}

/** Throws 503 if the statistic was too slow within the last minute, for the same or a shorter window. */
function refuseTooSlow(question: string, days: number): void {
  const known = tooSlow().get(question);
  if (!known || days < known.days) return;
  const leftMs = known.untilMs - performance.now();
  if (leftMs > 0) throw tooSlowError(known.days, leftMs);
}

function tooSlowError(days: number, leftMs: number): AppError {
  return new AppError("figures_too_slow", {
    detail:
      days > 1
        ? `These figures take too long over ${days} days. Request fewer days, or one symbol or timeframe.`
        : "These figures take too long. Request one symbol or timeframe.",
    headers: { "Retry-After": String(Math.max(1, Math.ceil(leftMs / 1_000))) },
  });
}
