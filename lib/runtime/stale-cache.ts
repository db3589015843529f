import { LRUCache } from "lru-cache";

export interface StaleCacheOptions {
  max: number;
  /** Maximum age in ms of a value that is returned without reading it again. */
  ttlMs: number;
  /** Maximum age in ms of a value that is returned while a new one is read. */
  staleMs: number;
  now?: (() => number) | undefined;
}

interface Kept<T> {
  value: T;
  readAtMs: number;
}

/**
 * Cache with stale-while-revalidate. Simultaneous callers of one key share one reading. A failed reading is not cached,
 * and the former value stays.
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
        // The age of a value counts from the start of its reading.
        const readAtMs = now();
        const value = await read(context.context);
        options.ttl = Math.max(1, ttlMs - (now() - readAtMs));
        return { value, readAtMs };
      },
    });
  }

  readonly staleMs: number;

  /**
   * The value of a key, cached or read with `context`. `staleMs` replaces the cache's own for this call. Rejects if the
   * reading fails and no value may be returned stale.
   */
  async get(key: string, context: C, staleMs = this.staleMs): Promise<T> {
    const readAtMs = this.#kept.peek(key, { allowStale: true })?.readAtMs ?? Number.NEGATIVE_INFINITY;
    const allowStale = this.#now() - readAtMs < staleMs;
    const kept = await this.#kept.fetch(key, { context: { context }, allowStale });
    if (kept === undefined) throw new Error("a cached reading was aborted");
    return kept.value;
  }
}
