import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { formatDay } from "@/app/_components/times";
import { paths } from "@/lib/paths";
import type { EnteredLaterFigures } from "@/lib/wire/contracts/record";

type SlotRow = EnteredLaterFigures["items"][number];

const utc = (day: string) => new Date(`${day}T00:00:00Z`);

const COLUMNS: Column<SlotRow>[] = [
  {
    key: "slot",
    header: "Slot",
    primary: true,
    cell: ({ symbol, tf_code }) => (
      <a href={`${paths.recordSlot(symbol, tf_code)}#entered-later`} className="link">
        {symbol} {tf_code}
      </a>
    ),
  },
  { key: "n", header: "Signals", align: "right", cell: ({ n }) => formatNumber(n) },
  { key: "followed", header: "Directions", align: "right", cell: (row) => formatNumber(row.n_followed) },
  {
    key: "won",
    header: "Won",
    align: "right",
    cell: (row) => `${formatNumber(row.n_wins)} of ${formatNumber(row.n_wins + row.n_losses)}`,
  },
  {
    key: "total",
    header: "Total",
    unit: "R",
    align: "right",
    cell: (row) => <MoneyText value={row.total_r} mark={false} />,
  },
  {
    key: "days",
    header: "Days",
    phone: "lower",
    cell: (row) => `${formatDay(utc(row.first_day))} to ${formatDay(utc(row.last_day))}`,
  },
];

/** Figures of the signals that were entered later. Renders nothing if there are none. */
export function EnteredLaterCard({
  late,
  actions,
  children,
}: {
  late: EnteredLaterFigures | null;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  if (late === null) return null;
  return (
    <div id="entered-later" className="grid scroll-mt-24">
      <Card
        title="Entered later"
        lead={
          <>
            {countWithNoun(late.n, "resolved signal")} entered the ledger too late, when their outcomes may
            already have been known. They prove nothing and count in no figure above.
          </>
        }
        actions={actions}
        flush
      >
        <DataTable
          caption="Signals that were entered later, by slot"
          columns={COLUMNS}
          rows={late.items}
          rowKey={(row) => `${row.symbol}/${row.tf_code}`}
        />
        {children}
      </Card>
    </div>
  );
}
