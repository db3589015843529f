import { ArrowRight, ChartCandlestick } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CalendarHeatmap } from "@/app/_components/chart/calendar-heatmap";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { PageHeader } from "@/app/_components/page-header";
import { planOrder } from "@/app/_components/plan-order";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDayOn, formatMonth, formatTimeLeft } from "@/app/_components/times";
import { db } from "@/db/client";
import { countFilteredExecutions, groupExecutionsByEach } from "@/db/queries/execution-figures";
import { listExecutionFilterValues, listFilteredExecutions } from "@/db/queries/executions";
import { findAccessInvoice } from "@/db/queries/payments";
import { listSymbols } from "@/db/queries/slots";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import { findChat } from "@/db/queries/telegram-chats";
import { describeHiddenSlots, describeScope } from "@/lib/access/describe-scope";
import { findPaidUntil } from "@/lib/access/keys/paid-time-of-keys";
import { plansHeld } from "@/lib/access/plans";
import { isDemoAccess } from "@/lib/auth/demo-access";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { figuresCurrency } from "@/lib/executions/figures-currency";
import { type PositionValue, valuePositions } from "@/lib/executions/value-positions";
import { readHealth } from "@/lib/health/read-health";
import { clockOf, clockOffsetLabel, type WallClock, wallTime } from "@/lib/market/clock";
import { readExpiryReminderDays } from "@/lib/outbound/mail/expiry-reminder-days";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { paths } from "@/lib/paths";
import { usesEa } from "@/lib/runtime/plan-features";
import { countDirectionsOfLast24Hours } from "@/lib/signals/count-directions-of-last-24-hours";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { cachedSignalPrices } from "@/lib/signals/signal-prices";
import { signalVisibilityOf } from "@/lib/signals/visible-closes";
import { daysRemaining, readLastSeenAt } from "@/lib/subscribers/account";
import { readDayOfCalls } from "@/lib/subscribers/day-of-calls";
import { listDiagnostics } from "@/lib/subscribers/diagnose-ea";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { readUnreadSummary } from "@/lib/subscribers/unread-summary";
import { addDays, DAY_MS } from "@/lib/time";
import { isPlaceholderName } from "@/lib/vocabulary";
import { AccessEnd, accessUntil, DemoAccessEnd } from "./_components/access-end";
import { ClockSwitch } from "./_components/clock-switch";
import { Diagnostics } from "./_components/diagnostics";
import { EaAdvice } from "./_components/ea-advice";
import { type EmptyCard, EmptyCards } from "./_components/empty-cards";
import {
  EaStatusPanel,
  HeroCard,
  type PositionResultSum,
  TelegramStatusPanel,
} from "./_components/hero-card";
import { HiddenSlots } from "./_components/hidden-slots";
import { RefreshWhenNews } from "./_components/live";
import { OpenPositions } from "./_components/open-positions";
import { OwnPauseNotice } from "./_components/own-pauses";
import { StrongestSignals } from "./_components/strongest-signals";
import { TryOutOverview } from "./_components/try-out";
import { UnreadSummaryCard } from "./_components/unread-summary";

const SHOWN_POSITIONS = 6;
/** Maximum number of positions whose results are summed, of the open ones and of those closed today each. */
const MAX_SUMMED_POSITIONS = 100;

export const metadata = { title: "Overview" };

/** The overview: state and result now, then signals, then recent events. */
export default async function OverviewPage() {
  const subscriber = await requireSubscriber({ tryOut: true });
  const { subscriptionId, expiresAt } = subscriber;
  const now = new Date();
  if (subscriber.delayCandles !== null) return <TryOutOverview subscriber={subscriber} now={now} />;
  const seen = signalVisibilityOf(subscriber.scope, now);
  const clock = clockOf(subscriber.preferences);
  const wall = wallTime(clock, now).toISOString();
  const [date, month] = [wall.slice(0, 10), wall.slice(0, 7)];
  const own = { subscriptionId };
  // Read from one day before the month in UTC, because the month may begin earlier on the subscriber's clock. Days of
  // the former month are filtered out below.
  const lately = { ...own, closedFrom: new Date(Date.parse(`${month}-01T00:00:00Z`) - DAY_MS) };
  const closedToday = { ...own, closedFrom: addDays(now, -2), closedOn: { day: date, clock } };
  const newestFirst = { sort: "opened_at", descending: true } as const;
  const [
    views,
    signals24h,
    seenAt,
    invoice,
    filterValues,
    allResults,
    diagnostics,
    unread,
    calls,
    open,
    ofToday,
    ownPauses,
    paidUntil,
  ] = await Promise.all([
    listSlotViews(subscriber.scope, subscriber.versions.signals, now),
    countDirectionsOfLast24Hours(subscriber.scope),
    readLastSeenAt(subscriptionId),
    findAccessInvoice(db("heavy"), subscriptionId),
    listExecutionFilterValues(db("heavy"), subscriptionId),
    groupExecutionsByEach(db("heavy"), lately, ["day", "month"], clock),
    listDiagnostics(subscriber, now),
    readUnreadSummary(db("heavy"), subscriber, now),
    readDayOfCalls(db(), subscriptionId, now),
    listFilteredExecutions(db("heavy"), { ...own, state: "open" }, newestFirst, {
      limit: MAX_SUMMED_POSITIONS,
    }),
    // Ordered by closing time to match the database index, so that a long history does not slow the query down.
    listFilteredExecutions(
      db("heavy"),
      closedToday,
      { sort: "closed_at", descending: true },
      { limit: MAX_SUMMED_POSITIONS },
    ),
    listSubscriberPauses(db(), subscriptionId),
    findPaidUntil(db(), subscriber.keyId, now),
  ]);
  const { only, unit } = figuresCurrency(filterValues.currencies, undefined);
  const results =
    only === undefined
      ? allResults
      : await groupExecutionsByEach(db("heavy"), { ...lately, currency: only }, ["day", "month"], clock);
  const nSignals24h = signals24h.BUY + signals24h.SELL + signals24h.NO_TRADE;
  const name = subscriber.preferences.displayName ?? subscriber.userName;
  const hasEa = usesEa(subscriber, seenAt);
  // Open positions are counted separately only if they may not all fit into the list. Price digits are read only if
  // there are any.
  const isMore = open.length === MAX_SUMMED_POSITIONS;
  const [values, noticeDays, chat, health, nOpen, symbols] = await Promise.all([
    valuePositions(db("heavy"), { subscriptionId, seen }, [...open, ...ofToday], cachedSignalPrices),
    readExpiryReminderDays(db()),
    hasEa ? null : findChat(db(), subscriptionId),
    views.slots.some((slot) => slot.signal) ? null : readHealth(),
    isMore ? countFilteredExecutions(db("heavy"), { ...own, state: "open" }).then(({ n }) => n) : open.length,
    open.length > 0 ? listSymbols(db()) : [],
  ]);
  const ea = eaStateAt(seenAt, now);
  const thisMonth = (results.day ?? []).filter((day) => day.key.startsWith(month));
  const monthSum = results.month?.find((group) => group.key === month);
  const nToday = allResults.day?.find((day) => day.key === date)?.n ?? ofToday.length;
  const digits = new Map(symbols.map((symbol) => [symbol.symbol, symbol.digits]));
  const daysLeft = daysRemaining(expiresAt, now);
  const isDemo = isDemoAccess(subscriber);
  const hidden = describeHiddenSlots(subscriber.scope, subscriber, views.nHidden);
  const prices = open.flatMap(({ executionId }) => values.get(executionId)?.market ?? []);
  const pricesAt =
    prices.length === 0 ? null : prices.reduce((a, b) => (a.closedAt < b.closedAt ? a : b)).closedAt;
  const hasNews = unread.nResolved + unread.nClosed + unread.champions.length + unread.nIncidents > 0;
  const emptyCards: EmptyCard[] = [
    ...(open.length > 0 || !hasEa
      ? []
      : [{ what: "Open positions", text: "None. A position appears here as soon as your EA reports it." }]),
    ...(hasNews ? [] : [{ what: "Unread events", text: "None." }]),
    ...(monthSum || !hasEa
      ? []
      : [
          {
            what: formatMonth(wallTime(clock, now)),
            text: "No closed positions. Days with closed positions are coloured here.",
            step: seenAt === null ? { href: paths.portalSetup(), label: "Connect your EA" } : undefined,
          },
        ]),
  ];

  return (
    <>
      <PageHeader
        title="Overview"
        lead={isPlaceholderName(name) ? "Good to see you." : `Good to see you, ${name}.`}
        actions={<ClockSwitch clock={clock} back={paths.portal()} now={now} />}
      />
      <RefreshWhenNews {...subscriber.versions} ea={ea.status} />
      <div className="space-y-6">
        {isDemo ? (
          <DemoAccessEnd expiresAt={expiresAt} now={now} />
        ) : (
          <AccessEnd
            subscriptionId={subscriptionId}
            expiresAt={expiresAt}
            paidUntil={paidUntil}
            daysLeft={daysLeft}
            noticeDays={Math.max(...noticeDays)}
            usesEa={hasEa}
            clock={clock}
            now={now}
          />
        )}
        <HeroCard
          source={
            hasEa ? (
              <EaStatusPanel status={ea.status} seenAt={seenAt} calls={calls} clock={clock} />
            ) : (
              <TelegramStatusPanel chat={chat} isOffered={hasTelegramBot()} />
            )
          }
          results={
            hasEa
              ? {
                  today: { ...summed(ofToday, values), n: nToday },
                  open: { ...summed(open, values), nAll: nOpen },
                  pricesAt,
                }
              : null
          }
          clock={clock}
          now={now}
        />
        <OwnPauseNotice pauses={ownPauses} clock={clock} />
        {hasEa && <EaAdvice status={ea.status} seenAt={seenAt} clock={clock} />}
        <Diagnostics diagnostics={diagnostics} />
        <div className="grid items-start gap-6 lg:grid-cols-5">
          <Card
            title="Signals now"
            lead="Actionable signals first."
            className={open.length > 0 ? "lg:col-span-3" : "lg:col-span-5"}
            flush
            actions={
              <a href={paths.portalSignals()} className="inline-flex h-8 items-center gap-1 text-sm link">
                All slots <ArrowRight aria-hidden="true" className="size-3.5" />
              </a>
            }
            footer={hidden && <HiddenSlots words={hidden} />}
          >
            {views.slots.some((slot) => slot.signal) ? (
              <StrongestSignals slots={views.slots} now={now} />
            ) : (
              <NoSignals hasSlots={views.slots.length > 0} isWell={health?.status === "ok"} />
            )}
          </Card>
          {open.length > 0 && (
            <Card
              title="Open positions"
              className="lg:col-span-2"
              flush
              actions={
                nOpen > SHOWN_POSITIONS && (
                  <a
                    href={paths.portalExecutionList({ state: "open" })}
                    className="inline-flex h-8 items-center gap-1 text-sm link"
                  >
                    All {formatNumber(nOpen)} <ArrowRight aria-hidden="true" className="size-3.5" />
                  </a>
                )
              }
            >
              <OpenPositions rows={open.slice(0, SHOWN_POSITIONS)} values={values} digits={digits} />
            </Card>
          )}
        </div>
        <StatRow label="At a glance" columns={hasEa ? 4 : 3}>
          {hasEa && (
            <Stat
              label={`Closed in ${formatMonth(wallTime(clock, now))}`}
              value={monthSum ? <MoneyText value={Number(monthSum.totalPnl)} /> : "–"}
              {...(monthSum && unit !== null && { unit })}
              n={monthSum?.n ?? 0}
              note={only === undefined ? "as your EA reported" : `of the positions in ${only}`}
            />
          )}
          <Stat
            label="Signals, last 24 h"
            value={formatNumber(nSignals24h)}
            note={
              nSignals24h === 0
                ? undefined
                : `${countWithNoun(signals24h.BUY, "BUY", "BUY")}, ${countWithNoun(signals24h.SELL, "SELL", "SELL")}, the rest NO TRADE`
            }
          />
          <Stat
            label="Access"
            value={expiresAt === null ? "No end date" : formatTimeLeft(expiresAt, now)}
            unit={expiresAt === null ? undefined : "left"}
            note={
              isDemo
                ? "a demo key"
                : [
                    planOrder(subscriber.stretches, now, (at) => formatDayOn(clock, at)),
                    accessReason({ expiresAt, paidUntil }, invoice, clock),
                  ]
                    .filter(Boolean)
                    .join("; ")
            }
          />
          <Stat
            label="Plan"
            value={plansHeld(subscriber)
              .map(({ title }) => title)
              .join(" and ")}
            note={`${describeScope(subscriber.scope)}, ${countWithNoun(subscriber.rateLimitPerMin, "request")} a minute`}
          />
        </StatRow>
        <div className={hasNews && monthSum ? "grid items-start gap-6 lg:grid-cols-2" : "space-y-6"}>
          {monthSum && (
            <Card
              title="This month"
              lead={`Closed P/L by day${only === undefined ? "" : `, positions in ${only}`}, ${clockOffsetLabel(clock, now)}.`}
            >
              <CalendarHeatmap
                month={new Date(`${month}-01T00:00:00Z`)}
                days={thisMonth.map((day) => ({
                  day: Number(day.key.slice(8)),
                  value: Number(day.totalPnl),
                  n: day.n,
                }))}
                unit="P/L"
              />
            </Card>
          )}
          {hasNews && <UnreadSummaryCard unread={unread} hasEa={hasEa} clock={clock} now={now} />}
        </div>
        <EmptyCards lines={emptyCards} />
      </div>
    </>
  );
}

/**
 * Sums the results of positions in R and in money, each over the positions for which it is known. Amounts in different
 * currencies are not added.
 */
function summed(
  positions: readonly { executionId: number; currency: string | null }[],
  values: ReadonlyMap<number, PositionValue>,
): PositionResultSum {
  const currencies = [...new Set(positions.flatMap(({ currency }) => currency ?? []))].sort();
  const sum: PositionResultSum = {
    n: positions.length,
    r: 0,
    nWithR: 0,
    money: 0,
    nWithMoney: 0,
    currencies,
  };
  for (const { executionId } of positions) {
    const value = values.get(executionId);
    if (value?.r != null) {
      sum.nWithR++;
      sum.r += value.r;
    }
    if (value?.money != null && currencies.length < 2) {
      sum.nWithMoney++;
      sum.money += value.money;
    }
  }
  return sum;
}

/** Why there is no signal: no model, a disruption, or no closed candle yet. */
function NoSignals({ hasSlots, isWell }: { hasSlots: boolean; isWell: boolean }) {
  if (hasSlots && isWell)
    return (
      <EmptyState icon={ChartCandlestick} title="No signals yet">
        The first ones appear when the next candle closes.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ChartCandlestick}
      title={hasSlots ? "No signals at present" : "No signals are produced yet"}
      actions={<LinkButton href={paths.status()}>Service status</LinkButton>}
    >
      {hasSlots
        ? "Something is wrong on our side. The status page says what."
        : "No model forecasts a slot of your plan. The status page says when one does."}
    </EmptyState>
  );
}

function accessReason(
  { expiresAt, paidUntil }: { expiresAt: Date | null; paidUntil: Date | null },
  invoice: { invoiceId: string; expiresAt: Date | null } | null,
  clock: WallClock,
): string | undefined {
  if (expiresAt === null) return undefined;
  const until = accessUntil({ paidUntil, expiresAt }, clock);
  const isPaid = invoice?.expiresAt?.getTime() === expiresAt.getTime();
  return isPaid ? `${until} (invoice ${invoice?.invoiceId})` : until;
}
