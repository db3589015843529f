import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { Performance, PerformanceQuery } from "@/lib/wire/contracts/quality";

export const GET: OperationDeclaration = {
  id: "getPerformance",
  tag: "Quality",
  summary: "Results of following the signals, per slot and model",
  description: "Computed from the candles after each signal, after costs, in multiples of the risk (R).",
  errors: ["figures_too_slow", "not_in_plan"],
  access: "key",
  headers: ["Signals-Entered-Later"],
  query: PerformanceQuery,
  ok: { status: 200, schema: Performance, description: "Track records" },
};
