import type { SlotScope } from "@/db/queries/slots";

/** Whether a scope includes a slot. A null symbol or timeframe, as in an event without a slot, is in every scope. */
export const isInScope = (
  scope: SlotScope,
  { symbol, timeframe }: { symbol: string | null; timeframe: string | null },
): boolean =>
  (scope.parts ?? [scope]).some(
    ({ symbols, timeframes }) =>
      (symbol === null || (symbols?.includes(symbol) ?? true)) &&
      (timeframe === null || (timeframes?.includes(timeframe) ?? true)),
  );
