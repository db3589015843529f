import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { BarChart } from "@/app/_components/chart/bar-chart";
import { Histogram } from "@/app/_components/chart/histogram";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { counted, formatNumber, formatShare } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { db } from "@/db/client";
import { countConfidence, listDistribution } from "@/db/queries/admin-signals";
import { readLatestSignals } from "@/db/queries/signals";
import { adminPaths } from "@/lib/admin/paths";
import { readSlotStates } from "@/lib/admin/read-slot-states";
import { remembered } from "@/lib/admin/remembered";
import { type DistributionGroup, summarizeDistribution } from "@/lib/admin/summarize-distribution";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { env } from "@/lib/env";
import { SlotMatrix } from "../../_parts/slot-matrix";

export const metadata: Metadata = { title: "Signals and slots" };

const MINUTE_MS = 60_000;

/** Whether every slot has a fresh signal, and whether signals look as they usually do. */
export default async function Signals() {
  await requireAdminSession(adminPaths.signals());
  const now = new Date();
  const [slots, latest, day, month, confidence] = await Promise.all([
    readSlotStates(now),
    readLatestSignals(db()),
    listDistribution(db(), 24),
    remembered("distribution-30d", MINUTE_MS, () => listDistribution(db(), 24 * 30)),
    countConfidence(db(), 24),
  ]);
  const stale = slots.filter((slot) => slot.active && slot.stale).length;
  const active = slots.filter((slot) => slot.active).length;
  const simulated = env().marketFeed === "demo";
  const usual = new Map(summarizeDistribution(month, "symbol").map((group) => [group.name, group]));
  const regimes = summarizeDistribution(day, "regime");
  const directionalShare = (group: DistributionGroup | undefined) =>
    group && group.total > 0 ? (group.BUY + group.SELL) / group.total : null;

  const columns: Column<DistributionGroup>[] = [
    { key: "name", header: "Symbol", primary: true, cell: (row) => row.name },
    { key: "buy", header: "BUY", align: "right", cell: (row) => formatNumber(row.BUY) },
    { key: "sell", header: "SELL", align: "right", cell: (row) => formatNumber(row.SELL) },
    { key: "no", header: "NO TRADE", align: "right", cell: (row) => formatNumber(row.NO_TRADE) },
    {
      key: "share",
      header: "With a direction",
      align: "right",
      cell: (row) => writeShare(directionalShare(row)),
    },
    {
      key: "usual",
      header: "in 30 days",
      align: "right",
      cell: (row) => writeShare(directionalShare(usual.get(row.name))),
    },
  ];

  return (
    <>
      <PageHeader
        title="Signals and slots"
        lead={`${counted(active, "active slot")}, ${stale === 0 ? "all fresh" : `${stale} stale`}. A slot is stale once its newest candle closed more than one timeframe and 15 minutes ago, counted while its market is open.`}
      />
      <div className="space-y-6">
        <Card title="Slots" flush>
          {slots.length === 0 ? (
            <EmptyState title="No slot yet">Slots appear with the first candle, model or signal.</EmptyState>
          ) : (
            <SlotMatrix slots={slots} latest={latest.signals} />
          )}
        </Card>
        <Card
          title="Last 24 hours by symbol"
          lead="The share with a direction against that of the last 30 days: the cheapest alarm for drift."
          flush
        >
          <DataTable
            caption="Signals of the last 24 hours by symbol"
            columns={columns}
            rows={summarizeDistribution(day, "symbol").toSorted((a, b) => a.name.localeCompare(b.name, "en"))}
            rowKey={(row) => row.name}
            empty={
              <EmptyState title="No signal in the last 24 hours">The market may have been closed.</EmptyState>
            }
          />
        </Card>
        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Confidence, last 24 hours">
            <Histogram
              name="Confidence"
              unit="confidence"
              digits={1}
              bins={confidence.map((n, i) => ({ lo: i / 10, hi: (i + 1) / 10, n }))}
              simulated={simulated}
            />
          </Card>
          <Card title="Regimes, last 24 hours">
            <BarChart
              name="Signals"
              unit="signals"
              labelHeader="Regime"
              summary={
                regimes[0]
                  ? `Most signals of the last 24 hours were made in ${regimes[0].name} (${formatNumber(regimes[0].total)} of ${formatNumber(regimes.reduce((sum, group) => sum + group.total, 0))}).`
                  : "No signal in the last 24 hours."
              }
              bars={regimes.map((group) => ({ label: group.name.replaceAll("_", " "), value: group.total }))}
              simulated={simulated}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

const writeShare = (share: number | null) => (share === null ? "–" : formatShare(share, 1));
