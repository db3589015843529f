import { db } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import { windowCache } from "@/lib/runtime/window-cache";

const KEPT = 32;

/**
 * Caches what `read` returns for a query of the record until further ledger entries are included in the record's sums,
 * or the sums are restarted. A query has no sort order and no page number, so pages that differ only in these share one
 * entry.
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
