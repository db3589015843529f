import type { OpenPause, PauseTarget } from "@/db/queries/pauses";
import type { Scope } from "./plans";

/** Whether a pause covers this slot. */
export const coversSlot = (target: PauseTarget, slot: { symbol: string; timeframe: string }): boolean =>
  (target.symbol === null || target.symbol === slot.symbol) &&
  (target.timeframe === null || target.timeframe === slot.timeframe);

/** The newest pause in force for a slot, or null. */
export const coveringPause = (
  pauses: readonly OpenPause[],
  slot: { symbol: string; timeframe: string },
): OpenPause | null => pauses.find((pause) => coversSlot(pause, slot)) ?? null;

/** Name of a pause's target, for pages and messages. */
export const describePauseTarget = ({ symbol, timeframe }: PauseTarget): string =>
  symbol === null ? "all signals" : timeframe === null ? `all of ${symbol}` : `${symbol} ${timeframe}`;

/** Whether a pause covers any part of a scope. */
export const touchesScope = ({ symbol, timeframe }: PauseTarget, scope: Scope): boolean =>
  (scope.parts ?? [scope]).some(
    (part) =>
      (symbol === null || (part.symbols?.includes(symbol) ?? true)) &&
      (timeframe === null || (part.timeframes?.includes(timeframe) ?? true)),
  );
