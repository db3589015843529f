import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "getPublicRecord",
  tag: "Record",
  summary: "Results of every signal, compared with a coin and the class frequencies",
  description:
    "Counts only signals that were committed in time and whose whole horizon has passed. `coverage` has the share of candles with such a signal, and the number of signals that were entered later; `entered_later` has the figures of those. On a simulated market no signal is in time: `notice` says so, and the figures are a demonstration. Two bots are scored on the same signals: a coin, and the class frequencies of the model's training. `headline` describes the selected slots, `overall` all slots together. Both, and `evidence`, use a slot's whole record, regardless of the selected model and days, and selecting slots does not lower the evidence that each needs. The figures are the sum of the first `ledger_size` entries of the ledger; `/verify/verify.mjs` recomputes them.",
  access: "anyone",
  query: RecordQuery,
  ok: { status: 200, schema: PublicRecord, description: "All slots, or the selected ones" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
