import { db } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import { windowCache } from "@/lib/runtime/window-cache";

const KEPT = 32;

/**
 * Caches the answer to a query of the record by the size of the ledger, because only the ledger changes it. All orders
 * and pages share it.
 */
export async function cacheByLedgerSize<Q extends object, T>(
  what: string,
  question: Q,
  read: (question: Q) => Promise<T>,
): Promise<T> {
  const { folded, recordEpoch } = await readLedgerState(db("heavy"));
  return windowCache<T>(`record-page.${what}`, KEPT).get(
    `${recordEpoch} ${JSON.stringify(question)}`,
    folded,
    new Date(),
    async () => ({ value: await read(question), validUntil: null }),
  );
}
