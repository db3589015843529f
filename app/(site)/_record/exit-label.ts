import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { counted } from "@/lib/runtime/counted";
import type { ExitReason } from "@/lib/vocabulary";

/** How a trade ended. `horizonCandles` is null for a signal without its own levels. */
export function exitLabel(reason: ExitReason, horizonCandles?: number | null): string {
  if (reason === "TP") return "target";
  return reason === "SL" ? "stop" : counted(horizonCandles ?? OUTCOME_RULE.horizonCandles, "candle");
}
