import type { Declaration } from "@/lib/api/openapi/operation";
import { PublicSignals, PublicSignalsQuery } from "@/lib/wire/contracts/record";

export const GET: Declaration = {
  id: "listPublicSignals",
  tag: "Record",
  summary: "Resolved signals with prices and times",
  description:
    "Signals that were committed in time and signals that were entered later. Each one says which it is; `entered_later` selects one kind. A signal appears when its horizon is complete. `next` is the `after` of the next page, and stands in the header `Next-Cursor` too. A line of JSON each with `Accept: application/x-ndjson` or `format=ndjson`, a table with `text/csv` or `format=csv`.",
  access: "anyone",
  query: PublicSignalsQuery,
  ok: { status: 200, schema: PublicSignals, description: "One page" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
