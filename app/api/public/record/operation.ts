import type { Declaration } from "@/lib/api/openapi/operation";
import { PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";

export const GET: Declaration = {
  id: "getPublicRecord",
  tag: "Record",
  summary: "Results of every signal, beside a coin and the class frequencies",
  description:
    "Only signals that were committed in time and whose whole horizon has passed count; `coverage` says of how many candles that is, and how many signals were entered later; `entered_later` has their figures. On a simulated market nothing is in time: `notice` says so, and the figures are a demonstration. Two bots are scored on the same signals: a coin, and the class frequencies of the model's training. `headline` is about the selected slots, `overall` about all of them together; they and `evidence` rest on a slot's whole record, whatever model and days are selected, and ask as much of each slot as where all are shown. The figures are the sum of the first `ledger_size` entries of the ledger; `/verify/verify.mjs` recomputes them.",
  access: "anyone",
  query: RecordQuery,
  ok: { status: 200, schema: PublicRecord, description: "All slots, or those selected" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
