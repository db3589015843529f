import pLimit, { type LimitFunction } from "p-limit";
import { withQueueTimeout } from "@/lib/time";

/**
 * Runs work under one key strictly in sequence within this process, so that callers wait here and not each with a
 * database connection.
 */
export class KeyedMutex {
  /** Holds a key only while work runs or waits under it. */
  readonly #lines = new Map<string, LimitFunction>();

  /** `tooLate` makes the error for callers that waited longer than their limit. */
  constructor(readonly tooLate: () => Error) {}

  /** Runs `work` after earlier work of this key; rejects if that takes longer than `waitMs`. */
  run<T>(key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? pLimit(1);
    this.#lines.set(key, line);
    const step = async (work: () => Promise<void>) => {
      await work();
      if (line.pendingCount === 0) this.#lines.delete(key);
    };
    return withQueueTimeout((work) => line(step, work), waitMs, this.tooLate, work);
  }
}
