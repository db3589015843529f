import { ArrowLeft, ChartCandlestick } from "lucide-react";
import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { z } from "zod";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CandleChart } from "@/app/_components/chart/candle-chart";
import { indexOfCandle, toChartCandles } from "@/app/_components/chart/candle-paths";
import { SignalTape } from "@/app/_components/chart/signal-tape";
import { DirectionMark } from "@/app/_components/direction-mark";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { ProbabilityBar } from "@/app/_components/probability-bar";
import { WithTerms } from "@/app/_components/term";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { formatRegime } from "@/app/portal/_components/format-regime";
import { RefreshWhenNews, RemainingValidity } from "@/app/portal/_components/live";
import { MissingPage } from "@/app/portal/_components/missing-page";
import { PausedNotice } from "@/app/portal/_components/paused-notice";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { signalPriceLevels } from "@/app/portal/_components/signal-levels";
import { SlotAgeOrClosed } from "@/app/portal/_components/slot-state";
import { ExpectedRangeCard } from "@/app/portal/signals/_components/expected-range-card";
import { NotInPlan } from "@/app/portal/signals/_components/not-in-plan";
import { PastSignalTable } from "@/app/portal/signals/_components/past-signal-table";
import { SignalPriceList } from "@/app/portal/signals/_components/signal-card";
import { db } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import { listFilteredExecutions } from "@/db/queries/executions";
import { listModelVersions } from "@/db/queries/models";
import { listSlotSignalDetails } from "@/db/queries/signal-history";
import { listSymbols } from "@/db/queries/slots";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { parseTimeframe, timeframeMinutes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { isActionable, listSlotViews } from "@/lib/signals/list-slot-views";
import { readRangeCoverage } from "@/lib/signals/quality/range-coverage";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { cachedSignalPrices } from "@/lib/signals/signal-prices";
import { toSignalRange } from "@/lib/signals/signal-range";
import { addDays, MINUTE_MS } from "@/lib/time";
import { DEFAULT_QUALITY_DAYS } from "@/lib/wire/contracts/quality";
import { choiceFilter, type SearchParams } from "@/lib/wire/query-filter";

const CANDLES = 120;
const SIGNALS = 120;
const LISTED = 12;
/** Maximum number of own positions whose entries and exits are drawn. */
const MAX_DRAWN_POSITIONS = 50;
/** Days for which a change of champion is shown above the signals. */
const NEW_MODEL_DAYS = 7;

/** `table` names the chart whose data is also shown as a table. */
const Query = z.object({ table: choiceFilter(["candles", "signals"]) });

type Params = Promise<{ symbol: string; tf: string }>;

export async function generateMetadata({ params }: { params: Params }) {
  const { symbol, tf } = await params;
  return { title: `${decodeURIComponent(symbol)} ${decodeURIComponent(tf)}` };
}

/** A slot: its candles with signals, its probabilities and its history. */
export default async function SlotPage({
  params,
  searchParams,
}: {
  params: Params;
  searchParams: SearchParams;
}) {
  const subscriber = await requireSubscriber({ tryOut: true });
  const { symbol, tf } = await params;
  const now = new Date();
  // The public record shows the history of the slot without signals that a try-out may not see yet.
  if (subscriber.delayCandles !== null)
    redirect(paths.recordSlot(decodeURIComponent(symbol), decodeURIComponent(tf)));
  const { slots, hidden } = await listSlotViews(subscriber.scope, subscriber.versions.signals, now);
  const wanted = { symbol: decodeURIComponent(symbol).toUpperCase(), timeframe: tf.toUpperCase() };
  const slot = slots.find(
    (candidate) => candidate.symbol === wanted.symbol && candidate.timeframe === wanted.timeframe,
  );
  if (!slot && hidden.has(`${wanted.symbol}/${wanted.timeframe}`)) {
    return (
      <>
        <PageHeader title={`${wanted.symbol} ${wanted.timeframe}`} eyebrow={<BackToSignals />} />
        <NotInPlan
          {...wanted}
          subscriptionId={subscriber.subscriptionId}
          held={subscriber}
          scope={subscriber.scope}
        />
      </>
    );
  }
  if (!slot) {
    const timeframe = parseTimeframe(wanted.timeframe);
    const isKnown = (await listSymbols(db())).some((known) => known.symbol === wanted.symbol);
    if (timeframe === null || !isKnown) return <MissingPage />;
    return (
      <>
        <PageHeader title={`${wanted.symbol} ${timeframe}`} eyebrow={<BackToSignals />} />
        <RefreshWhenNews signals={subscriber.versions.signals} />
        <Card flush>
          <EmptyState
            icon={ChartCandlestick}
            title={`No signals for ${wanted.symbol} ${timeframe}`}
            actions={<LinkButton href={paths.status()}>Service status</LinkButton>}
          >
            No model forecasts this slot at present. This page shows its signals as soon as one does.
          </EmptyState>
        </Card>
      </>
    );
  }
  const ofSlot = { symbols: [slot.symbol], timeframes: [slot.timeframe] };
  const isPublic = await isRecordPublic();
  const [columns, signals, versions, prices, own, [coverage = null]] = await Promise.all([
    readCandles(db(), slot.slotId, { newest: CANDLES }),
    listSlotSignalDetails(db(), slot.slotId, SIGNALS),
    isPublic ? listModelVersions(db(), slot) : [],
    slot.signal ? cachedSignalPrices(db(), [slot.signal]) : null,
    listFilteredExecutions(
      db("heavy"),
      {
        subscriptionId: subscriber.subscriptionId,
        symbol: slot.symbol,
        timeframe: slot.timeframe,
        from: new Date(now.getTime() - 2 * CANDLES * timeframeMinutes(slot.timeframe) * MINUTE_MS),
      },
      { sort: "opened_at", descending: true },
      { limit: MAX_DRAWN_POSITIONS },
    ),
    readRangeCoverage(ofSlot, DEFAULT_QUALITY_DAYS, now),
  ]);
  const priced = slot.signal ? prices?.get(slot.signal.predId) : undefined;
  const canAct = isActionable(slot);
  const champion = versions.find((row) => row.isActive);
  // The first model of a slot is not a change.
  const isNew =
    versions.length > 1 && champion?.championSince && champion.championSince > addDays(now, -NEW_MODEL_DAYS);
  const candles = toChartCandles(columns);
  const fills = own.flatMap((position) =>
    (
      [
        [position.openedAt, position.entryPrice, "entry"],
        [position.closedAt, position.exitPrice, "exit"],
      ] as const
    ).flatMap(([at, price, kind]) => {
      const index =
        at && price !== null && !position.clockSuspect ? indexOfCandle(candles, slot.timeframe, at) : -1;
      const candle = candles[index];
      const figure = Number(price);
      // A price of another instrument would distort the scale.
      if (!candle || figure > 2 * candle.high || figure < candle.low / 2) return [];
      return [{ kind, index, price: figure, label: `${kind} ${position.ticket}`, isLabelled: false }];
    }),
  );
  const clock = clockOf(subscriber.preferences);
  const { signal, freshness } = slot;
  const name = `${slot.symbol} ${slot.timeframe}`;
  const range = signal && toSignalRange(signal);
  const requested = Query.parse(await searchParams).table;
  const tableOf = (table: "candles" | "signals") => ({
    href: paths.portalSlot(slot.symbol, slot.timeframe, { table }),
    isOpen: requested === table,
  });

  return (
    <>
      <PageHeader
        title={name}
        eyebrow={<BackToSignals />}
        actions={<ClockSwitch clock={clock} back={paths.portalSlot(slot.symbol, slot.timeframe)} now={now} />}
      />
      <RefreshWhenNews signals={subscriber.versions.signals} />
      <div className="space-y-6">
        {isNew && champion?.championSince && (
          <Notice title={`A new model forecasts ${name}`}>
            Since <PortalTime at={champion.championSince} clock={clock} />.{" "}
            <a href={paths.model(champion.id)} className="link">
              Its claims and its results
            </a>
            .
          </Notice>
        )}
        <PausedNotice pauses={slot.pause ? [slot.pause] : []} clock={clock} />
        <Card title="Newest signal">
          {signal ? (
            <div className="flex flex-wrap items-center gap-x-12 gap-y-6">
              <div>
                <DirectionMark direction={signal.signal} size="large" weight={canAct ? "loud" : "quiet"} />
                <p className="mt-2 text-sm text-muted">
                  Candle of <PortalTime at={signal.ts} clock={clock} />
                  {freshness.marketOpen && (
                    <>
                      , closed <SlotAgeOrClosed freshness={freshness} now={now} word="ago" />
                    </>
                  )}
                </p>
              </div>
              {signal.signal !== "NO_TRADE" && (
                <div className="w-72 max-w-full">
                  <SignalPriceList prices={priced} digits={slot.digits} />
                </div>
              )}
              <dl className="grid grid-cols-2 gap-x-8 gap-y-3 text-sm sm:grid-cols-4">
                {signal.signal !== "NO_TRADE" && (
                  <Fact label="Confidence" value={formatShare(signal.confidence, 1)} />
                )}
                <Fact label="Reward/risk" value={formatNumber(signal.expectedRr, 2)} />
                <Fact label="Regime" value={formatRegime(signal.regime)} />
                <Fact
                  label="State"
                  value={
                    slot.pause ? (
                      "Paused"
                    ) : !freshness.marketOpen ? (
                      "Market closed"
                    ) : freshness.stale || !slot.validUntil ? (
                      "Stale"
                    ) : (
                      <RemainingValidity until={slot.validUntil} />
                    )
                  }
                />
              </dl>
              <div className="w-72 max-w-full">
                <ProbabilityBar buy={signal.probBuy} no={signal.probNo} sell={signal.probSell} />
              </div>
            </div>
          ) : (
            <EmptyState icon={ChartCandlestick} title="No signal yet">
              The first one appears when the next {slot.timeframe} candle closes and a model forecasts it.
            </EmptyState>
          )}
        </Card>
        {range && (
          <ExpectedRangeCard
            slot={slot}
            range={range}
            coverage={coverage}
            days={DEFAULT_QUALITY_DAYS}
            digits={slot.digits}
          />
        )}
        <Card
          title="Candles and signals"
          actions={
            <>
              {signal && <Badge>{signal.modelV}</Badge>}
              {champion && (
                <a href={paths.recordSlot(slot.symbol, slot.timeframe)} className="text-sm link">
                  Record of this slot
                </a>
              )}
            </>
          }
        >
          {candles.length === 0 ? (
            <EmptyState title="No candles yet">The chart begins with the first closed candle.</EmptyState>
          ) : (
            <CandleChart
              symbol={slot.symbol}
              timeframe={slot.timeframe}
              timeframeMinutes={timeframeMinutes(slot.timeframe)}
              candles={candles}
              signals={signals.map((row) => ({ at: row.ts, direction: row.signal }))}
              levels={canAct && priced ? signalPriceLevels(priced) : []}
              fills={fills}
              digits={slot.digits}
              clock={clock}
              table={tableOf("candles")}
            />
          )}
        </Card>
        {signals.length > 0 && (
          <Card title="Recent signals">
            <SignalTape
              slot={name}
              signals={signals
                .map((row) => ({ at: row.ts, direction: row.signal, confidence: row.confidence }))
                .reverse()}
              clock={clock}
              notes={`the newest ${signals.length}, ${clockOffsetLabel(clock, now)}`}
              table={tableOf("signals")}
            />
          </Card>
        )}
        <Card
          title="History"
          lead={signals.length > 0 && `The newest ${Math.min(LISTED, signals.length)} signals.`}
          actions={
            <div className="flex flex-wrap gap-x-4">
              <a
                href={paths.portalTesterFile(slot.symbol, slot.timeframe)}
                className="inline-flex h-8 items-center text-sm link"
                download
              >
                File for the Strategy Tester
              </a>
              <a
                href={paths.portalSignalHistory({
                  symbol: slot.symbol,
                  timeframe: slot.timeframe,
                  days: 90,
                  no_trade: "true",
                })}
                className="inline-flex h-8 items-center text-sm link"
              >
                All signals
              </a>
            </div>
          }
          flush
        >
          <PastSignalTable
            caption={`Signals of ${name}, newest first`}
            rows={signals.slice(0, LISTED)}
            clock={clock}
            now={now}
            withSlot={false}
            empty={<EmptyState title="No signal yet">New signals are listed here.</EmptyState>}
          />
        </Card>
      </div>
    </>
  );
}

function BackToSignals() {
  return (
    <a href={paths.portalSignals()} className="inline-flex min-h-6 items-center gap-1 hover:text-ink">
      <ArrowLeft aria-hidden="true" className="size-3.5" /> Signals
    </a>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-muted">
        <WithTerms text={label} />
      </dt>
      <dd className="mt-0.5 font-medium tabular-nums">{value}</dd>
    </div>
  );
}
