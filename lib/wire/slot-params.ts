import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";
import { invalidField } from "./errors";

export interface SlotParams {
  symbol: string;
  timeframe: Timeframe;
}

/** The slot in a path, in canonical form. Throws 422 if it is malformed. */
export function parseSlot(params: { symbol: string; tf: string }): SlotParams {
  const symbol = parseSymbol(params.symbol);
  if (!symbol) throw invalidField("path", "symbol", "must be a symbol such as EURUSD");
  const timeframe = parseTimeframe(params.tf);
  if (!timeframe) throw invalidField("path", "tf", UNKNOWN_TIMEFRAME_MESSAGE);
  return { symbol, timeframe };
}
