import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ExecutionFigureRows } from "@/app/portal/executions/_components/execution-figure-rows";
import type { ExecutionSums } from "@/db/queries/execution-figures";
import { deriveExecutionFigures } from "@/lib/executions/execution-figures";

const SUMS: ExecutionSums = {
  ...{ nTotal: 3, nClosed: 3, nOpen: 0, nWithoutPnl: 0, nWins: 2, nLosses: 1, nFlat: 0 },
  ...{ totalPnl: "5", grossProfit: "15", grossLoss: "10", maxDrawdown: "10", bestPnl: "8", worstPnl: "-10" },
  ...{
    longestWinRun: 2,
    longestLossRun: 1,
    bestRunPnl: "15",
    worstRunPnl: "-10",
    firstOpenedAt: null,
    lastClosedAt: null,
  },
};

it("each figure of three positions shows its sample size, and the win rate has no decimals", () => {
  const markup = renderToStaticMarkup(
    <ExecutionFigureRows sums={SUMS} figures={deriveExecutionFigures(SUMS, [])} unit="EUR" />,
  );
  const text = markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  expect(text).toMatch(/67 % n = 3/);
  expect(text).toContain("n = 2 and 1, ratio 0.75");
  // Net P/L, win rate, profit factor, expectancy and drawdown.
  expect(text.match(/n = 3\b/g)).toHaveLength(5);
});
