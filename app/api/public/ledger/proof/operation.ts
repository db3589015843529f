import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { LedgerProof, LedgerProofQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "getLedgerProof",
  tag: "Record",
  summary: "Proof that the ledger of a given size contains an entry",
  description: "The sibling hashes on the path from the leaf to the root (RFC 6962, section 2.1.1).",
  access: "anyone",
  query: LedgerProofQuery,
  needs: { entry: "0", size: "1" },
  ok: { status: 200, schema: LedgerProof, description: "An inclusion proof" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
