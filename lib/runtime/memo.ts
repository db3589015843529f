import { processWide } from "./process-wide";
import { StaleCache } from "./stale-cache";

export interface MemoOptions {
  /** Age up to which a value is returned as it is. */
  ttlMs: number;
  /** Age up to which it is returned while the next one is read; by default callers wait for the next one. */
  staleMs?: number;
}

/** A reading that all callers of this process share (StaleCache), so that a busy page costs one query. */
export function memo<T>(name: string, options: MemoOptions, read: () => Promise<T>): () => Promise<T> {
  const readOf = memoBy<undefined, T>(name, { ...options, max: 1 }, () => name, read);
  return () => readOf(undefined);
}

/** The same with one value for each key, of at most `max` keys. */
export function memoBy<C, T>(
  name: string,
  { ttlMs, staleMs = 0, max }: MemoOptions & { max: number },
  keyOf: (of: C) => string,
  read: (of: C) => Promise<T>,
): (of: C) => Promise<T> {
  return (of) =>
    processWide(`memo.${name}`, () => new StaleCache<C, T>({ max, ttlMs, staleMs }, read)).get(keyOf(of), of);
}
