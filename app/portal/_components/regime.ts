const WORDS: Record<string, string> = {
  TREND_UP: "Trend up",
  TREND_DOWN: "Trend down",
  RANGE: "Range",
  VOLATILE: "Volatile",
  UNKNOWN: "Unknown regime",
};

/** A regime label as people read it; labels of other pipelines stay as they are. */
export function regimeWord(regime: string): string {
  return WORDS[regime] ?? regime;
}
