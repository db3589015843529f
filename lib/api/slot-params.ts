import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, type Timeframe } from "@/lib/market/timeframes";
import { callRhythm } from "@/lib/subscribers/call-rhythm";
import { AppError, invalidField } from "@/lib/wire/errors";

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

/** Throws 403 when the slot is outside what the key may see, and notes it for the client's diagnostics. */
export function requireInScope(key: { subscriptionId: number; scope: Scope }, slot: SlotParams): void {
  if (scopeIncludes(key.scope, slot.symbol, slot.timeframe)) return;
  callRhythm().noteRefusedSlot(key.subscriptionId, `${slot.symbol}/${slot.timeframe}`);
  throw new AppError("slot_not_in_plan");
}
