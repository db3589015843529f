const WORDS: Record<string, string> = {
  TREND_UP: "Trend up",
  TREND_DOWN: "Trend down",
  RANGE: "Range",
  VOLATILE: "Volatile",
  UNKNOWN: "Unknown regime",
};

/** A readable regime label; labels of other pipelines are unchanged. */
export function regimeLabel(regime: string): string {
  return WORDS[regime] ?? regime;
}
