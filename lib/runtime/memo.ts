import { processWide } from "./process-wide";
import { StaleCache } from "./stale-cache";

export interface MemoOptions {
  /** Age up to which a value is returned as it is. */
  ttlMs: number;
  /** Age up to which it is returned while the next one is read; by default callers wait for the next one. */
  staleMs?: number;
}

/** A reading that all callers of this process share (StaleCache), so that a busy page costs one query. */
export function memo<T>(
  name: string,
  { ttlMs, staleMs = 0 }: MemoOptions,
  read: () => Promise<T>,
): () => Promise<T> {
  return () =>
    processWide(`memo.${name}`, () => new StaleCache<undefined, T>({ max: 1, ttlMs, staleMs }, read)).get(
      name,
      undefined,
    );
}
