import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import type { ExitReason } from "@/lib/vocabulary";

/**
 * Why a trade ended: `target`, `stop`, or the horizon, such as `12 candles`. A signal without its own horizon has the
 * default one.
 */
export function exitLabel(reason: ExitReason, horizonCandles?: number | null): string {
  if (reason === "TP") return "target";
  return reason === "SL" ? "stop" : countWithNoun(horizonCandles ?? OUTCOME_RULE.horizonCandles, "candle");
}
