import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";
import { invalidField } from "./errors";

export interface SlotParams {
  symbol: string;
  timeframe: Timeframe;
}

/** The slot in a path, canonical; malformed: 422. */
export function parseSlot(params: { symbol: string; tf: string }): SlotParams {
  const symbol = parseSymbol(params.symbol);
  if (!symbol) throw invalidField("path", "symbol", "must be a symbol such as EURUSD");
  const timeframe = parseTimeframe(params.tf);
  if (!timeframe) throw invalidField("path", "tf", "must be one of M1 M5 M15 M30 H1 H4 D1 W1 MN1");
  return { symbol, timeframe };
}
