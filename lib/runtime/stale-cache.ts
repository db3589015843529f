import { LRUCache } from "lru-cache";

export interface StaleCacheOptions {
  max: number;
  /** Age up to which a value is returned as it is. */
  ttlMs: number;
  /** Age below which an expired value is returned while the next one is read. */
  staleMs: number;
  now?: (() => number) | undefined;
}

interface Kept<T> {
  value: T;
  readAtMs: number;
}

/**
 * Values that are read again after a while; callers at once share one reading. A failed reading is not kept, and leaves a
 * stale value in place.
 */
export class StaleCache<C, T> {
  readonly #kept: LRUCache<string, Kept<T>, { context: C }>;
  readonly #now: () => number;

  constructor(
    { max, ttlMs, staleMs, now = () => performance.now() }: StaleCacheOptions,
    read: (context: C) => Promise<T>,
  ) {
    this.#now = now;
    this.staleMs = staleMs;
    this.#kept = new LRUCache<string, Kept<T>, { context: C }>({
      max,
      ttl: ttlMs,
      ttlResolution: 0,
      perf: { now },
      noDeleteOnFetchRejection: true,
      noDeleteOnStaleGet: true,
      fetchMethod: async (_key, _stale, { context, options }) => {
        // A value is as old as the beginning of its reading.
        const readAtMs = now();
        const value = await read(context.context);
        options.ttl = Math.max(1, ttlMs - (now() - readAtMs));
        return { value, readAtMs };
      },
    });
  }

  readonly staleMs: number;

  /** Rejects as the reading does. `context` is what a reading needs beside the key. */
  async get(key: string, context: C): Promise<T> {
    const readAtMs = this.#kept.peek(key, { allowStale: true })?.readAtMs ?? Number.NEGATIVE_INFINITY;
    const allowStale = this.#now() - readAtMs < this.staleMs;
    const kept = await this.#kept.fetch(key, { context: { context }, allowStale });
    if (kept === undefined) throw new Error("a reading was given up");
    return kept.value;
  }
}
