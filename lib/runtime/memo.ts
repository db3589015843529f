import { LRUCache } from "lru-cache";
import { processWide } from "./process-wide";

export interface MemoOptions {
  /** Age up to which a value is returned as it is. */
  ttlMs: number;
  /** Age up to which it is returned while the next one is read; by default callers wait for the next one. */
  staleMs?: number;
}

interface Kept<T> {
  value: T;
  readAtMs: number;
}

/**
 * A reading that callers of this process share for a time, so that a busy page costs one query. Callers at once share one
 * reading. A failed reading is not kept; while a value is stale, the failure of its renewal leaves it in place.
 */
export function memo<T>(
  name: string,
  { ttlMs, staleMs = 0 }: MemoOptions,
  read: () => Promise<T>,
): () => Promise<T> {
  return async () => {
    const cache = processWide(
      `memo.${name}`,
      () =>
        new LRUCache<string, Kept<T>>({
          max: 1,
          ttl: ttlMs,
          ttlResolution: 0,
          perf: { now: () => performance.now() },
          noDeleteOnFetchRejection: true,
          noDeleteOnStaleGet: true,
          fetchMethod: async () => ({ value: await read(), readAtMs: performance.now() }),
        }),
    );
    const held = cache.peek(name, { allowStale: true });
    const allowStale = held !== undefined && performance.now() - held.readAtMs <= staleMs;
    const kept = await cache.fetch(name, { allowStale });
    if (kept === undefined) throw new Error(`the reading ${name} was given up`);
    return kept.value;
  };
}
