import { eq } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { tryOuts } from "@/db/schema";

/** Whether an address had its try-out. */
export async function hadTryOut(handle: Handle, addressHash: string): Promise<boolean> {
  const rows = await handle
    .select({ subscriptionId: tryOuts.subscriptionId })
    .from(tryOuts)
    .where(eq(tryOuts.addressHash, addressHash));
  return rows.length > 0;
}

/** Enters the try-out of an address. The primary key makes it the only one. */
export async function insertTryOut(
  tx: Transaction,
  row: { addressHash: string; subscriptionId: number },
): Promise<void> {
  await tx.insert(tryOuts).values(row);
}
