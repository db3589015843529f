import pLimit, { type LimitFunction } from "p-limit";
import { withQueueTimeout } from "@/lib/time";

/**
 * Work under one key happens one after the other in this process, so that callers of one thing wait here and not each with
 * a connection of the database.
 */
export class KeyedMutex {
  /** A key is in the map while something runs or waits under it. */
  readonly #lines = new Map<string, LimitFunction>();

  /** `tooLate` is what callers get whose turn did not come in time. */
  constructor(readonly tooLate: () => Error) {}

  /** Runs `work` when its turn comes within `waitMs`. */
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
