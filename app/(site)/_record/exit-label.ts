import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { pluralize } from "@/lib/runtime/pluralize";
import type { ExitReason } from "@/lib/vocabulary";

/** How a trade ended. `horizonCandles` is null for a signal without its own levels. */
export function exitLabel(reason: ExitReason, horizonCandles?: number | null): string {
  if (reason === "TP") return "target";
  return reason === "SL" ? "stop" : pluralize(horizonCandles ?? OUTCOME_RULE.horizonCandles, "candle");
}
