import { processWide } from "./process-wide";
import { StaleCache } from "./stale-cache";

export interface MemoOptions {
  /** Maximum age in ms of a value that is returned without reading it again. */
  ttlMs: number;
  /**
   * Maximum age in ms of a value that is returned while a new one is read. Without it, callers wait for the new one.
   */
  staleMs?: number;
}

/**
 * Caches the result of `read` for all callers in this process, under a process-wide `name`. Simultaneous callers share
 * one reading.
 */
export function memo<T>(name: string, options: MemoOptions, read: () => Promise<T>): () => Promise<T> {
  const readOf = memoBy<undefined, T>(name, { ...options, max: 1 }, () => name, read);
  return () => readOf(undefined);
}

/** Like `memo`, with one cached value per key and at most `max` keys. */
export function memoBy<C, T>(
  name: string,
  { ttlMs, staleMs = 0, max }: MemoOptions & { max: number },
  keyOf: (of: C) => string,
  read: (of: C) => Promise<T>,
): (of: C) => Promise<T> {
  return (of) =>
    processWide(`memo.${name}`, () => new StaleCache<C, T>({ max, ttlMs, staleMs }, read)).get(keyOf(of), of);
}
