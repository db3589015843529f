import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { LineChart } from "@/app/_components/chart/line-chart";
import { MonthTable } from "@/app/_components/chart/month-table";
import { ReliabilityDiagram } from "@/app/_components/chart/reliability-diagram";
import { describeRecordCosts } from "@/app/_components/describe-costs";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { Timestamp } from "@/app/_components/timestamp";
import { cacheByLedgerSize } from "@/app/(site)/_record/cache-by-ledger-size";
import { CoverageCard } from "@/app/(site)/_record/coverage";
import { drawdownCurve, equityCurves, monthsByYear } from "@/app/(site)/_record/curves";
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
  type RecordPageQuery,
  recordPageQueryParams,
  toRecordQuery,
} from "@/app/(site)/_record/record-page-query";
import { db } from "@/db/client";
import { listModelVersions } from "@/db/queries/models";
import { listOpenPauses, listPastPauses } from "@/db/queries/pauses";
import { listSymbols } from "@/db/queries/slots";
import { coversSlot } from "@/lib/access/pauses";
import { isDemoHistoryGrowing } from "@/lib/health/is-demo-history-growing";
import { paths } from "@/lib/paths";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { areCandlesShown } from "@/lib/signals/record/read-candles";
import { readResolvedSignals } from "@/lib/signals/record/read-signals";
import { readSlotPage } from "@/lib/signals/record/read-slot";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { summarizeRecord } from "@/lib/signals/record/summarize-record";
import { PublicSignalsQuery } from "@/lib/wire/contracts/record";
import { type SearchParams, wholeNumberFilter } from "@/lib/wire/query-filter";
import { ForecastTable } from "./_parts/forecast-table";
import { ResolvedTable } from "./_parts/resolved-table";
import { SlotMonthTable } from "./_parts/slot-month-table";
import { SlotPauses } from "./_parts/slot-pauses";

type Params = Promise<{ symbol: string; tf: string }>;

const ROWS = 25;
const LISTED_MODELS = 12;
const LISTED_PAUSES = 20;
const LAST_CURSOR = 999_999_999;
const Cursor = wholeNumberFilter(LAST_CURSOR);

async function slotOf(params: Params) {
  const { symbol, tf } = await params;
  return { symbol: decodeURIComponent(symbol).toUpperCase(), tf: decodeURIComponent(tf).toUpperCase() };
}

export async function generateMetadata({ params }: { params: Params }): Promise<Metadata> {
  const { symbol, tf } = await slotOf(params);
  await connection();
  const [mark, kind] = isDemonstration() ? [" (simulated)", "resolved simulated"] : ["", "resolved"];
  return {
    title: `Record of ${symbol} ${tf}${mark}`,
    description: `Every ${kind} signal of ${symbol} ${tf}.`,
  };
}

/** The record of one slot with each of its resolved signals. */
export default async function RecordSlotPage({
  params,
  searchParams,
}: {
  params: Params;
  searchParams: SearchParams;
}) {
  await connection();
  const { symbol, tf } = await slotOf(params);
  const slot = `${symbol} ${tf}`;
  if (!(await isRecordPublic())) return <RecordOff title={`Record of ${slot}`} />;
  const given = await searchParams;
  const shown: RecordPageQuery = {
    ...parseRecordPageQuery(given),
    symbol,
    tf,
    sort: undefined,
    order: undefined,
  };
  const after = Cursor.parse(given.after);
  const showsLater = shown.list === "later" && !isDemonstration();
  const question = toRecordQuery(shown, new Date());
  if (question?.tf_code === undefined) notFound();
  const versions = await listModelVersions(db(), { symbol, timeframe: question.tf_code });
  const [slotRecord, signals, symbols, openPauses, pastPauses, canBeRecomputed] = await Promise.all([
    nullIfMissing(cacheByLedgerSize("slot", question, readSlotPage)),
    nullIfMissing(
      readResolvedSignals(
        PublicSignalsQuery.parse({
          symbol,
          tf_code: tf,
          ...(shown.model && { model_v: shown.model }),
          ...(after !== undefined && { after: String(after) }),
          limit: String(ROWS),
          order: "newest",
          // On a simulated market all signals are a demonstration, and none counts as entered later.
          ...(!isDemonstration() && { entered_later: String(showsLater) }),
        }),
      ),
    ),
    listSymbols(db()),
    listOpenPauses(db()),
    listPastPauses(db(), { slot: { symbol, timeframe: tf }, limit: LISTED_PAUSES }),
    areCandlesShown({ symbol, timeframe: question.tf_code }),
  ]);
  const pauses = [
    ...openPauses.filter((pause) => coversSlot(pause, { symbol, timeframe: tf })),
    ...pastPauses,
  ];
  const record = slotRecord?.record ?? null;
  // Signals can exist without a registered model.
  const hasSignals =
    record !== null && (record.coverage.since !== null || record.coverage.n_entered_later > 0);
  if (versions.length === 0 && !hasSignals) notFound();
  const figures = record?.items[0];
  const verdict =
    record && summarizeRecord(record, { isWhole: shown.period === undefined && shown.model === undefined });
  const quality = slotRecord?.calibration.items[0];
  const { digits = 5 } = symbols.find((row) => row.symbol === symbol) ?? {};
  const simulated = record !== null && record.notice !== null;
  const late = record?.entered_later ?? null;
  const address = (values: Partial<RecordPageQuery> & { after?: number }) => {
    const { after: cursor, ...rest } = values;
    return paths.recordSlot(symbol, tf, {
      ...recordPageQueryParams({ model: shown.model, period: shown.period, ...rest }),
      ...(cursor !== undefined && { after: cursor }),
    });
  };
  const listAddress = (values: { after?: number }) =>
    `${address({ list: shown.list, ...values })}#${showsLater ? "entered-later" : "signals"}`;
  const tableOf = (table: "equity" | "drawdown") => ({
    href: `${address({ table, ...(after !== undefined && { after }) })}#${table}`,
    isOpen: shown.table === table,
  });
  const listed = versions.slice(0, LISTED_MODELS);
  const curves = record && equityCurves(record.curve);
  const [firstAt, lastAt] = [curves?.model[0]?.at, curves?.model.at(-1)?.at];
  const drawnChanges = (slotRecord?.changedAt ?? []).filter(
    (at) => firstAt && lastAt && at > firstAt && at < lastAt,
  );
  const chartNotes = figures && (
    <span>
      n = {formatNumber(figures.model.n)}
      {drawnChanges.length > 0 && "; dashed vertical line: the model changed"}
    </span>
  );
  const files = (pathOf: typeof paths.recordFile) => (
    <>
      <LinkButton href={pathOf(symbol, tf, "csv", { model_v: shown.model })} size="small">
        CSV
      </LinkButton>
      <LinkButton href={pathOf(symbol, tf, "ndjson", { model_v: shown.model })} size="small">
        NDJSON
      </LinkButton>
    </>
  );
  const list = signals && (signals.count > 0 || after !== undefined) && (
    <ResolvedTable
      slot={slot}
      signals={signals.items}
      digits={digits}
      isLater={showsLater}
      footer={
        <nav
          aria-label="Pages of signals"
          className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted"
        >
          <p>{countWithNoun(signals.count, "signal")} on this page</p>
          <div className="flex gap-2">
            {after !== undefined && (
              <LinkButton href={listAddress({})} size="small">
                Newest
              </LinkButton>
            )}
            {signals.next !== null && (
              <LinkButton href={listAddress({ after: signals.next })} size="small">
                Older
              </LinkButton>
            )}
          </div>
        </nav>
      }
    />
  );

  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        parent={{ href: paths.record(), label: "Record" }}
        title={slot}
        lead={
          figures &&
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
        {!canBeRecomputed && (
          <Notice tone="info" title="Outcomes of this slot cannot be recomputed by others">
            The licence of its candles does not allow showing them. The ledger holds their hashes.
          </Notice>
        )}
        <RecordFilters
          action={paths.recordSlot(symbol, tf)}
          shown={shown}
          models={versions.map(({ modelV }) => modelV)}
        />
        {record === null || curves === null || !figures || figures.forecasts.n === 0 ? (
          <Card flush>
            {shown.model || shown.period ? (
              <EmptyState title="Nothing matches">
                {slot} has no result for this choice. Change or clear the filter.
              </EmptyState>
            ) : (
              <EmptyState title="No result yet">
                The first result appears when 12 {tf} candles have closed after a signal that was committed in
                time.
              </EmptyState>
            )}
          </Card>
        ) : (
          <>
            {figures.forecasts.n_directional === 0 ? (
              <Card flush>
                <NoTrades slot={slot} nForecasts={figures.forecasts.n} />
              </Card>
            ) : (
              <>
                <Card
                  title="Results"
                  lead={
                    <>
                      {formatPeriod(shown.period)}, {describeRecordCosts(record.coverage)}.{" "}
                      <HypotheticalMark />.
                    </>
                  }
                  flush
                >
                  <LuckComparisonTable
                    about={slot}
                    model={figures.model}
                    coin={figures.coin}
                    frequencies={figures.frequencies}
                  />
                </Card>
                <div className="grid gap-6 lg:grid-cols-2">
                  <div id="equity" className="grid scroll-mt-24">
                    <Card title="Equity in R">
                      <LineChart
                        name={slot}
                        unit="R"
                        points={curves.model}
                        comparisons={curves.comparisons}
                        changes={drawnChanges}
                        drawdown={false}
                        notes={chartNotes}
                        table={tableOf("equity")}
                      />
                    </Card>
                  </div>
                  <div id="drawdown" className="grid scroll-mt-24">
                    <Card title="Drawdown in R, by day">
                      <LineChart
                        name={`${slot} below its best`}
                        unit="R"
                        points={drawdownCurve(curves.model)}
                        changes={drawnChanges}
                        drawdown={false}
                        summary={`${slot}: at its deepest ${formatNumber(figures.model.max_drawdown_r, 2)} R below its best so far, by UTC day.`}
                        notes={chartNotes}
                        table={tableOf("drawdown")}
                      />
                    </Card>
                  </div>
                </div>
                <Card title="Months in R" flush>
                  <MonthTable
                    caption={`Results of ${slot} by month`}
                    unit="R"
                    years={monthsByYear(record.months, (month) => address({ period: month }))}
                    digits={1}
                  />
                </Card>
              </>
            )}
            {quality && (
              <>
                <Card
                  title="Calibration"
                  lead="The probability of the likeliest of the three outcomes, whatever the signal was, against how often it came true. The line through a dot is its 95 % interval."
                >
                  <ReliabilityDiagram
                    model={slot}
                    ece={quality.model.ece}
                    bins={quality.model.bins.map((bin) => ({
                      lo: bin.lo,
                      hi: bin.hi,
                      n: bin.n,
                      avgConfidence: bin.avg_confidence,
                      hitRate: bin.hit_rate,
                      ci95: bin.ci95,
                    }))}
                  />
                </Card>
                <Card title="Forecasts" flush>
                  <ForecastTable slot={slot} {...quality} />
                </Card>
              </>
            )}
            <Card title="Month by month" lead="Forecast quality over time." flush>
              <SlotMonthTable
                slot={slot}
                months={record.months.map((one) => ({ ...one, href: address({ period: one.month }) }))}
              />
            </Card>
          </>
        )}
        {listed.length > 0 && (
          <Card
            title="Models"
            lead={
              listed.length < versions.length
                ? `The newest ${LISTED_MODELS} of ${versions.length}. The filter above lists all of them.`
                : "The models of this slot, and when each came into use."
            }
            flush
          >
            <ul className="divide-y text-sm">
              {listed.map((model) => (
                <li
                  key={model.id}
                  className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-3 sm:px-6"
                >
                  <a href={paths.model(model.id)} className="link font-medium">
                    {model.modelV}
                  </a>
                  <span className="text-muted">
                    {model.championSince ? (
                      <>
                        in use since <Timestamp at={model.championSince} />
                      </>
                    ) : (
                      <>
                        trained <Timestamp at={model.trainedAt} />, not in use
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
        {record && record.notice === null && <CoverageCard coverage={record.coverage} />}
        <SlotPauses pauses={pauses} />
        {showsLater ? (
          <p className="text-sm">
            <a href={`${address({})}#signals`} className="link">
              Every resolved signal of the record
            </a>
          </p>
        ) : (
          list && (
            <div id="signals" className="grid scroll-mt-24">
              <Card
                title="Every resolved signal"
                lead="Newest first, regardless of the period above. The files contain all of them."
                actions={
                  <>
                    {files(paths.recordFile)}
                    <LinkButton href={paths.testerFile(symbol, tf)} size="small">
                      Strategy Tester
                    </LinkButton>
                  </>
                }
                flush
              >
                {list}
              </Card>
            </div>
          )
        )}
        <EnteredLaterCard late={late} actions={files(paths.lateFile)}>
          {showsLater ? (
            list
          ) : (
            <p className="border-t px-4 py-3 text-sm sm:px-6">
              <a href={`${address({ list: "later" })}#entered-later`} className="link">
                List them
              </a>
            </p>
          )}
        </EnteredLaterCard>
        <GlossaryCard
          of={["r", "followed", "interval", "coin", "frequencies", "skill", "drawdown", "ece", "murphy"]}
        />
        <HypotheticalStatement />
      </div>
    </div>
  );
}
