import { processWide } from "./process-wide";

/** A computed value and the time until which it is valid if nothing is written. */
export interface ExpiringValue<T> {
  value: T;
  /** When the oldest item leaves the window, which changes the value although nothing is written; null: never. */
  validUntil: Date | null;
}

interface Entry<T> {
  version: number;
  validUntilMs: number;
  value: Promise<T>;
}

/**
 * Cache for values over a moving window such as "the last 30 days". A value is valid until a caller passes a higher
 * version, or until its oldest item leaves the window. Simultaneous callers share one computation.
 */
export class WindowCache<T> {
  readonly #entries = new Map<string, Entry<T>>();

  constructor(readonly maxEntries: number) {}

  /** Whether a value is cached or being computed that is valid for this version and time. */
  holds(key: string, version: number, now: Date): boolean {
    const held = this.#entries.get(key);
    return held !== undefined && held.version >= version && now.getTime() < held.validUntilMs;
  }

  /**
   * The cached value, or the result of `compute`. Callers that find an entry share its promise, because one promise for
   * each of thousands of callers is noticeable.
   */
  get(key: string, version: number, now: Date, compute: () => Promise<ExpiringValue<T>>): Promise<T> {
    const held = this.#entries.get(key);
    if (held && held.version >= version && now.getTime() < held.validUntilMs) return held.value;
    return this.#compute(key, version, compute());
  }

  async #compute(key: string, version: number, computing: Promise<ExpiringValue<T>>): Promise<T> {
    const entry: Entry<T> = {
      version,
      validUntilMs: Number.POSITIVE_INFINITY,
      value: computing.then(({ value }) => value),
    };
    computing.then(
      ({ validUntil }) => {
        entry.validUntilMs = validUntil?.getTime() ?? Number.POSITIVE_INFINITY;
      },
      // The caller gets the error through `value`.
      () => undefined,
    );
    this.#entries.delete(key);
    if (this.#entries.size >= this.maxEntries) this.#forgetOldest();
    this.#entries.set(key, entry);
    try {
      return await entry.value;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  #forgetOldest(): void {
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}

const caches = processWide("window-caches", () => new Map<string, WindowCache<unknown>>());

/** The process-wide cache of this name, with at most `maxEntries` values. */
export function windowCache<T>(name: string, maxEntries = 500): WindowCache<T> {
  // The cast is safe: every caller of one name passes the same type.
  const found = caches.get(name) as WindowCache<T> | undefined;
  if (found) return found;
  const made = new WindowCache<T>(maxEntries);
  caches.set(name, made);
  return made;
}
