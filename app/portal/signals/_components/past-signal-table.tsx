import type { ReactNode } from "react";
import { Badge } from "@/app/_components/badge";
import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { ProbabilityBar } from "@/app/_components/probability-bar";
import { formatRegime } from "@/app/portal/_components/format-regime";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { SignalHistoryRow } from "@/db/queries/signal-history";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { PastSignalCards } from "./past-signal-cards";
import { PastSignalDirection } from "./past-signal-direction";

/** Past signals with their probabilities and, once known, their results. */
export function PastSignalTable({
  caption,
  rows,
  clock,
  now,
  withSlot = true,
  empty,
  footer,
}: {
  caption: string;
  rows: readonly SignalHistoryRow[];
  clock: WallClock;
  now: Date;
  withSlot?: boolean;
  empty: ReactNode;
  footer?: ReactNode;
}) {
  const slot: Column<SignalHistoryRow> = {
    key: "slot",
    header: "Slot",
    primary: true,
    cell: (row) => (
      <>
        {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>
      </>
    ),
  };
  const columns: Column<SignalHistoryRow>[] = [
    {
      key: "ts",
      header: "Candle",
      unit: clockOffsetLabel(clock, now),
      primary: !withSlot,
      cell: (row) => <PortalTime at={row.ts} clock={clock} now={now} />,
    },
    { key: "signal", header: "Signal", cell: (row) => <PastSignalDirection row={row} /> },
    {
      key: "probabilities",
      header: "Probabilities",
      cell: (row) => (
        <div className="w-48 py-2">
          <ProbabilityBar buy={row.probBuy} no={row.probNo} sell={row.probSell} />
        </div>
      ),
    },
    { key: "regime", header: "Regime", cell: (row) => <Badge>{formatRegime(row.regime)}</Badge> },
    {
      key: "rr",
      header: "Reward/risk",
      align: "right",
      cell: (row) => formatNumber(row.expectedRr, 2),
    },
    {
      key: "result",
      header: "Result",
      unit: "R",
      align: "right",
      cell: (row) =>
        row.resultR === null ? (
          <span className="text-faint">{row.resolved ? "–" : "open"}</span>
        ) : (
          <MoneyText value={row.resultR} />
        ),
    },
  ];
  if (rows.length === 0) return empty;
  return (
    <>
      <PastSignalCards rows={rows} clock={clock} now={now} withSlot={withSlot} />
      <div className="phone:hidden">
        <DataTable
          caption={caption}
          rows={rows}
          rowKey={(row) => row.predId}
          columns={withSlot ? [slot, ...columns] : columns}
        />
      </div>
      {footer && <div className="border-t px-4 py-3 sm:px-6">{footer}</div>}
    </>
  );
}
