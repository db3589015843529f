import { Download, ListChecks } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatList, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { PageHeader } from "@/app/_components/page-header";
import { PageOutOfRange } from "@/app/_components/page-out-of-range";
import { Pagination } from "@/app/_components/pagination";
import { formatDayOn } from "@/app/_components/times";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { RefreshWhenNews } from "@/app/portal/_components/live";
import { executionColumns } from "@/app/portal/executions/_components/execution-columns";
import { ExecutionTabs } from "@/app/portal/executions/_components/execution-tabs";
import { ExecutionListFilters } from "@/app/portal/executions/_components/list-filters";
import { PositionCards } from "@/app/portal/executions/_components/position-cards";
import { db } from "@/db/client";
import type { VolumeAndCostSums } from "@/db/queries/execution-figures";
import { type ExecutionSort, listExecutionFilterValues } from "@/db/queries/executions";
import { listSymbols } from "@/db/queries/slots";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { ExecutionQuery, filterOf, orderOf } from "@/lib/executions/execution-filter";
import { figuresCurrency } from "@/lib/executions/figures-currency";
import { isIndexed, listPositions } from "@/lib/executions/list-positions";
import { MAX_POSITIONS_FOR_FIGURES } from "@/lib/executions/newest-positions";
import { valuePositions } from "@/lib/executions/value-positions";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { cachedSignalPrices } from "@/lib/signals/signal-prices";
import { signalVisibilityOf } from "@/lib/signals/visible-closes";
import { type SearchParams, toListPage, toQuery } from "@/lib/wire/query-filter";

export const metadata = { title: "Positions" };

const PAGE_SIZE = 25;

/** Every reported position, with filters, order, pages and an export of the filtered list. */
export default async function ExecutionListPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber();
  const { page: requested, ...query } = ExecutionQuery.parse(await searchParams);
  const page = toListPage(requested, PAGE_SIZE);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const filter = filterOf(query, subscriber, now);
  const order = orderOf(query);
  const [{ rows, since, ...all }, values, symbols] = await Promise.all([
    listPositions(db("heavy"), filter, order, page),
    listExecutionFilterValues(db("heavy"), subscriber.subscriptionId),
    listSymbols(db()),
  ]);
  const { only, unit } = figuresCurrency(values.currencies, query.currency);
  const isMixed = only !== query.currency;
  const positionValues = await valuePositions(
    db("heavy"),
    { subscriptionId: subscriber.subscriptionId, seen: signalVisibilityOf(subscriber.scope, now) },
    rows.filter((row) => row.closedAt === null),
    cachedSignalPrices,
  );
  const digits = new Map(symbols.map((symbol) => [symbol.symbol, symbol.digits]));
  const set = toQuery(query);
  const hasOpen = rows.some(({ closedAt }) => closedAt === null);
  const isSet = Object.keys(toQuery({ ...query, sort: undefined, dir: undefined })).length > 0;
  const here = (changed: Record<string, string | number>) =>
    paths.portalExecutionList({ ...set, ...changed });
  const toPage = (number: number) => here({ page: number });
  const sortable = (sort: ExecutionSort) => ({
    sortHref: here({ sort, dir: order.sort === sort && order.descending ? "asc" : "desc" }),
    ...(order.sort === sort
      ? { sorted: order.descending ? ("descending" as const) : ("ascending" as const) }
      : {}),
  });
  const columns = executionColumns({ clock, now, digits, values: positionValues, sortable });

  return (
    <>
      <PageHeader
        title="Positions"
        lead="Positions as your EA reported them."
        actions={<ClockSwitch clock={clock} back={toPage(page.number)} now={now} />}
      />
      <RefreshWhenNews
        executions={subscriber.versions.executions}
        // The open positions are valued at the newest candle.
        {...(hasOpen && { signals: subscriber.versions.signals })}
      />
      <ExecutionTabs current={paths.portalExecutionList()} />
      <Card
        title={
          all.isCountedWhole
            ? countWithNoun(all.n, "position")
            : `More than ${countWithNoun(all.n, "position")}`
        }
        lead={
          all.nClosed > 0 ? (
            <>
              {isMixed ? (
                `Choose a currency for the closed P/L: amounts in ${formatList(values.currencies)} are not added.`
              ) : (
                <>
                  Closed P/L of {all.isCountedWhole ? "these" : `the newest ${formatNumber(all.n)}`}:{" "}
                  <MoneyText value={Number(all.totalPnl)} unit={unit ?? undefined} />
                </>
              )}
              {all.details.map((sums) => (
                <DetailTotals key={sums.currency} sums={sums} ofNewest={since !== null} />
              ))}
              {all.sortedSince && (
                <span className="block">
                  The list has the newest {formatNumber(all.nListed)}, opened since{" "}
                  {formatDayOn(clock, all.sortedSince)}. The export has all of them
                  {isIndexed(order) ? "" : ", by opening"}.
                </span>
              )}
            </>
          ) : undefined
        }
        flush
        actions={
          <div className="flex flex-wrap gap-2">
            <LinkButton
              href={paths.portalExecutionExport({ ...set, for: "excel" })}
              download
              disabledReason={all.n === 0 ? "There is nothing to export." : undefined}
            >
              <Download aria-hidden="true" />
              Export for Excel
            </LinkButton>
            <LinkButton
              href={paths.portalExecutionExport(set)}
              download
              disabledReason={all.n === 0 ? "There is nothing to export." : undefined}
            >
              <Download aria-hidden="true" />
              Export CSV
            </LinkButton>
          </div>
        }
      >
        <div className="border-b px-4 py-4 sm:px-6">
          <ExecutionListFilters
            query={query}
            values={values}
            isSet={isSet}
            clockName={clockOffsetLabel(clock, now)}
          />
        </div>
        <PositionCards rows={rows} clock={clock} now={now} />
        <div className={rows.length > 0 ? "phone:hidden" : undefined}>
          <DataTable
            caption="Reported positions"
            rows={rows}
            rowKey={(row) => row.executionId}
            columns={columns}
            empty={
              all.nListed > 0 ? (
                <PageOutOfRange
                  icon={ListChecks}
                  page={page.number}
                  pageSize={PAGE_SIZE}
                  total={all.nListed}
                  href={toPage}
                  noun="position"
                />
              ) : (
                <EmptyState
                  icon={ListChecks}
                  title={isSet ? "No position matches" : "No position reported yet"}
                >
                  {isSet
                    ? "Widen the filters."
                    : "When your EA opens its first position, it appears here at once."}
                </EmptyState>
              )
            }
          />
        </div>
        {rows.length > 0 && (
          <div className="border-t px-4 py-3 sm:px-6">
            <Pagination
              page={page.number}
              pageSize={PAGE_SIZE}
              total={all.nListed}
              href={toPage}
              noun="position"
            />
          </div>
        )}
      </Card>
    </>
  );
}

/** Volume, commission and swap, each with the number of positions that report it. */
function DetailTotals({
  sums: { currency, n, volume, commission, swap },
  ofNewest,
}: {
  sums: VolumeAndCostSums;
  ofNewest: boolean;
}) {
  const unit = currency ?? "";
  const parts = [
    volume !== null && `${formatNumber(Number(volume), 2)} lots`,
    commission !== null && `commission ${formatNumber(Number(commission), 2)} ${unit}`.trim(),
    swap !== null && `swap ${formatNumber(Number(swap), 2)} ${unit}`.trim(),
  ].filter((part) => part !== false);
  return (
    <span className="block">
      {parts.join(", ")} in {countWithNoun(n, "position")}
      {ofNewest && ` among the newest ${formatNumber(MAX_POSITIONS_FOR_FIGURES)}`}
    </span>
  );
}
