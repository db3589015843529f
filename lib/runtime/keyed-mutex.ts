import pLimit, { type LimitFunction } from "p-limit";
import { withQueueTimeout } from "@/lib/time";

/**
 * Runs the work under each key one after the other within this process. Callers wait here, so that they occupy no
 * database connection meanwhile.
 */
export class KeyedMutex {
  /** The queue of each key; removed when no work runs or waits under the key. */
  readonly #lines = new Map<string, LimitFunction>();

  /** `tooLate` creates the error for a caller whose work did not start in time. */
  constructor(readonly tooLate: () => Error) {}

  /**
   * Runs `work` after earlier work of this key. Rejects without running it if its turn does not come within `waitMs`.
   */
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
