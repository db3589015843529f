import { ChartCandlestick } from "lucide-react";
import { z } from "zod";
import { Card } from "@/app/_components/card";
import { DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { HiddenSlots } from "@/app/portal/_components/hidden-slots";
import { RefreshWhenNews } from "@/app/portal/_components/live";
import { OwnPauseCard } from "@/app/portal/_components/own-pauses";
import { PausedNotice } from "@/app/portal/_components/paused-notice";
import { TryOutNotice } from "@/app/portal/_components/try-out";
import { db } from "@/db/client";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import { describeHiddenSlots } from "@/lib/access/describe-scope";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf } from "@/lib/market/clock";
import { compareTimeframes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { usesEa } from "@/lib/runtime/plan-features";
import {
  compareSlotSalience,
  isActionable,
  listSlotViews,
  type SlotView,
} from "@/lib/signals/list-slot-views";
import { cachedSignalPrices } from "@/lib/signals/signal-prices";
import { readLastSeenAt } from "@/lib/subscribers/account";
import { DIRECTIONS } from "@/lib/vocabulary";
import {
  choiceFilter,
  confidenceFilter,
  type SearchParams,
  symbolOrTimeframeFilter,
} from "@/lib/wire/query-filter";
import { SignalCard } from "./_components/signal-card";
import { SignalFilters } from "./_components/signal-filters";
import { SignalTabs } from "./_components/signal-tabs";
import { SlotCell } from "./_components/slot-cell";

export const metadata = { title: "Signals" };

/** Maximum number of actionable signals that are shown as cards; the matrix below shows all. */
const MAX_CARDS = 12;

const Filter = z.object({
  symbol: symbolOrTimeframeFilter,
  timeframe: symbolOrTimeframeFilter,
  direction: choiceFilter(DIRECTIONS),
  min_confidence: confidenceFilter,
});

/** The newest signal of every slot, as a matrix of symbol and timeframe. */
export default async function SignalsPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber({ tryOut: true });
  const filter = Filter.parse(await searchParams);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const { subscriptionId } = subscriber;
  const [{ slots, nHidden }, ownPauses, seenAt, flash] = await Promise.all([
    listSlotViews(subscriber.scope, subscriber.versions.signals, now),
    listSubscriberPauses(db(), subscriptionId),
    readLastSeenAt(subscriptionId),
    consumeFlash(db(), subscriber.flashSession),
  ]);

  const shown = slots.filter((slot) => matches(slot, filter));
  const actionable = shown.filter(isActionable).toSorted(compareSlotSalience);
  const prices = await cachedSignalPrices(
    db(),
    actionable.map(({ signal }) => signal),
  );
  const symbols = [...new Set(slots.map((slot) => slot.symbol))];
  const timeframes = [...new Set(slots.map((slot) => slot.timeframe))].sort(compareTimeframes);
  const rows = [...new Set(shown.map((slot) => slot.symbol))];
  const columns = timeframes.filter((timeframe) => shown.some((slot) => slot.timeframe === timeframe));
  const cells = new Map(shown.map((slot) => [`${slot.symbol}/${slot.timeframe}`, slot]));
  // Delayed signals are stale because of the delay, not because of a fault.
  const isDelayed = subscriber.delayCandles !== null;
  const nStale = isDelayed
    ? 0
    : slots.filter((slot) => slot.freshness.stale && slot.freshness.marketOpen).length;
  const isSet = Object.values(filter).some((value) => value !== undefined);
  const hidden = describeHiddenSlots(subscriber.scope, subscriber, nHidden);

  return (
    <>
      <PageHeader
        title="Signals"
        lead={
          isDelayed
            ? "The newest delayed signal of each slot."
            : "The newest signal of each slot, made from its last closed candle."
        }
        actions={<ClockSwitch clock={clock} back={paths.portalSignals()} now={now} />}
      />
      <FlashNotice flash={flash} />
      <RefreshWhenNews signals={subscriber.versions.signals} />
      {subscriber.delayCandles === null ? (
        <SignalTabs current={paths.portalSignals()} />
      ) : (
        <div className="mb-6">
          <TryOutNotice subscriber={subscriber} now={now} />
        </div>
      )}
      <PausedNotice pauses={slots.flatMap(({ pause }) => pause ?? [])} clock={clock} />
      {actionable.length > 0 && (
        <section aria-labelledby="to-act-on" className="mb-6">
          <h2 id="to-act-on" className="mb-3 text-base">
            Actionable now
          </h2>
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {actionable.slice(0, MAX_CARDS).map((slot) => (
              <li key={slot.slotId} className="grid">
                <SignalCard slot={slot} prices={prices.get(slot.signal.predId)} />
              </li>
            ))}
          </ul>
          {actionable.length > MAX_CARDS && (
            <p className="mt-2 text-sm text-muted">
              {countWithNoun(actionable.length - MAX_CARDS, "more is", "more are")} in the table below.
            </p>
          )}
        </section>
      )}
      <Card
        title={
          isSet
            ? `${countWithNoun(shown.length, "slot")} of ${slots.length}`
            : countWithNoun(slots.length, "slot")
        }
        lead="A direction is given only where the model expects it to pay after costs, so you may see NO TRADE even when one side is more likely. Ages count open-market time."
        actions={
          // Shown next to the title: a separate line would move the table whenever a slot is stale for a moment.
          nStale > 0 && (
            <p className="text-sm font-medium text-warn">
              {countWithNoun(nStale, "slot is", "slots are")} stale. Do not follow a stale signal.
            </p>
          )
        }
        flush
        footer={hidden && <HiddenSlots words={hidden} />}
      >
        <div className="border-b px-4 py-4 sm:px-6">
          <SignalFilters
            action={paths.portalSignals()}
            values={filter}
            symbols={symbols}
            timeframes={timeframes}
            isSet={isSet}
          />
        </div>
        <DataTable
          caption="Newest signal by symbol and timeframe"
          rows={rows}
          rowKey={(symbol) => symbol}
          columns={[
            { key: "symbol", header: "Symbol", primary: true, cell: (symbol) => symbol },
            ...columns.map((timeframe) => ({
              key: timeframe,
              header: timeframe,
              cell: (symbol: string) => {
                const slot = cells.get(`${symbol}/${timeframe}`);
                return slot ? <SlotCell slot={slot} now={now} /> : <span className="text-faint">–</span>;
              },
            })),
          ]}
          empty={
            <EmptyState icon={ChartCandlestick} title={isSet ? "No slot matches" : "No signal yet"}>
              {isSet
                ? "Widen the filters: NO TRADE is the most frequent signal."
                : "The first signals appear when a candle closes that a model forecasts."}
            </EmptyState>
          }
        />
      </Card>
      {(usesEa(subscriber, seenAt) || ownPauses.length > 0) && (
        <div className="mt-6">
          <OwnPauseCard
            pauses={ownPauses}
            slots={slots}
            seenAt={seenAt}
            clock={clock}
            isOwnerEnv={subscriber.isOwnerEnv}
          />
        </div>
      )}
    </>
  );
}

function matches(slot: SlotView, filter: z.output<typeof Filter>): boolean {
  if (filter.symbol !== undefined && slot.symbol !== filter.symbol) return false;
  if (filter.timeframe !== undefined && slot.timeframe !== filter.timeframe) return false;
  if (filter.direction !== undefined && slot.signal?.signal !== filter.direction) return false;
  return filter.min_confidence === undefined || (slot.signal?.confidence ?? 0) >= filter.min_confidence;
}
