import { ArrowRight, CalendarDays, ChartCandlestick, ListChecks } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CalendarHeatmap } from "@/app/_components/chart/calendar-heatmap";
import { EmptyState } from "@/app/_components/empty-state";
import { counted, formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { MoneyText } from "@/app/_components/money-text";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDayOn, formatMonth } from "@/app/_components/times";
import { db } from "@/db/client";
import { groupExecutionsBy, sumFilteredExecutions } from "@/db/queries/execution-figures";
import { listFilteredExecutions } from "@/db/queries/executions";
import { findAccessInvoice } from "@/db/queries/payments";
import { countSignalsByDirection } from "@/db/queries/signal-history";
import { listSymbols } from "@/db/queries/slots";
import { hiddenWords, scopeWords } from "@/lib/access/scope-words";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { type Clock, clockName, clockOf, wallTime } from "@/lib/market/clock";
import { readNoticeDays } from "@/lib/outbound/mail/notice-days";
import { paths } from "@/lib/paths";
import { planNames } from "@/lib/runtime/plan-features";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { daysRemaining, lastSeen } from "@/lib/subscribers/account";
import { readDayOfCalls } from "@/lib/subscribers/day-of-calls";
import { listFindings } from "@/lib/subscribers/diagnose-ea";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { readSinceLooked } from "@/lib/subscribers/since-looked";
import { addDays, DAY_MS } from "@/lib/time";
import { AccessEnd } from "./_components/access-end";
import { ClockSwitch } from "./_components/clock-switch";
import { DayStrip } from "./_components/day-strip";
import { EaAdvice } from "./_components/ea-advice";
import { EaPill, LastCall } from "./_components/ea-state";
import { Findings } from "./_components/findings";
import { RefreshWhenNews } from "./_components/live-provider";
import { OpenPositions } from "./_components/open-positions";
import { SinceLookedCard } from "./_components/since-looked";
import { StrongestSignals } from "./_components/strongest-signals";

const SHOWN_POSITIONS = 6;

export const metadata = { title: "Overview" };

/** What matters today: access, trading client, signals, and this month's result. */
export default async function OverviewPage() {
  const subscriber = await requireSubscriber();
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const month = wallTime(clock, now).toISOString().slice(0, 7);
  const own = { subscriptionId: subscriber.subscriptionId };
  // One day more covers the month on every clock; the month is then chosen by its name.
  const lately = { ...own, closedFrom: new Date(Date.parse(`${month}-01T00:00:00Z`) - DAY_MS) };
  const [views, today, seenAt, invoice, results, sums, findings, looked, calls, open, symbols, noticeDays] =
    await Promise.all([
      listSlotViews(subscriber.scope, subscriber.versions.signals, now),
      countSignalsByDirection(db("heavy"), {
        symbolsInScope: subscriber.scope.symbols,
        timeframesInScope: subscriber.scope.timeframes,
        since: addDays(now, -1),
      }),
      lastSeen(subscriber.subscriptionId),
      findAccessInvoice(db("heavy"), subscriber.subscriptionId),
      groupExecutionsBy(db("heavy"), lately, ["day", "month"], clock),
      sumFilteredExecutions(db("heavy"), { ...own, state: "open" }),
      listFindings(subscriber, now),
      readSinceLooked(db("heavy"), subscriber, now),
      readDayOfCalls(db(), subscriber.subscriptionId, now),
      listFilteredExecutions(
        db("heavy"),
        { ...own, state: "open" },
        { sort: "opened_at", descending: true },
        { limit: SHOWN_POSITIONS },
      ),
      listSymbols(db()),
      readNoticeDays(db()),
    ]);
  const ea = eaStateAt(seenAt, now);
  const thisMonth = (results.day ?? []).filter((day) => day.key.startsWith(month));
  const result = results.month?.find((group) => group.key === month);
  const nMonth = result?.n ?? 0;
  const date = wallTime(clock, now).toISOString().slice(0, 10);
  const closedToday = results.day?.find((day) => day.key === date);
  const digits = new Map(symbols.map((symbol) => [symbol.symbol, symbol.digits]));
  const daysLeft = daysRemaining(subscriber.expiresAt, now);
  const hidden = hiddenWords(subscriber.scope, subscriber, views.nHidden);

  return (
    <>
      <PageHeader
        title="Overview"
        lead={`Good to see you, ${subscriber.preferences.displayName ?? subscriber.userName}.`}
        actions={<ClockSwitch clock={clock} back={paths.portal()} now={now} />}
      />
      <RefreshWhenNews {...subscriber.versions} ea={ea.status} />
      <div className="space-y-6">
        <AccessEnd
          subscriptionId={subscriber.subscriptionId}
          expiresAt={subscriber.expiresAt}
          daysLeft={daysLeft}
          noticeDays={Math.max(...noticeDays)}
          clock={clock}
        />
        <EaAdvice status={ea.status} seenAt={seenAt} clock={clock} />
        <Findings findings={findings} />
        <Card
          title="Your EA"
          actions={
            <span className="inline-flex flex-wrap items-center gap-3 text-sm text-muted">
              <LastCall /> <EaPill />
            </span>
          }
        >
          <DayStrip day={calls} clock={clock} />
        </Card>
        <StatRow label="At a glance">
          <Stat
            label="Closed today"
            value={closedToday ? <MoneyText value={Number(closedToday.totalPnl)} /> : "–"}
            n={closedToday?.n ?? 0}
            note={`the day of ${clockName(clock, now)}`}
          />
          <Stat
            label="Access"
            value={daysLeft === null ? "Unlimited" : counted(daysLeft, "day")}
            unit={daysLeft === null ? undefined : "left"}
            note={accessReason(subscriber.expiresAt, invoice, clock)}
          />
          <Stat
            label="Signals, last 24 h"
            value={formatNumber(today.BUY + today.SELL + today.NO_TRADE)}
            note={`${counted(today.BUY, "BUY", "BUY")}, ${counted(today.SELL, "SELL", "SELL")}, the rest NO TRADE`}
          />
          <Stat
            label={`Closed in ${formatMonth(wallTime(clock, now))}`}
            value={result ? <MoneyText value={Number(result.totalPnl)} /> : "–"}
            n={nMonth}
            note={sums.nOpen > 0 ? `${sums.nOpen} open now` : "as your EA reported"}
          />
        </StatRow>
        <div className="grid gap-6 lg:grid-cols-5">
          <Card
            title="Signals now"
            lead="The ones you can act on come first."
            className="lg:col-span-3"
            flush
            actions={
              <Link href={paths.portalSignals()} className="inline-flex h-8 items-center gap-1 text-sm link">
                All slots <ArrowRight aria-hidden="true" className="size-3.5" />
              </Link>
            }
            footer={hidden ?? undefined}
          >
            {views.slots.some((slot) => slot.signal) ? (
              <StrongestSignals slots={views.slots} now={now} />
            ) : (
              <EmptyState icon={ChartCandlestick} title="No signal yet">
                The first ones appear when the next candle closes.
              </EmptyState>
            )}
          </Card>
          <Card
            title="Open positions"
            className="lg:col-span-2"
            flush
            actions={
              sums.nOpen > SHOWN_POSITIONS && (
                <Link
                  href={paths.portalExecutionList({ state: "open" })}
                  className="inline-flex h-8 items-center gap-1 text-sm link"
                >
                  All {formatNumber(sums.nOpen)} <ArrowRight aria-hidden="true" className="size-3.5" />
                </Link>
              )
            }
          >
            {open.length > 0 ? (
              <OpenPositions rows={open} digits={digits} />
            ) : (
              <EmptyState icon={ListChecks} title="No position is open">
                When your EA reports one, you see it here at once.
              </EmptyState>
            )}
          </Card>
        </div>
        <SinceLookedCard looked={looked} clock={clock} now={now} />
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title="This month" lead={`Closed P/L by day, ${clockName(clock, now)}.`}>
            {nMonth > 0 ? (
              <CalendarHeatmap
                month={new Date(`${month}-01T00:00:00Z`)}
                days={thisMonth.map((day) => ({
                  day: Number(day.key.slice(8)),
                  value: Number(day.totalPnl),
                  n: day.n,
                }))}
                unit="P/L"
              />
            ) : (
              <EmptyState
                icon={CalendarDays}
                title="Nothing closed this month"
                actions={
                  seenAt === null && <LinkButton href={paths.portalSetup()}>Connect your EA</LinkButton>
                }
              >
                When your EA reports a closed position, its day is coloured here.
              </EmptyState>
            )}
          </Card>
          <Card title="Your plan">
            <dl className="grid gap-4 text-sm">
              <div>
                <dt className="text-muted">Plan</dt>
                <dd className="mt-0.5 font-medium">{planNames(subscriber).join(" and ")}</dd>
              </div>
              <div>
                <dt className="text-muted">You see</dt>
                <dd className="mt-0.5 font-medium">{scopeWords(subscriber.scope)}</dd>
              </div>
              <div>
                <dt className="text-muted">Requests</dt>
                <dd className="mt-0.5 font-medium">
                  {counted(subscriber.rateLimitPerMin, "request")} in any minute
                </dd>
              </div>
            </dl>
          </Card>
        </div>
      </div>
    </>
  );
}

function accessReason(
  expiresAt: Date | null,
  invoice: { invoiceId: string; expiresAt: Date | null } | null,
  clock: Clock,
): string {
  if (expiresAt === null) return "until the operator ends it";
  const until = `until ${formatDayOn(clock, expiresAt)}`;
  const isPaid = invoice?.expiresAt?.getTime() === expiresAt.getTime();
  return isPaid ? `${until} because of invoice ${invoice?.invoiceId}` : `${until}, as set by the operator`;
}
