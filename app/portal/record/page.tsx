import { Filter } from "lucide-react";
import { z } from "zod";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber, formatSigned } from "@/app/_components/figures";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatInstantOn, formatMonth } from "@/app/_components/times";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { db } from "@/db/client";
import { findLedgerHead } from "@/db/queries/ledger";
import { findRecordLinkCreatedAt } from "@/db/queries/record-links";
import { consumeFlash } from "@/lib/auth/flash";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { microRToR } from "@/lib/executions/own-record/decompose";
import { MIN_IN_BIN } from "@/lib/executions/own-record/own-calibration";
import { RECORD_DAYS, readOwnRecord } from "@/lib/executions/own-record/read-own-record";
import { clockOf, clockOffsetLabel } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { MIN_RESULTS_FOR_RATES } from "@/lib/wire/contracts/record";
import type { SearchParams } from "@/lib/wire/query-filter";
import { DecompositionCard } from "./_components/decomposition-card";
import { EntryComparisonTable } from "./_components/entry-comparison-table";
import { FunnelTable, formatDurationMs, formatStepRate } from "./_components/funnel-table";
import { LedgerHeadCard } from "./_components/ledger-head-card";
import { NewestSignalsTable } from "./_components/newest-signals-table";
import { NotTradedReasonTable } from "./_components/not-traded-reason-table";
import { OwnCalibration } from "./_components/own-calibration";
import { ShareCard } from "./_components/share-card";

export const metadata = { title: "My record" };

const YOURS = {
  title: "Why your result differs from the model's",
  own: "You",
  short: "you",
  spared: "you avoided",
};

const Period = z.object({ days: z.enum(RECORD_DAYS).catch("30") });
const PERIODS = RECORD_DAYS.map((days) => ({ value: days, label: `${days} days` }));

/** What the subscriber's trading client did with each signal, and why the subscriber's result differs from the model's. */
export default async function RecordPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber();
  const { days } = Period.parse(await searchParams);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const { subscriptionId, subscribedAt, scope } = subscriber;
  const wanted = { subscriptionId, subscribedAt, scope, days: Number(days), clock };
  const isPublic = await isRecordPublic();
  const [record, flash, linkedAt, head] = await Promise.all([
    // Not read from the replica, which may lack an execution that was just reported.
    readOwnRecord(db("heavy"), wanted, now),
    consumeFlash(db(), subscriber.flashSession),
    findRecordLinkCreatedAt(db(), subscriptionId),
    isPublic ? findLedgerHead(db(), now) : null,
  ]);
  const { funnel, decomposition } = record;
  const onClock = clockOffsetLabel(clock, now);
  const header = (
    <>
      <PageHeader
        title="My record"
        lead="Which signals your EA fetched and followed since you subscribed, and why your result differs from the model's. Signals that were created too late to be committed in time count here, but not in the record that you share."
        actions={<ClockSwitch clock={clock} back={paths.portalRecord({ days })} now={now} />}
      />
      <FlashNotice flash={flash} />
      <div className="mb-6">
        <FilterBar action={paths.portalRecord()} label="Period">
          <Select label="Period" name="days" defaultValue={days} options={PERIODS} />
        </FilterBar>
      </div>
    </>
  );

  const witness = head !== null && <LedgerHeadCard head={head} baseUrl={env().baseUrl} />;
  if (funnel.nMade === 0) {
    return (
      <>
        {header}
        <div className="space-y-6">
          <Card flush>
            <EmptyState
              icon={Filter}
              title="No BUY or SELL yet"
              actions={<LinkButton href={paths.portalSignals()}>Signals now</LinkButton>}
            >
              Your record begins with your key. Your plan has had no BUY or SELL in this period since then.
            </EmptyState>
          </Card>
          {witness}
        </div>
      </>
    );
  }
  return (
    <>
      {header}
      <div className="space-y-6">
        {record.isCut && (
          <Notice tone="info" title={`Counted from ${formatInstantOn(clock, record.from)}`}>
            This period has more signals than one page can show. Choose a shorter period for complete figures.
          </Notice>
        )}
        {record.fetchesSince && (
          <Notice
            tone="info"
            title={`Fetches have been recorded since ${formatInstantOn(clock, record.fetchesSince)}`}
          >
            We do not know whether your EA fetched older signals. They do not count as missed.
          </Notice>
        )}
        <StatRow label="From signal to close">
          <Stat
            label="Made"
            value={formatNumber(funnel.nMade)}
            note={after(funnel.madeMs, "after the candle")}
            hint="BUY and SELL signals of your plan in this period, since you subscribed. Times are medians of signals that were made live."
          />
          <Stat
            label="Fetched"
            {...formatStepRate(funnel.nFetched, funnel.nFetchKnown)}
            note={after(funnel.fetchMs, "after that")}
            hint="Sent to your key by scan, stream or slot history while the signal was valid. Views in this portal do not count. Signals made more than a candle late are left out, because no client could fetch them in time."
          />
          <Stat
            label="Followed"
            {...formatStepRate(funnel.nFollowed, funnel.nMade)}
            note={after(funnel.followMs, `after the fetch, n = ${formatNumber(funnel.nFollowTimes)}`)}
            hint="A position that names the signal, or was opened in its slot and direction while it was valid."
          />
          <Stat
            label="Closed"
            {...formatStepRate(funnel.nClosed, funnel.nFollowed)}
            note={after(funnel.closeMs, "held")}
          />
        </StatRow>
        <DecompositionCard decomposition={decomposition} nOthers={record.nOthers} words={YOURS} />
        {decomposition.whyNot.some(({ reason }) => reason !== null) && (
          <Card
            title="Why signals were not traded"
            lead={`${countWithNoun(decomposition.parts.notFollowed.n, "resolved signal")} not followed: ${formatSigned(microRToR(decomposition.parts.notFollowed.microR))} R.`}
            flush
            footer="As your EA reported. The rows add up to the step “Not followed” above."
          >
            <NotTradedReasonTable rows={decomposition.whyNot} />
          </Card>
        )}
        <Card title="By slot" lead="Times are medians, each from the step before." flush>
          <FunnelTable slots={record.slots} />
        </Card>
        {record.bySymbol.length > 0 && (
          <>
            <Card
              title="Delay and slippage, by symbol"
              lead="Sums in R and means in price, over followed signals with a result. Below zero is worse than the signal's own entry."
              flush
              footer="Delay: the median time from the close of the signal's candle to your opening. Late: how far the market had moved by the last candle that closed before you opened. Slippage: the rest of the difference, less the cost that the model's result already includes. Sum: late and slippage in money, where your reports show what a price move was worth."
            >
              <EntryComparisonTable
                caption="Entries by symbol"
                header="Symbol"
                rows={record.bySymbol}
                digits={record.digits}
              />
            </Card>
            <div className="space-y-6">
              <Card title="By hour of the opening" lead={onClock} flush>
                <EntryComparisonTable caption="Entries by hour" header="Hour" rows={record.byHour} />
              </Card>
              <Card title="By month" lead={onClock} flush>
                <EntryComparisonTable
                  caption="Entries by month"
                  header="Month"
                  rows={record.byMonth.map((row) => ({
                    ...row,
                    key: formatMonth(new Date(`${row.key}-01T00:00:00Z`)),
                  }))}
                />
              </Card>
            </div>
          </>
        )}
        <Card
          title="Confidence of the signals you followed"
          lead="Signals with a position, by their confidence. A signal came true when the price reached the level in its direction first."
          flush
          footer={`No rate with fewer than ${MIN_IN_BIN} signals in a band: fewer than the ${MIN_RESULTS_FOR_RATES} of the public record, because your own signals are few. Wilson intervals at 95 %, for signals that do not overlap in time.`}
        >
          <OwnCalibration bins={record.calibration} />
        </Card>
        {isPublic && (
          <ShareCard
            token={flash?.kind === "record-link" ? flash.token : null}
            linkedAt={linkedAt}
            baseUrl={env().baseUrl}
            clock={clock}
          />
        )}
        <Card
          title="Signal by signal"
          lead={`The newest ${formatNumber(record.newest.length)} of ${formatNumber(funnel.nMade)} since ${formatInstantOn(clock, record.from)}. Below the signal: when its candle opened. Below its prices and result: yours.`}
          flush
        >
          <NewestSignalsTable journeys={record.newest} digits={record.digits} clock={clock} now={now} />
        </Card>
        {witness}
      </div>
    </>
  );
}

/** A median duration as a note below a figure, such as `12 s after the candle`. */
const after = (ms: number | null, words: string) =>
  ms === null ? undefined : `${formatDurationMs(ms)} ${words}`;
