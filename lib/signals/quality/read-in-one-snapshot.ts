import type { Transaction } from "@/db/client";
import { setStatementTimeout } from "@/db/queries/lock-timeout";
import { readAtReplica } from "@/db/replica";

/** Time limit of all statements of a reading together; a pool gives a single one as much. */
const LIMIT_MS = 5_000;

/**
 * Runs readings one after the other on one snapshot: a day that is summed up meanwhile is neither missed nor
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
        // Every name of the readings is set.
        return read as T;
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    );
  });
}
