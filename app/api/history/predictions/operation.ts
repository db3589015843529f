import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { Predictions, PredictionsQuery } from "@/lib/wire/contracts/signals";

export const GET: OperationDeclaration = {
  id: "getPredictions",
  tag: "Signals",
  summary: "Signals aggregated by slot, model and date, newest first",
  description:
    "Counts of each direction and mean probabilities of the signals in the key's scope whose candle closed in the last `days` days.",
  errors: ["figures_too_slow", "not_in_plan"],
  access: "key",
  query: PredictionsQuery,
  ok: { status: 200, schema: Predictions, description: "One item per slot, model and UTC date" },
};
