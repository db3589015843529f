import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { LedgerConsistency, LedgerConsistencyQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "getLedgerConsistency",
  tag: "Record",
  summary: "Proof that the ledger of one size extends the ledger of a smaller size",
  description: "The hashes from which both roots can be recomputed (RFC 6962, section 2.1.2).",
  access: "anyone",
  query: LedgerConsistencyQuery,
  needs: { first: "1", second: "2" },
  ok: { status: 200, schema: LedgerConsistency, description: "A consistency proof" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
