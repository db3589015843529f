import { Filter } from "lucide-react";
import { z } from "zod";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { counted, formatNumber, formatSigned } from "@/app/_components/figures";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatInstantOn, formatTimeOn } from "@/app/_components/times";
import { ClockSwitch } from "@/app/portal/_components/clock-switch";
import { RefreshWhenNews } from "@/app/portal/_components/live-provider";
import { readAtReplica } from "@/db/replica";
import { requireSubscriber } from "@/lib/auth/require-subscriber";
import { type Decomposition, PARTS, type PartName, toR } from "@/lib/executions/own-record/decompose";
import { LEAST_IN_BIN } from "@/lib/executions/own-record/own-calibration";
import { RECORD_DAYS, readOwnRecord } from "@/lib/executions/own-record/read-own-record";
import { clockName, clockOf } from "@/lib/market/clock";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import type { SearchParams } from "@/lib/wire/query-filter";
import { EntryTable } from "./_components/entry-table";
import { FunnelTable, rate, stepTime } from "./_components/funnel-table";
import { NewestTable } from "./_components/newest-table";
import { OwnCalibration } from "./_components/own-calibration";
import { type Step, Waterfall } from "./_components/waterfall";

export const metadata = { title: "My record" };

const Period = z.object({ days: z.enum(RECORD_DAYS).catch("30") });
const PERIODS = RECORD_DAYS.map((days) => ({ value: days, label: `${days} days` }));

/** What became of the signals that were made for the reader, and where their result went on its way. */
export default async function RecordPage({ searchParams }: { searchParams: SearchParams }) {
  const subscriber = await requireSubscriber();
  const { days } = Period.parse(await searchParams);
  const now = new Date();
  const clock = clockOf(subscriber.preferences);
  const { subscriptionId, subscribedAt, scope } = subscriber;
  const wanted = { subscriptionId, subscribedAt, scope, days: Number(days), clock };
  const record = await readAtReplica((database) => readOwnRecord(database, wanted, now));
  const { funnel, decomposition } = record;
  const simulated = env().marketFeed === "demo";
  const onClock = clockName(clock, now);
  const header = (
    <>
      <PageHeader
        title="My record"
        lead="What was signalled for you, what your EA fetched and followed of it, and where the model's result went on the way to yours."
        actions={<ClockSwitch clock={clock} back={paths.portalRecord({ days })} now={now} />}
      />
      <RefreshWhenNews executions={subscriber.versions.executions} />
      <div className="mb-6">
        <FilterBar action={paths.portalRecord()} label="Period">
          <Select label="Period" name="days" defaultValue={days} options={PERIODS} />
        </FilterBar>
      </div>
    </>
  );

  if (funnel.nMade === 0) {
    return (
      <>
        {header}
        <Card flush>
          <EmptyState
            icon={Filter}
            title="No BUY or SELL yet"
            actions={<LinkButton href={paths.portalSignals()}>Signals now</LinkButton>}
          >
            Your record begins with the first direction that is signalled in your plan. None was in this
            period.
          </EmptyState>
        </Card>
      </>
    );
  }
  return (
    <>
      {header}
      <div className="space-y-6">
        {record.isCut && (
          <Notice tone="info" title={`Counted from ${formatInstantOn(clock, record.from)}`}>
            There was more in this period than one page computes. Choose a shorter one.
          </Notice>
        )}
        {record.fetchesSince && (
          <Notice
            tone="info"
            title={`Fetches are recorded since ${formatInstantOn(clock, record.fetchesSince)}`}
          >
            Of signals that are older it is not known whether your EA fetched them.
          </Notice>
        )}
        <StatRow label="From signal to close">
          <Stat
            label="Made"
            value={formatNumber(funnel.nMade)}
            note={after(funnel.madeMs, "after the candle")}
            hint="BUY and SELL in your plan, from candles that closed in the period, since you are subscribed. Times are medians."
          />
          <Stat
            label="Fetched"
            {...rate(funnel.nFetched, funnel.nFetchKnown)}
            note={after(funnel.fetchMs, "after that")}
            hint="Answered to your key by scan, stream or slot history while the signal stood. Looking here in the portal does not count."
          />
          <Stat
            label="Followed"
            {...rate(funnel.nFollowed, funnel.nMade)}
            note={after(funnel.followMs, "after the fetch")}
            hint="A position that names the signal, or was opened in its slot and direction while it stood."
          />
          <Stat
            label="Closed"
            {...rate(funnel.nClosed, funnel.nFollowed)}
            note={after(funnel.closeMs, "held")}
          />
        </StatRow>
        <DecompositionCard decomposition={decomposition} simulated={simulated} nOthers={record.nOthers} />
        <Card title="By slot" lead="Times are medians of the step." flush>
          <FunnelTable slots={record.slots} />
        </Card>
        {record.bySymbol.length > 0 && (
          <>
            <Card
              title="Late and slipped, by symbol"
              lead="Sums in R and means in price over followed signals with a result; below zero is worse than the signal's own entry."
              flush
              footer="Late: what the market had moved when you opened, by the last candle closed. Slippage: the rest of the difference, less the cost that the model's result holds already. Money: what your report says a move of the price was worth, where it does."
            >
              <EntryTable
                caption="Entries by symbol"
                header="Symbol"
                rows={record.bySymbol}
                digits={record.digits}
              />
            </Card>
            <div className="space-y-6">
              <Card title="By hour of the opening" lead={onClock} flush>
                <EntryTable caption="Entries by hour" header="Hour" rows={record.byHour} />
              </Card>
              <Card title="By month" lead={onClock} flush>
                <EntryTable caption="Entries by month" header="Month" rows={record.byMonth} />
              </Card>
            </div>
          </>
        )}
        <Card
          title="What you followed, and what came true"
          lead="Signals with a position, by the confidence that they had; true when the direction's barrier was touched first."
          flush
          footer={`Below ${LEAST_IN_BIN} of a band there is no rate. Intervals are Wilson's at 95 %, as wide as signals that do not overlap in time.`}
        >
          <OwnCalibration bins={record.calibration} />
        </Card>
        <Card
          title="Signal by signal"
          lead={`The newest ${formatNumber(record.newest.length)} of ${formatNumber(funnel.nMade)} since ${formatTimeOn(clock, record.from)}, ${onClock}.`}
          flush
        >
          <NewestTable journeys={record.newest} digits={record.digits} clock={clock} now={now} />
        </Card>
      </div>
    </>
  );
}

/** The median of a step for the line under a figure. */
const after = (ms: number | null, words: string) => (ms === null ? undefined : `${stepTime(ms)} ${words}`);

const PART_WORDS: Record<PartName, { label: string; short: string }> = {
  notFetched: { label: "Not fetched", short: "unfetched" },
  notFollowed: { label: "Not followed", short: "unfollowed" },
  withoutResult: { label: "Open, or without prices", short: "open" },
  late: { label: "Late", short: "late" },
  slippage: { label: "Slippage", short: "slippage" },
  ownExits: { label: "Own exits", short: "exits" },
  again: { label: "Followed more than once", short: "again" },
};

function DecompositionCard({
  decomposition: { model, parts, own },
  simulated,
  nOthers,
}: {
  decomposition: Decomposition;
  simulated: boolean;
  nOthers: number;
}) {
  const steps: Step[] = [
    { label: "The model", short: "model", value: toR(model.microR), n: model.n, isLevel: true },
    ...PARTS.filter((name) => parts[name].n > 0).map((name) => ({
      ...PART_WORDS[name],
      value: toR(parts[name].microR),
      n: parts[name].n,
    })),
    { label: "You", short: "you", value: toR(own.microR), n: own.n, isLevel: true },
  ];
  const others =
    nOthers > 0
      ? ` ${counted(nOthers, "position")} of the period followed none of these signals and ${nOthers === 1 ? "is" : "are"} not in it.`
      : "";
  return (
    <Card
      title="From the model's result to yours"
      lead="In R, the distance of a signal's barrier, over signals whose whole horizon is over. The steps add up exactly."
      footer={`What was not fetched or not followed counts with what the model made of it: a step up is a loss that you were spared.${others}`}
    >
      {model.n === 0 ? (
        <p className="text-sm text-muted">
          No signal of the period has its whole horizon of 12 candles behind it yet.
        </p>
      ) : (
        <Waterfall
          summary={`The model made ${formatSigned(toR(model.microR))} R of ${counted(model.n, "signal")}; ${counted(own.n, "position")} of yours made ${formatSigned(toR(own.microR))} R.`}
          steps={steps}
          notes={`n = ${counted(model.n, "resolved signal")}, ${counted(own.n, "position")} with a result`}
          simulated={simulated}
        />
      )}
    </Card>
  );
}
