import { ListChecks } from "lucide-react";
import { z } from "zod";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CalendarHeatmap } from "@/app/_components/chart/calendar-heatmap";
import { LineChart } from "@/app/_components/chart/line-chart";
import { MonthTable } from "@/app/_components/chart/month-table";
import { yearRows } from "@/app/_components/chart/year-rows";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { formatDayOn } from "@/app/_components/times";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { RefreshWhenNews } from "@/app/portal/_components/live";
import { db } from "@/db/client";
import {
  groupExecutionsByEach,
  listClosedResults,
  sumFilteredExecutions,
} from "@/db/queries/execution-figures";
import { listExecutionFilterValues } from "@/db/queries/executions";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { deriveExecutionFigures } from "@/lib/executions/execution-figures";
import { ExecutionQuery, filterOf } from "@/lib/executions/execution-filter";
import { figuresCurrency } from "@/lib/executions/figures-currency";
import { MAX_POSITIONS_FOR_FIGURES, narrowToNewestPositions } from "@/lib/executions/newest-positions";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { includesTradingClient } from "@/lib/runtime/plan-features";
import { optionalFilter, type SearchParams, toQuery } from "@/lib/wire/query-filter";
import { OneCurrencyNotice } from "./_components/currency-filter";
import { ExecutionFigureRows } from "./_components/execution-figure-rows";
import { ExecutionTabs } from "./_components/execution-tabs";
import { GroupCharts } from "./_components/group-charts";
import { MonthNavigation } from "./_components/month-steps";
import { ResultFilters } from "./_components/result-filters";

export const metadata = { title: "Results" };

/** The month of the calendar; by default the newest with a closed position. */
const Month = z.object({ month: optionalFilter(z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)) });

/** Results of the positions that the subscriber's trading client reported. */
export default async function ResultsPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber();
  const query = ExecutionQuery.parse(await searchParams);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const { days, symbol, timeframe, currency } = query;
  const values = await listExecutionFilterValues(db("heavy"), subscriber.subscriptionId);
  const { only, unit } = figuresCurrency(values.currencies, currency);
  const counted = { ...ExecutionQuery.parse({}), days, symbol, timeframe, currency: only };
  const requested = filterOf(counted, subscriber, now);
  const { filter, since } = await narrowToNewestPositions(db("heavy"), requested);
  const [sums, results, groups] = await Promise.all([
    sumFilteredExecutions(db("heavy"), filter),
    listClosedResults(db("heavy"), filter),
    groupExecutionsByEach(
      db("heavy"),
      filter,
      ["symbol", "timeframe", "hour", "weekday", "month", "day"],
      clock,
    ),
  ]);
  const { symbol: bySymbol = [], timeframe: byTimeframe = [], hour: byHour = [] } = groups;
  const { weekday: byWeekday = [], month: byMonth = [], day: byDay = [] } = groups;
  const figures = deriveExecutionFigures(sums, results);
  const set = toQuery({ days, symbol, timeframe, currency });
  const shown = toQuery({ days, symbol, timeframe, currency: only });
  const isSet = Object.keys(set).length > 0;
  const months = byMonth.map(({ key }) => key);
  const askedMonth = Month.parse(await searchParams).month;
  const month = askedMonth && months.includes(askedMonth) ? askedMonth : months.at(-1);
  const monthHref = (key: string) => `${paths.portalResults({ ...set, month: key })}#days`;
  const header = (
    <>
      <PageHeader
        title="Positions"
        lead="What your EA reported. For the models' own results see Signals."
        actions={<ClockSwitch clock={clock} back={paths.portalResults(set)} now={now} />}
      />
      <RefreshWhenNews executions={subscriber.versions.executions} />
      <ExecutionTabs current={paths.portalResults()} />
    </>
  );

  if (sums.nTotal === 0 && !isSet) {
    const usesEa = includesTradingClient(subscriber);
    return (
      <>
        {header}
        <Card flush>
          <EmptyState
            icon={ListChecks}
            title="No position reported yet"
            actions={
              <LinkButton href={paths.portalSetup()}>
                {usesEa ? "Connect your EA" : "Set up your signals"}
              </LinkButton>
            }
          >
            {usesEa
              ? "Each position that your EA opens or closes appears here, with its result in the figures, the curve and the calendar."
              : "Your plan sends signals to a chat. Positions appear here only if you also connect an EA or a program that reports them."}
          </EmptyState>
        </Card>
      </>
    );
  }
  const curve = results.map(({ closedMs, running }) => ({ at: new Date(closedMs), value: running }));
  return (
    <>
      {header}
      <div className="space-y-6">
        <ResultFilters query={counted} values={values} isSet={isSet} />
        <OneCurrencyNotice currencies={values.currencies} only={only} />
        {since && (
          <Notice tone="info" title={`The newest ${formatNumber(MAX_POSITIONS_FOR_FIGURES)} positions`}>
            Figures and charts count positions opened since {formatDayOn(clock, since)}. The list and its
            export have every position.
          </Notice>
        )}
        <ExecutionFigureRows sums={sums} figures={figures} unit={unit} />
        {results.length === 0 ? (
          <Card flush>
            <EmptyState icon={ListChecks} title="No closed positions">
              {isSet
                ? "Choose a longer period or another symbol."
                : "The curve appears when your first position closes."}
            </EmptyState>
          </Card>
        ) : (
          <>
            <Card
              title="Cumulative closed P/L"
              lead={`${countWithNoun(results.length, "closed position")}${sums.firstOpenedAt ? ` since ${formatDayOn(clock, sums.firstOpenedAt)}` : ""}.`}
              footer="Your EA does not report the account balance, so the curve is in money, not percent. Open positions are not in it."
            >
              <LineChart
                name="Cumulative closed P/L"
                unit={unit ?? "account currency"}
                points={curve}
                clock={clock}
                notes={`n = ${formatNumber(results.length)}, in order of closing, ${clockOffsetLabel(clock, now)}`}
              />
            </Card>
            <Card title="Months" flush footer={`Months in ${clockOffsetLabel(clock, now)}.`}>
              <MonthTable
                caption="Closed positions by month"
                unit="P/L"
                years={yearRows(
                  byMonth.map(({ key, totalPnl }) => ({ month: key, value: Number(totalPnl) })),
                  monthHref,
                )}
              />
            </Card>
            <GroupCharts
              bySymbol={bySymbol}
              byTimeframe={byTimeframe}
              byHour={byHour}
              byWeekday={byWeekday}
              clockName={clockOffsetLabel(clock, now)}
              unit={unit}
              hrefOf={(of) => paths.portalExecutionList({ ...shown, state: "closed", ...of })}
              calendar={
                month && (
                  <Card
                    title="Days"
                    lead="Click a day to see its positions."
                    actions={<MonthNavigation months={months} month={month} hrefOf={monthHref} />}
                  >
                    <div id="days" className="scroll-mt-6">
                      <CalendarHeatmap
                        month={new Date(`${month}-01T00:00:00Z`)}
                        days={byDay
                          .filter((day) => day.key.startsWith(month))
                          .map((day) => ({
                            day: Number(day.key.slice(8)),
                            value: Number(day.totalPnl),
                            n: day.n,
                            href: paths.portalExecutionList({ ...shown, closed_on: day.key }),
                          }))}
                        unit="P/L"
                      />
                    </div>
                  </Card>
                )
              }
            />
          </>
        )}
      </div>
    </>
  );
}
