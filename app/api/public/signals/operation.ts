import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicSignals, PublicSignalsQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "listPublicSignals",
  tag: "Record",
  summary: "Resolved signals with prices and times",
  description:
    "Signals that were committed in time and signals that were entered later. The field `entered_later` says which; the parameter `entered_later` selects one kind. A signal appears when its horizon is complete. `next` is the value of `after` for the next page, which the header `Next-Cursor` repeats. `Accept: application/x-ndjson` or `format=ndjson` returns one JSON object per line; `Accept: text/csv` or `format=csv` returns a table.",
  access: "anyone",
  query: PublicSignalsQuery,
  ok: { status: 200, schema: PublicSignals, description: "One page" },
  conditional: true,
  headers: ["Next-Cursor"],
  errors: ["not_found", "record_off"],
};
