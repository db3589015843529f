import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { GroupCharts } from "@/app/portal/executions/_components/group-charts";
import type { ExecutionGroup } from "@/db/queries/execution-figures";
import { uniformSource } from "@/lib/engine/random";

/** Twenty positions of +1 or -1 for each hour, drawn with the same chance of a win at every hour. */
function hoursWithoutEffect(seed: number): ExecutionGroup[] {
  const uniform = uniformSource(seed);
  return Array.from({ length: 24 }, (_, hour) => {
    const n = 20;
    const nWins = Array.from({ length: n }, uniform).filter((draw) => draw < 0.5).length;
    return { key: String(hour), n, nWins, nLosses: n - nWins, totalPnl: String(2 * nWins - n) };
  });
}

it("the results by hour name no best and no worst hour when all hours are alike", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const byHour = hoursWithoutEffect(seed);
    const nInProfit = byHour.filter(({ totalPnl }) => Number(totalPnl) > 0).length;
    const markup = renderToStaticMarkup(
      <GroupCharts
        {...{
          bySymbol: [],
          byTimeframe: [],
          byHour,
          byWeekday: [],
          clockName: "UTC",
          unit: null,
          calendar: null,
        }}
        hrefOf={() => "/"}
      />,
    );
    expect(markup).not.toMatch(/best|worst/);
    expect(markup).toContain(`By hour of the close, 480 positions: ${nInProfit} of 24 hours in profit.`);
  }
});
