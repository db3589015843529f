import { History } from "lucide-react";
import { z } from "zod";
import { Card } from "@/app/_components/card";
import { describeCosts } from "@/app/_components/describe-costs";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { PageOutOfRange } from "@/app/_components/page-out-of-range";
import { Pagination } from "@/app/_components/pagination";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { PastSignalTable } from "@/app/portal/signals/_components/past-signal-table";
import { SignalFilters } from "@/app/portal/signals/_components/signal-filters";
import { SignalTabs } from "@/app/portal/signals/_components/signal-tabs";
import { countSignalHistory, listSignalHistory } from "@/db/queries/signal-history";
import { readAtReplica } from "@/db/replica";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf } from "@/lib/market/clock";
import { compareTimeframes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { addDays } from "@/lib/time";
import { DIRECTIONS } from "@/lib/vocabulary";
import {
  choiceFilter,
  confidenceFilter,
  pageNumberFilter,
  type SearchParams,
  symbolOrTimeframeFilter,
  toListPage,
  toQuery,
} from "@/lib/wire/query-filter";

export const metadata = { title: "Signal history" };

const PAGE_SIZE = 25;
/** Maximum number of signals that are counted for page numbers. Older signals are found with the filters. */
const MAX_COUNTED = 5_000;

const Filter = z.object({
  symbol: symbolOrTimeframeFilter,
  timeframe: symbolOrTimeframeFilter,
  direction: choiceFilter(DIRECTIONS),
  min_confidence: confidenceFilter,
  no_trade: choiceFilter(["true"]),
  days: z.enum(["1", "7", "30", "90"]).catch("7").transform(Number),
  page: pageNumberFilter,
});

/** Past signals of the subscriber's slots with their outcomes. */
export default async function SignalHistoryPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber();
  const { page: requested, ...filter } = Filter.parse(await searchParams);
  const page = toListPage(requested, PAGE_SIZE);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const wanted = {
    scope: subscriber.scope,
    since: addDays(now, -filter.days),
    symbol: filter.symbol,
    timeframe: filter.timeframe,
    direction: filter.direction,
    minConfidence: filter.min_confidence,
    includeNoTrade: filter.no_trade === "true",
  };
  const [rows, total, { slots }] = await Promise.all([
    readAtReplica((database) => listSignalHistory(database, wanted, page)),
    readAtReplica((database) => countSignalHistory(database, wanted, MAX_COUNTED)),
    listSlotViews(subscriber.scope, subscriber.versions.signals, now),
  ]);
  const results = rows.filter(({ resultR }) => resultR !== null);
  const here = (changed: number) => paths.portalSignalHistory(toQuery({ ...filter, page: changed }));

  return (
    <>
      <PageHeader
        title="Signals"
        lead={`Signals never change. The result is what following one brought, in units of its risk (R), ${describeCosts(
          {
            n: results.length,
            nWithoutCost: results.filter(({ isWithoutCost }) => isWithoutCost).length,
          },
        )}.`}
        actions={<ClockSwitch clock={clock} back={here(page.number)} now={now} />}
      />
      <SignalTabs current={paths.portalSignalHistory()} />
      <Card title="History" flush>
        <div className="border-b px-4 py-4 sm:px-6">
          <SignalFilters
            action={paths.portalSignalHistory()}
            values={filter}
            symbols={[...new Set(slots.map((slot) => slot.symbol))]}
            timeframes={[...new Set(slots.map((slot) => slot.timeframe))].sort(compareTimeframes)}
            noTrade={filter.no_trade === "true"}
            days={filter.days}
            isSet={Object.keys(toQuery({ ...filter, days: undefined })).length > 0}
          />
        </div>
        <PastSignalTable
          caption="Past signals, newest first"
          rows={rows}
          clock={clock}
          now={now}
          empty={
            total > 0 ? (
              <PageOutOfRange
                icon={History}
                page={page.number}
                pageSize={PAGE_SIZE}
                total={total}
                href={here}
                noun="signal"
              />
            ) : (
              <EmptyState icon={History} title="No signal matches">
                Choose a longer period, or include NO TRADE.
              </EmptyState>
            )
          }
          footer={
            <Pagination page={page.number} pageSize={PAGE_SIZE} total={total} href={here} noun="signal" />
          }
        />
      </Card>
    </>
  );
}
