import type { ClosedResult, ExecutionSums } from "@/db/queries/execution-figures";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";

/** Figures derived from sums over closed positions. Amounts are in the currency that the trading client reports. */
export interface DerivedExecutionFigures {
  /** Wins and losses: the sample of the win rate. */
  nDecided: number;
  /** 100 x wins / (wins + losses); null with none. */
  winRatePct: number | null;
  /** 95 % interval of the rate, in percent. */
  winRateCi95: [number, number] | null;
  /** Number of results that do not overlap in time: the n of the interval. */
  nIndependent: number;
  /** Gross profit / gross loss; null without a loss. */
  profitFactor: number | null;
  /** Net P/L per closed position with a P/L; null with none. */
  expectancy: number | null;
  averageWin: number | null;
  averageLoss: number | null;
  /** Average win / average loss; null unless there is one of each. */
  payoffRatio: number | null;
}

/**
 * Derives the headline figures from exact sums.
 *
 * The interval is Wilson's, at the rate of all decided positions, with the n of the track record: in order of
 * time, a position that opened before the last counted one closed is left out, because overlapping positions
 * share the market's moves.
 *
 * @param sums exact sums over some executions
 * @param results the closed positions among these executions, in any order
 */
export function deriveExecutionFigures(
  sums: ExecutionSums,
  results: readonly ClosedResult[],
): DerivedExecutionFigures {
  const nDecided = sums.nWins + sums.nLosses;
  const nCounted = nDecided + sums.nFlat;
  const decided = results.filter((result) => result.pnl !== 0);
  const nIndependent = independentCount(
    decided.map((result) => ({ begin: result.openedMs, end: result.closedMs })),
  );
  const rate = nDecided === 0 ? null : sums.nWins / nDecided;
  const interval = rate === null ? null : wilsonInterval(rate, nIndependent);
  const grossProfit = Number(sums.grossProfit);
  const grossLoss = Number(sums.grossLoss);
  const averageWin = sums.nWins === 0 ? null : grossProfit / sums.nWins;
  const averageLoss = sums.nLosses === 0 ? null : grossLoss / sums.nLosses;
  return {
    nDecided,
    winRatePct: rate === null ? null : 100 * rate,
    winRateCi95: interval === null ? null : [100 * interval[0], 100 * interval[1]],
    nIndependent,
    profitFactor: grossLoss === 0 ? null : grossProfit / grossLoss,
    expectancy: nCounted === 0 ? null : Number(sums.totalPnl) / nCounted,
    averageWin,
    averageLoss,
    payoffRatio:
      averageWin === null || averageLoss === null || averageLoss === 0 ? null : averageWin / averageLoss,
  };
}
