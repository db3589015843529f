import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun } from "@/app/_components/figures";

/** Explains why there are forecasts but no trades: every resolved signal that matches the filters is NO TRADE. */
export function NoTrades({ slot, nForecasts }: { slot?: string; nForecasts: number }) {
  return (
    <EmptyState title="No trades">
      All {countWithNoun(nForecasts, "resolved signal")}
      {slot && ` of ${slot}`} shown here said NO TRADE. The built-in models give a direction only when past
      candles show an edge that exceeds costs; without one they say NO TRADE. The probabilities are judged
      below.
    </EmptyState>
  );
}
