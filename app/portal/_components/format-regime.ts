const WORDS: Record<string, string> = {
  TREND_UP: "Trend up",
  TREND_DOWN: "Trend down",
  RANGE: "Range",
  VOLATILE: "Volatile",
  UNKNOWN: "Unknown regime",
};

/**
 * A readable label of a regime. A regime that the service does not know, from an operator's own model, is shown
 * unchanged.
 */
export function formatRegime(regime: string): string {
  return WORDS[regime] ?? regime;
}
