import { sign } from "node:crypto";
import type { DatabaseHandle } from "@/db/client";
import { listLedgerKeys } from "@/db/queries/ledger";
import type { LedgerContent } from "./contents";
import { decryptSigningKey } from "./signing";

/**
 * Ledger entries for new signing keys that the ledger does not have yet. Each new key is signed with the key before it.
 */
export async function listKeyHandOverContents(handle: DatabaseHandle): Promise<LedgerContent[]> {
  const keys = await listLedgerKeys(handle);
  return keys.flatMap((row, i): LedgerContent[] => {
    const before = keys[i - 1];
    if (row.isEntered || before === undefined) return [];
    const [former, next] = [decryptSigningKey(before), decryptSigningKey(row)];
    const [from, to] = [former.publicKey.toString("base64"), next.publicKey.toString("base64")];
    const signature = sign(null, Buffer.from(`ledger-key\n${from}\n${to}\n`), former.privateKey);
    return [
      {
        kind: "handover",
        subject: `handover/${row.id}`,
        body: { former: from, next: to, signature: signature.toString("base64") },
      },
    ];
  });
}
