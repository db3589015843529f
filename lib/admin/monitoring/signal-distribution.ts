import type { z } from "zod";
import type { tallySignals } from "@/db/queries/signal-windows";
import { compareTimeframeCodes } from "@/lib/market/timeframes";
import { groupBy } from "@/lib/runtime/group-by";
import type { MonitoringData } from "@/lib/wire/contracts/monitoring";

type Tally = Awaited<ReturnType<typeof tallySignals>>[number];
type Distribution = z.output<typeof MonitoringData>["signal_distribution"];

const BINS = 10;

/** Counts of signals by direction, symbol, timeframe, regime and confidence. Pure. */
export function signalDistribution(tallies: Tally[]): Distribution {
  const byTimeframe = groupTotals(tallies, (tally) => tally.timeframe).sort((a, b) =>
    compareTimeframeCodes(a[0], b[0]),
  );
  return {
    ...totals(tallies),
    by_symbol: groupTotals(tallies, (tally) => tally.symbol).map(([symbol, rest]) => ({ symbol, ...rest })),
    by_timeframe: byTimeframe.map(([timeframe, rest]) => ({ timeframe, ...rest })),
    by_regime: groupTotals(tallies, (tally) => tally.regime).map(([regime, rest]) => ({ regime, ...rest })),
    confidence_histogram: Array.from({ length: BINS }, (_, bin) => ({
      lo: bin / BINS,
      hi: (bin + 1) / BINS,
      n: sum(tallies.filter((tally) => tally.tenth === bin)),
    })),
  };
}

function groupTotals(tallies: Tally[], keyOf: (tally: Tally) => string) {
  return [...groupBy(tallies, keyOf)]
    .map(([key, group]) => [key, totals(group)] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

function totals(tallies: Tally[]) {
  const of = (signal: Tally["signal"]) => sum(tallies.filter((tally) => tally.signal === signal));
  return { total: sum(tallies), BUY: of("BUY"), SELL: of("SELL"), NO_TRADE: of("NO_TRADE") };
}

function sum(tallies: Tally[]): number {
  return tallies.reduce((total, { n }) => total + n, 0);
}
