import { ChartLine } from "lucide-react";
import type { Metadata } from "next";
import { connection } from "next/server";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Histogram } from "@/app/_components/chart/histogram";
import { LineChart } from "@/app/_components/chart/line-chart";
import { MonthTable } from "@/app/_components/chart/month-table";
import { describeRecordCosts } from "@/app/_components/describe-costs";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { formatDay } from "@/app/_components/times";
import { cacheByLedgerSize } from "@/app/(site)/_record/cache-by-ledger-size";
import { CoverageCard } from "@/app/(site)/_record/coverage";
import { equityCurves, monthsByYear } from "@/app/(site)/_record/curves";
import { EnteredLaterCard } from "@/app/(site)/_record/entered-later";
import { GlossaryCard } from "@/app/(site)/_record/glossary-card";
import { HypotheticalMark, HypotheticalStatement } from "@/app/(site)/_record/hypothetical";
import { LuckComparisonTable } from "@/app/(site)/_record/luck-table";
import { NoTrades } from "@/app/(site)/_record/no-trades";
import { nullIfMissing } from "@/app/(site)/_record/null-if-missing";
import { RecordFilters } from "@/app/(site)/_record/record-filters";
import { RecordOff } from "@/app/(site)/_record/record-off";
import {
  formatPeriod,
  parseRecordPageQuery,
  recordPageQueryParams,
  toRecordQuery,
} from "@/app/(site)/_record/record-page-query";
import { TradingFigures } from "@/app/(site)/_record/trading-figures";
import { db } from "@/db/client";
import { listModelFilterValues } from "@/db/queries/models";
import { isDemoHistoryGrowing } from "@/lib/health/is-demo-history-growing";
import { compareTimeframeCodes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { countWithheldCommitments } from "@/lib/signals/ledger/delays";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { readRecord } from "@/lib/signals/record/read-record";
import { readNewestTrades, tradeFiguresOf, tradesOfPeriod } from "@/lib/signals/record/read-trades";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { summarizeRecord } from "@/lib/signals/record/summarize-record";
import type { RecordQuery } from "@/lib/wire/contracts/record";
import type { SearchParams } from "@/lib/wire/query-filter";
import { SlotTable } from "./_parts/slot-table";
import { MAX_LISTED_TRADES, TradeList } from "./_parts/trade-list";

export async function generateMetadata(): Promise<Metadata> {
  await connection();
  return isDemonstration()
    ? {
        title: "Record (simulated)",
        description:
          "A demo: the outcome of every simulated signal, compared with random entries. Nothing here was committed in time.",
      }
    : {
        title: "Record",
        description:
          "The outcome of every signal that was committed in time, compared with random entries. Anyone can check it.",
      };
}

/** The newest trades of the slots and model in a query, of all periods. */
const readTrades = ({ symbol, tf_code, model_v }: RecordQuery) =>
  cacheByLedgerSize("trades", { symbol, tf_code, model_v }, readNewestTrades);

/** The record of all slots: the verdict, the slots, a curve, and how to verify it. */
export default async function RecordPage({ searchParams }: { searchParams: SearchParams }) {
  await connection();
  if (!(await isRecordPublic())) return <RecordOff title="Record" />;
  const shown = parseRecordPageQuery(await searchParams);
  const query = toRecordQuery(shown, new Date());
  const [record, newest, names, withheld] = await Promise.all([
    query && nullIfMissing(cacheByLedgerSize("record", query, readRecord)),
    query && nullIfMissing(readTrades(query)),
    listModelFilterValues(db()),
    countWithheldCommitments(db("heavy")),
  ]);
  const simulated = isDemonstration();
  const curves = record && equityCurves(record.curve);
  const verdict =
    record && summarizeRecord(record, { isWhole: shown.period === undefined && shown.model === undefined });
  const trades = newest ?? [];
  const tradeFigures = tradeFiguresOf(trades);
  const ofPeriod = query && tradeFiguresOf(tradesOfPeriod(trades, query));
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title="Record"
        lead={
          verdict && (
            <span className="text-lg text-ink">
              {verdict.results} {verdict.probabilities}
            </span>
          )
        }
        actions={<LinkButton href={paths.verify()}>Check it yourself</LinkButton>}
      />
      <div className="space-y-6">
        {simulated && <SimulatedNotice isGrowing={await isDemoHistoryGrowing()} />}
        <RecordFilters
          action={paths.record()}
          shown={shown}
          symbols={names.symbols.toSorted()}
          timeframes={names.timeframes.toSorted(compareTimeframeCodes)}
          models={names.versions.toSorted()}
          sortable
        />
        {record === null || curves === null || record.count === 0 ? (
          <Card flush>
            {record !== null &&
            query !== null &&
            Object.values(query).every((value) => value === undefined) ? (
              <EmptyState icon={ChartLine} title="No result yet">
                A signal that was committed in time enters the record when 12 later candles of its slot have
                closed: on H1 after twelve hours in which the market is open. Until then the ledger holds only
                its seal.
              </EmptyState>
            ) : (
              <EmptyState icon={ChartLine} title="Nothing matches">
                The record has no result for this choice. Change or clear the filter.
              </EmptyState>
            )}
          </Card>
        ) : (
          <>
            {record.total.model.n === 0 ? (
              <Card flush>
                <NoTrades nForecasts={record.total.forecasts.n} />
              </Card>
            ) : (
              <>
                <TradingFigures record={record} trades={ofPeriod} />
                <div id="equity" className="grid scroll-mt-24">
                  <Card title="Equity in R">
                    <LineChart
                      name="The signals"
                      unit="R"
                      points={curves.model}
                      comparisons={curves.comparisons}
                      drawdown={false}
                      notes={<span>n = {formatNumber(record.total.model.n)}, by UTC day of the signal</span>}
                      table={{
                        href: `${paths.record(recordPageQueryParams({ ...shown, table: "equity" }))}#equity`,
                        isOpen: shown.table === "equity",
                      }}
                    />
                  </Card>
                </div>
                <Card
                  title="Months in R"
                  lead="All slots shown here together. A result counts in the month in which its signal was given, in UTC."
                  flush
                >
                  <MonthTable
                    caption="Results of all slots by month"
                    unit="R"
                    years={monthsByYear(record.months, (period) =>
                      paths.record(recordPageQueryParams({ ...shown, period, table: undefined })),
                    )}
                    digits={1}
                  />
                </Card>
              </>
            )}
            <Card
              title="Slots"
              lead={
                <>
                  {formatPeriod(shown.period)}: {countWithNoun(record.total.model.n, "trade")} from{" "}
                  {countWithNoun(record.total.forecasts.n, "forecast")},{" "}
                  {describeRecordCosts(record.coverage)}.{" "}
                  {simulated ? (
                    "The test for an edge takes the whole record of a slot. In a simulation it proves nothing."
                  ) : (
                    <>
                      An edge counts as{" "}
                      <a href="#word-shown" className="link">
                        proved
                      </a>{" "}
                      only by the whole record of a slot.
                    </>
                  )}{" "}
                  <HypotheticalMark />.
                </>
              }
              flush
            >
              <SlotTable slots={record.items} shown={shown} isSimulated={simulated} />
            </Card>
            {record.total.model.n > 0 && (
              <Card
                title="Compared with luck"
                lead={
                  <>
                    Every trade of all slots, each with a risk of 1 R, compared with two bots that know
                    nothing. The intervals hold for a single check. The sentence at the top rests on a{" "}
                    <a href="#word-shown" className="link">
                      stricter test
                    </a>{" "}
                    that can be read any day.
                  </>
                }
                flush
              >
                <LuckComparisonTable about="all slots" {...record.total} />
              </Card>
            )}
            {tradeFigures && (
              <>
                <div id="trades" className="grid scroll-mt-24">
                  <Card
                    title={`Last ${Math.min(MAX_LISTED_TRADES, trades.length)} trades`}
                    lead="Winners and losers alike, regardless of the period above."
                    flush
                  >
                    <TradeList trades={trades} shown={shown} />
                  </Card>
                </div>
                <Card
                  title="Distribution of results"
                  lead={`The newest ${countWithNoun(tradeFigures.n, "trade")}, since ${formatDay(tradeFigures.since)}, regardless of the period above.`}
                >
                  <Histogram name="Result" unit="R" digits={1} bins={tradeFigures.bins} aroundZero />
                </Card>
              </>
            )}
            <GlossaryCard
              of={["slot", "r", "followed", "interval", "coin", "frequencies", "skill", "drawdown", "shown"]}
            />
            <Card title="For programs">
              <p className="max-w-[68ch] text-sm text-muted">
                These figures are the sum of {countWithNoun(record.ledger_size, "entry", "entries")} of a
                public ledger, as <code className="font-mono">GET /api/public/record</code> gives them.{" "}
                <a href={paths.verify()} className="link">
                  One command
                </a>{" "}
                downloads the ledger and adds them up again.
              </p>
            </Card>
          </>
        )}
        {record && record.notice === null && (
          <>
            <CoverageCard coverage={record.coverage} />
            <p className="text-sm text-muted">
              Withheld commitments: {formatNumber(withheld)}. A commitment counts as withheld when its horizon
              ended more than a day ago and the ledger neither reveals the signal nor says why.
            </p>
            <EnteredLaterCard late={record.entered_later} />
          </>
        )}
        <HypotheticalStatement />
      </div>
    </div>
  );
}
