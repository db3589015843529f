import { compareTimeframeCodes } from "./timeframes";

/** Order of slots: by symbol, then by length of timeframe. */
export function compareSlots(
  a: { symbol: string; timeframe: string },
  b: { symbol: string; timeframe: string },
): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return compareTimeframeCodes(a.timeframe, b.timeframe);
}
