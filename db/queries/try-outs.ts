import { inArray } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { tryOuts } from "@/db/schema";

/** Whether an address has had a try-out. `addressHashes`: its hash with each of the configured encryption keys. */
export async function hadTryOut(handle: DatabaseHandle, addressHashes: string[]): Promise<boolean> {
  const rows = await handle
    .select({ subscriptionId: tryOuts.subscriptionId })
    .from(tryOuts)
    .where(inArray(tryOuts.addressHash, addressHashes));
  return rows.length > 0;
}

/** Stores that an address has had its try-out. Throws a unique violation if this hash is stored already. */
export async function insertTryOut(
  tx: Transaction,
  row: { addressHash: string; subscriptionId: number },
): Promise<void> {
  await tx.insert(tryOuts).values(row);
}
