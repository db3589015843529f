import type { Metadata } from "next";
import { z } from "zod";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { SignalTape } from "@/app/_components/chart/signal-tape";
import { ConfidenceBar } from "@/app/_components/confidence-bar";
import { type Column, DataTable } from "@/app/_components/data-table";
import { DirectionMark } from "@/app/_components/direction-mark";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { TextInput } from "@/app/_components/form/text-input";
import { MoneyText } from "@/app/_components/money-text";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatDay, formatSpan } from "@/app/_components/times";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import { formState } from "@/app/admin/_components/flash-notice";
import { newestOlderLinks } from "@/app/admin/_components/list/newest-older";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { PauseCard } from "@/app/admin/(area)/signals/_components/pause-card";
import { db } from "@/db/client";
import { listOpenPauses, listPastPauses } from "@/db/queries/pauses";
import { listSignalsWithOutcomes, type SignalWithOutcome } from "@/db/queries/signal-history";
import { coversSlot } from "@/lib/access/pauses";
import { formatUtcMinute, UtcMinute } from "@/lib/admin/form-fields";
import { readSlotOverviews } from "@/lib/admin/read-slot-overviews";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { MINUTE_MS } from "@/lib/time";
import { instantTextFilter, optionalFilter, type SearchParams } from "@/lib/wire/query-filter";

export async function generateMetadata({
  params,
}: {
  params: Promise<{ symbol: string; tf: string }>;
}): Promise<Metadata> {
  const { symbol, tf } = await params;
  return { title: `${decodeURIComponent(symbol)} ${tf} · Signals` };
}

const PAGE_SIZE = 25;

const LISTED_PAUSES = 20;

const Filter = z.object({ before: instantTextFilter, until: optionalFilter(UtcMinute) });

/**
 * Only signals before this instant are listed: `before` of the link to older signals, or the end of the minute in the
 * form. null lists the newest signals.
 */
const endOf = ({ before, until }: z.infer<typeof Filter>): Date | null =>
  before !== undefined ? new Date(before) : until ? new Date(until.getTime() + MINUTE_MS) : null;

/** A slot: its freshness and its signals with their outcomes. */
export default async function Slot({
  params,
  searchParams,
}: {
  params: Promise<{ symbol: string; tf: string }>;
  searchParams: SearchParams;
}) {
  const wanted = await params;
  const symbol = decodeURIComponent(wanted.symbol);
  await requireAdminSession(adminPaths.slot(symbol, wanted.tf));
  const now = new Date();
  const slots = await readSlotOverviews(now);
  const slot = slots.find((each) => each.symbol === symbol && each.timeframe === wanted.tf);
  if (!slot) return <MissingPage />;
  const shown = Filter.parse(await searchParams);
  const before = endOf(shown);
  const [signals, pauses, past] = await Promise.all([
    listSignalsWithOutcomes(db(), {
      slotId: slot.slotId,
      before,
      limit: PAGE_SIZE,
    }),
    listOpenPauses(db()),
    listPastPauses(db(), { slot, limit: LISTED_PAUSES }),
  ]);
  const oldest = signals.at(-1);

  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.signals(), label: "Signals and slots" }}
        title={`${slot.symbol} ${slot.timeframe}`}
        lead={slot.modelV ? `Champion: ${slot.modelV}.` : "No model produces signals here yet."}
        actions={<LinkButton href={adminPaths.model(slot.symbol, slot.timeframe)}>Its models</LinkButton>}
      />
      <div className="space-y-6">
        <StatRow columns={4} label="Freshness">
          <Stat
            label="State"
            value={
              slot.active ? (
                <StatusPill state={slot.stale ? "stale" : "ok"} label={slot.stale ? "Stale" : "Fresh"} />
              ) : (
                <StatusPill state="unknown" label="No champion" />
              )
            }
            note={slot.marketOpen ? "market open" : "market closed"}
          />
          <Stat
            label="Newest signal"
            value={slot.ageMinutes === null ? "–" : formatSpan(slot.ageMinutes)}
            note={`open-market time; next due after ${formatSpan(slot.expectedMinutes)}`}
          />
          <CandleStat label="Its candle" ts={slot.lastSignalTs} now={now} />
          <CandleStat label="Newest candle" ts={slot.lastCandleTs} now={now} />
        </StatRow>
        {signals.length > 0 && (
          <Card title="Signals of this page">
            <SignalTape
              slot={`${slot.symbol} ${slot.timeframe}`}
              signals={signals
                .toReversed()
                .map(({ ts, signal, confidence }) => ({ at: ts, direction: signal, confidence }))}
            />
          </Card>
        )}
        <FilterBar action={adminPaths.slot(slot.symbol, slot.timeframe)} label="Signals until a time">
          <TextInput
            label="Signals until, UTC"
            name="until"
            type="datetime-local"
            defaultValue={formatUtcMinute(shown.until ?? null)}
          />
        </FilterBar>
        <Card title="History with outcomes" flush>
          <DataTable
            caption={`Signals of ${slot.symbol} ${slot.timeframe} with their outcomes, newest first`}
            columns={COLUMNS}
            twoLines
            rows={signals}
            rowKey={(row) => row.signalId}
            empty={
              before === null ? (
                <EmptyState title="No signal yet">
                  The first one follows the next closed candle, or comes from your own model.
                </EmptyState>
              ) : (
                <EmptyState title="No signal here">Go back to the newest ones.</EmptyState>
              )
            }
            footer={newestOlderLinks({
              newest: before === null ? null : adminPaths.slot(slot.symbol, slot.timeframe),
              older:
                signals.length >= PAGE_SIZE && oldest
                  ? adminPaths.slot(slot.symbol, slot.timeframe, { before: oldest.ts.toISOString() })
                  : null,
            })}
          />
        </Card>
        <PauseCard
          open={pauses.filter((pause) => coversSlot(pause, slot))}
          past={past}
          slots={[slot]}
          target={`${slot.symbol}/${slot.timeframe}`}
          form={formState(null, "pause.start")}
        />
      </div>
    </>
  );
}

function CandleStat({ label, ts, now }: { label: string; ts: Date | null; now: Date }) {
  if (ts === null) return <Stat label={label} value="–" note="none yet" />;
  return (
    <Stat
      label={label}
      value={`${ts.toISOString().slice(11, 16)} UTC`}
      note={
        <>
          {formatDay(ts)}, <RelativeTime at={ts} now={now} />
        </>
      }
    />
  );
}

const EXIT_LABELS = { TP: "target", SL: "stop", TIMEOUT: "time" } as const;

/**
 * The opening time of the signal's candle, marked if the signal was not made live: by a second model in comparison, or
 * too long after the candle closed (backtest).
 */
function candleCell(row: SignalWithOutcome) {
  return (
    <>
      <Timestamp at={row.ts} />
      {row.backfilled && (
        <span className="ml-1.5 text-xs text-faint">{row.beside ? "second model" : "backtest"}</span>
      )}
    </>
  );
}

const COLUMNS: Column<SignalWithOutcome>[] = [
  { key: "ts", header: "Candle", primary: true, cell: candleCell },
  {
    key: "signal",
    header: "Signal",
    phone: "upper",
    cell: (row) => <DirectionMark direction={row.signal} />,
  },
  {
    key: "confidence",
    header: "Confidence",
    phone: "lower",
    cell: (row) => <ConfidenceBar value={row.confidence} />,
  },
  {
    key: "regime",
    header: "Regime, model",
    cell: (row) => (
      <span className="block text-xs text-muted">
        {row.regime.replaceAll("_", " ")}
        {/* Wraps: versions often differ only at their end. */}
        <span className="block wrap-anywhere text-faint sm:max-w-36">{row.modelV}</span>
      </span>
    ),
  },
  { key: "rr", header: "Reward/risk", align: "right", cell: (row) => formatNumber(row.expectedRr, 2) },
  {
    key: "label",
    header: "Outcome",
    cell: (row) =>
      row.outcome ? (
        <DirectionMark direction={row.outcome.label} />
      ) : (
        <span className="text-faint">no outcome yet</span>
      ),
  },
  {
    key: "result",
    header: "Result",
    phone: "lower",
    unit: "R",
    align: "right",
    cell: (row) => (
      <>
        <MoneyText value={row.outcome?.resultR ?? null} />
        {row.outcome?.exitReason && (
          <span className="ml-1.5 text-xs text-faint">{EXIT_LABELS[row.outcome.exitReason]}</span>
        )}
      </>
    ),
  },
];
