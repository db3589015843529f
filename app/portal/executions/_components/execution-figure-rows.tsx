import { formatNumber, formatSigned, rateDigits } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { Stat, StatRow } from "@/app/_components/stat";
import type { ExecutionSums } from "@/db/queries/execution-figures";
import type { DerivedExecutionFigures } from "@/lib/executions/execution-figures";

/** The headline figures, each with its sample size and formula. */
export function ExecutionFigureRows({
  sums,
  figures,
  unit,
}: {
  sums: ExecutionSums;
  figures: DerivedExecutionFigures;
  /** The currency of all amounts; null: the EA reports none. */
  unit: string | null;
}) {
  const [low, high] = figures.winRateCi95 ?? [0, 0];
  const nCounted = figures.nDecided + sums.nFlat;
  return (
    <div className="space-y-4">
      <StatRow label="Results">
        <Stat
          label="Net P/L"
          value={<MoneyText value={Number(sums.totalPnl)} />}
          {...(unit !== null && { unit })}
          n={sums.nClosed - sums.nWithoutPnl}
          hint="Sum of the P/L that your EA reported for closed positions, added exactly. All amounts are in the currency of your account; swap and commission are in it if your EA includes them, as ours does."
          note={outside(sums)}
        />
        <Stat
          label="Win rate"
          value={
            figures.winRatePct === null ? "–" : formatNumber(figures.winRatePct, rateDigits(figures.nDecided))
          }
          unit={figures.winRatePct === null ? undefined : "%"}
          n={figures.nDecided}
          hint={`100 x wins / (wins + losses); a result of exactly 0 is neither. The interval is Wilson's at 95 %, as wide as ${formatNumber(figures.nIndependent)} results that do not overlap in time.`}
          note={
            figures.winRatePct === null
              ? undefined
              : `95 %: ${formatNumber(low, 0)} to ${formatNumber(high, 0)} %`
          }
        />
        <Stat
          label="Profit factor"
          value={figures.profitFactor === null ? "–" : formatNumber(figures.profitFactor, 2)}
          n={figures.nDecided}
          hint="Gross profit / gross loss. Above 1 the wins outweigh the losses; below some 30 positions it says little."
          note={figures.profitFactor === null && sums.nWins > 0 ? "no losing position yet" : undefined}
        />
        <Stat
          label="Expectancy"
          value={figures.expectancy === null ? "–" : formatSigned(figures.expectancy)}
          n={nCounted}
          hint="Net P/L per closed position. Over few positions its sign is mostly luck."
          note="per position"
        />
      </StatRow>
      <StatRow label="Risk and extremes">
        <Stat
          label="Max drawdown"
          value={formatNumber(Number(sums.maxDrawdown), 2)}
          n={nCounted}
          hint="The deepest fall of the cumulative closed P/L below its highest value so far, in the order in which positions closed. Open positions are not in it."
          note="in money, closed positions"
        />
        <Stat
          label="Average win and loss"
          value={
            <>
              <MoneyText value={figures.averageWin} mark={false} />
              <span className="font-normal text-faint"> / </span>
              <MoneyText value={figures.averageLoss === null ? null : -figures.averageLoss} mark={false} />
            </>
          }
          note={`n = ${formatNumber(sums.nWins)} and ${formatNumber(sums.nLosses)}${figures.payoffRatio === null ? "" : `, ratio ${formatNumber(figures.payoffRatio, 2)}`}`}
        />
        <Stat
          label="Best and worst"
          value={
            <>
              <MoneyText value={sums.bestPnl === null ? null : Number(sums.bestPnl)} mark={false} />
              <span className="font-normal text-faint"> / </span>
              <MoneyText value={sums.worstPnl === null ? null : Number(sums.worstPnl)} mark={false} />
            </>
          }
          note="single positions"
        />
        <Stat
          label="Longest runs"
          value={
            <>
              {sums.longestWinRun} <span className="text-sm font-normal text-muted">won</span>{" "}
              <span className="font-normal text-faint">/</span> {sums.longestLossRun}{" "}
              <span className="text-sm font-normal text-muted">lost</span>
            </>
          }
          hint="Consecutive positions with the same sign, in the order in which they closed. A result of exactly 0 ends a run."
          note={
            <>
              best run{" "}
              <MoneyText value={sums.bestRunPnl === null ? null : Number(sums.bestRunPnl)} mark={false} />,
              worst{" "}
              <MoneyText value={sums.worstRunPnl === null ? null : Number(sums.worstRunPnl)} mark={false} />
            </>
          }
        />
      </StatRow>
    </div>
  );
}

/** Says how many positions the P/L excludes: open ones, and closed ones without a P/L. */
function outside({ nOpen, nWithoutPnl }: ExecutionSums): string {
  const open = nOpen > 0 ? [`${formatNumber(nOpen)} open`] : [];
  const silent = nWithoutPnl > 0 ? [`${formatNumber(nWithoutPnl)} closed without a P/L`] : [];
  return [...open, ...silent].join(", ") || "all closed";
}
