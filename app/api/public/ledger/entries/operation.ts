import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { LedgerEntries, LedgerEntriesQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "listLedgerEntries",
  tag: "Record",
  summary: "Entries of the ledger",
  description:
    "The existing entries from `start` to `end`, both inclusive, at most 1,000. `content` is canonical JSON (RFC 8785), whose bytes are the leaf of a Merkle tree after RFC 6962.",
  access: "anyone",
  query: LedgerEntriesQuery,
  needs: { start: "0", end: "9" },
  ok: {
    status: 200,
    schema: LedgerEntries,
    description: "Entries in order; empty beyond the end of the ledger",
  },
  conditional: true,
  errors: ["record_off"],
};
