import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { BarChart } from "@/app/_components/chart/bar-chart";
import { Histogram } from "@/app/_components/chart/histogram";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber, formatShare } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { listOpenPauses, listPastPauses } from "@/db/queries/pauses";
import { tallySignals } from "@/db/queries/signal-windows";
import { readLatestSignals } from "@/db/queries/signals";
import { PauseTargetField } from "@/lib/admin/form-fields";
import { signalDistribution } from "@/lib/admin/monitoring/signal-distribution";
import { readPauseReach } from "@/lib/admin/read-pause-reach";
import { readRecentDirectionCounts } from "@/lib/admin/read-recent-direction-counts";
import { readSlotOverviews } from "@/lib/admin/read-slot-overviews";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { addDays } from "@/lib/time";
import { PauseCard, type PausePreview } from "./_components/pause-card";
import { SlotMatrix } from "./_components/slot-matrix";

export const metadata: Metadata = { title: "Signals and slots" };

const LISTED_PAUSES = 20;

type SymbolGroup = ReturnType<typeof signalDistribution>["by_symbol"][number];

/** Whether every slot has a fresh signal, and whether the shares of the directions are normal. */
export default async function Signals() {
  const session = await requireAdminSession(adminPaths.signals());
  const now = new Date();
  const [slots, latest, tallies, month, open, past, flash] = await Promise.all([
    readSlotOverviews(now),
    readLatestSignals(db()),
    tallySignals(db("heavy"), addDays(now, -1)),
    readRecentDirectionCounts(),
    listOpenPauses(db()),
    listPastPauses(db(), { limit: LISTED_PAUSES }),
    consumeFlash(db(), session.sessionId),
  ]);
  const form = formState(flash, "pause.start");
  const target = form.returned && Object.keys(form.errors).length === 0 ? form.values.target : undefined;
  const preview = await previewOf(target);
  const day = signalDistribution(tallies);
  const stale = slots.filter((slot) => slot.active && slot.stale).length;
  const active = slots.filter((slot) => slot.active).length;
  const regimes = day.by_regime.toSorted((a, b) => b.total - a.total);
  const usualShare = (symbol: string) => {
    const usual = month.bySymbol.get(symbol);
    return usual ? (usual.buy + usual.sell) / usual.total : null;
  };

  const columns: Column<SymbolGroup>[] = [
    { key: "name", header: "Symbol", primary: true, cell: (row) => row.symbol },
    { key: "buy", header: "BUY", align: "right", cell: (row) => formatNumber(row.BUY) },
    { key: "sell", header: "SELL", align: "right", cell: (row) => formatNumber(row.SELL) },
    { key: "no", header: "NO TRADE", align: "right", cell: (row) => formatNumber(row.NO_TRADE) },
    {
      key: "share",
      header: "With a direction",
      align: "right",
      cell: (row) => writeShare((row.BUY + row.SELL) / row.total),
    },
    {
      key: "usual",
      header: "in 30 days",
      align: "right",
      cell: (row) => writeShare(usualShare(row.symbol)),
    },
  ];

  return (
    <>
      <PageHeader
        title="Signals and slots"
        lead={`${active === 0 ? "No active slots" : `${countWithNoun(active, "active slot")}, ${stale === 0 ? "all fresh" : `${stale} stale`}`}. A slot is stale if its newest candle closed more than one timeframe and 15 minutes ago (or the minutes set for the slot), counted while its market is open.`}
      />
      <FlashNotice flash={preview === null ? flash : null} />
      <div className="space-y-6">
        <Card title="Slots" flush>
          {slots.length === 0 ? (
            <EmptyState title="No slot yet">Slots appear with the first candle, model or signal.</EmptyState>
          ) : (
            <SlotMatrix slots={slots} latest={latest.signals} pauses={latest.pauses} />
          )}
        </Card>
        <PauseCard open={open} past={past} slots={slots} preview={preview} form={form} />
        <Card
          title="Last 24 hours by symbol"
          lead="Share of BUY and SELL compared with the last 30 days. A single day varies widely by chance."
          flush
        >
          <DataTable
            caption="Signals of the last 24 hours by symbol"
            columns={columns}
            rows={day.by_symbol}
            rowKey={(row) => row.symbol}
            empty={
              <EmptyState title="No signal in the last 24 hours">The market may have been closed.</EmptyState>
            }
          />
        </Card>
        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Confidence, last 24 hours">
            <Histogram name="Confidence" unit="confidence" digits={1} bins={day.confidence_histogram} />
          </Card>
          <Card title="Regimes, last 24 hours">
            <BarChart
              name="Signals"
              unit="signals"
              labelHeader="Regime"
              summary={
                regimes[0]
                  ? `Most signals of the last 24 hours were made in ${regimes[0].regime} (${formatNumber(regimes[0].total)} of ${formatNumber(day.total)}).`
                  : "No signal in the last 24 hours."
              }
              bars={regimes.map((group) => ({
                label: group.regime.replaceAll("_", " "),
                value: group.total,
              }))}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

/** The pause to confirm, if one was filled in. */
async function previewOf(target: string | undefined): Promise<PausePreview | null> {
  const parsed = PauseTargetField.safeParse(target);
  return parsed.success ? { target: parsed.data, reach: await readPauseReach(db(), parsed.data) } : null;
}

const writeShare = (share: number | null) => (share === null ? "–" : formatShare(share, 1));
