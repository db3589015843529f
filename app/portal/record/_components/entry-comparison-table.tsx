import { type Column, DataTable } from "@/app/_components/data-table";
import { formatNumber, formatSigned } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import { microRToR } from "@/lib/executions/own-record/decompose";
import type { EntryFigures } from "@/lib/executions/own-record/entries";
import { formatDurationMs } from "./funnel-table";

/** Groups of entries: delay, price compared with the signal's, and cost. */
export function EntryComparisonTable({
  caption,
  header,
  rows,
  digits,
}: {
  caption: string;
  header: string;
  rows: readonly EntryFigures[];
  /** Decimal places by symbol; set only if the groups are symbols. */
  digits?: ReadonlyMap<string, number>;
}) {
  const price = (row: EntryFigures, value: number | null) =>
    value === null ? "–" : formatSigned(value, (digits?.get(row.key) ?? 4) + 1);
  const columns: Column<EntryFigures>[] = [
    { key: "key", header, primary: true, cell: (row) => row.key },
    { key: "n", header: "n", align: "right", cell: (row) => formatNumber(row.n) },
    { key: "after", header: "Delay", align: "right", cell: (row) => formatDurationMs(row.lateMs) },
    ...(digits
      ? ([
          {
            key: "lp",
            header: "Late",
            unit: "price",
            align: "right",
            cell: (row) => price(row, row.latePrice),
          },
          {
            ...{ key: "sp", header: "Slippage", unit: "price", align: "right" },
            cell: (row) => price(row, row.slippagePrice),
          },
        ] satisfies Column<EntryFigures>[])
      : []),
    {
      ...{ key: "lr", header: "Late", unit: "R", align: "right" },
      cell: (row) => formatSigned(microRToR(row.lateMicroR)),
    },
    {
      ...{ key: "sr", header: "Slippage", unit: "R", align: "right" },
      cell: (row) => formatSigned(microRToR(row.slippageMicroR)),
    },
    {
      ...{ key: "money", header: "Sum", unit: "money", align: "right" },
      cell: (row) =>
        row.nMoney === 0 ? (
          "–"
        ) : (
          <>
            <MoneyText value={row.lateMoney + row.slippageMoney} mark={false} />{" "}
            <span className="text-xs text-faint">n = {formatNumber(row.nMoney)}</span>
          </>
        ),
    },
  ];
  return (
    <DataTable caption={caption} columns={columns} rows={rows} rowKey={(row) => row.key} cards={false} />
  );
}
