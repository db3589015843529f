import type { Transaction } from "@/db/client";
import { setStatementTimeout } from "@/db/queries/lock-timeout";
import { readAtReplica } from "@/db/replica";

/** Time limit for all statements together; the pool allows the same for a single statement. */
const LIMIT_MS = 5_000;

/**
 * Runs readings one after the other on one snapshot: a day whose sums are written meanwhile is neither missed nor
 * counted twice.
 */
export function readInOneSnapshot<T extends Record<string, unknown>>(
  readings: {
    [K in keyof T]: (tx: Transaction) => Promise<T[K]>;
  },
): Promise<T> {
  return readAtReplica((database) => {
    const deadline = performance.now() + LIMIT_MS;
    return database.transaction(
      async (tx) => {
        const read: Partial<T> = {};
        for (const name in readings) {
          await setStatementTimeout(tx, deadline - performance.now());
          read[name] = await readings[name](tx);
        }
        // Every reading has run, so every key is set.
        return read as T;
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    );
  });
}
